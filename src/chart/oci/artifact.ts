import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import semver from 'semver';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import type { GitCheckout } from '../../domain/source/git-source.ts';
import type { OciRequest } from '../../domain/source/oci-source.ts';
import { createEgressPolicy } from '../../egress/egress-policy.ts';
import { readArchive } from '../archive/archive.ts';
import { chartError } from '../chart-error.ts';
import type { Mirror } from '../fetch/locate.ts';
import { receive, withinTotal } from '../fetch/receive.ts';
import type { RemoteContext } from '../fetch/remote.ts';
import { scopeOrigin } from '../fetch/scoped-credentials.ts';
import { CHART_LIMITS } from '../limits.ts';
import { newestFirst } from '../repository/repository.ts';
import { verifyManifest } from '../signature/verify-cosign.ts';
import { DIGEST, type Manifest, openRegistry, type Registry } from './registry.ts';

export interface ArtifactOptions {
  /** Where artifacts are kept; a folder of its own. */
  readonly homeDir: string;
  readonly mirrors: readonly Mirror[];
  /** Ranges in CIDR notation that the admin opens. */
  readonly allowEgress: readonly string[];
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

export interface Artifacts {
  /**
   * Brings a revision of an artifact to the disk. One that is there already costs one question to the registry.
   *
   * @throws AppError `ArtifactUnavailable`, `VerificationFailed`.
   */
  checkout(request: OciRequest, signal: AbortSignal): Promise<GitCheckout>;
  /** The folder of the revision that was brought last; undefined when there is none. */
  latest(request: Pick<OciRequest, 'source' | 'oci'>): Promise<string | undefined>;
}

/** What Flux pushes, and what other tools call the same. */
const LAYERS = ['application/vnd.cncf.flux.content.v1.tar+gzip', 'application/vnd.oci.image.layer.v1.tar+gzip', 'application/tar+gzip'];
/** Each may be as large as a chart. */
const MAX_LAYERS = 8;

/** Reads the files of OCI artifacts within the limits of charts: no links, no path that leaves its folder. */
export function createArtifacts({ homeDir, mirrors, allowEgress, certificateAuthorities }: ArtifactOptions): Artifacts {
  const locations = { roots: {}, mirrors };
  const context: RemoteContext = { locations, policy: createEgressPolicy(allowEgress), limits: CHART_LIMITS, certificateAuthorities };
  return {
    checkout: async (request, signal) => {
      const place = placeOf(homeDir, request);
      await mkdir(place, { recursive: true, mode: 0o700 });
      const { credentials, oci } = request;
      const scoped = credentials === undefined ? context : { ...context, credentials: scopeOrigin(oci.url, credentials) };
      try {
        return await withinTotal({ address: oci.url, limits: CHART_LIMITS, signal }, (bounded) =>
          bring({ ...request, place, context: scoped, signal: bounded }),
        );
      } catch (error) {
        signal.throwIfAborted();
        throw aboutArtifact(error);
      }
    },
    latest: async (request) => {
      const place = placeOf(homeDir, request);
      const name = (await readdir(place).catch(() => [])).find((one) => one.startsWith('files-'));
      return name === undefined ? undefined : join(place, name);
    },
  };
}

function placeOf(homeDir: string, { source, oci }: Pick<OciRequest, 'source' | 'oci'>): string {
  const key = JSON.stringify([source, oci.url]);
  return join(homeDir, createHash('sha256').update(key).digest('hex').slice(0, 32));
}

/** What is said of charts, said of artifacts. */
function aboutArtifact(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const message = messageOf(error)
    .replace(/^chart:/, 'artifact:')
    .replaceAll('spec.chart.', 'spec.oci.');
  const isUnsigned = error.code === 'ChartUnsigned' || error.code === 'SignatureInvalid';
  return new AppError(isUnsigned ? 'VerificationFailed' : 'ArtifactUnavailable', message, { cause: error });
}

interface Work extends OciRequest {
  readonly place: string;
  readonly context: RemoteContext;
  readonly signal: AbortSignal;
}

async function bring(work: Work): Promise<GitCheckout> {
  const { oci, place, context, signal, verification } = work;
  const registry = openRegistry(new URL(oci.url), context, signal);
  const tag = await tagOf(work, registry);
  const manifest = await registry.manifest(oci.ref?.digest ?? tag ?? 'latest');
  const revision = tag === undefined ? manifest.digest : `${tag}@${manifest.digest}`;
  const key = JSON.stringify([manifest.digest, oci.path, verification?.digest ?? '']);
  const folder = join(place, `files-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return { folder, revision };
  if (verification !== undefined) await verifyManifest({ registry, manifest }, { address: oci.url, verification });
  await writeFiles(work, { folder, files: await readLayers(work, registry, manifest) });
  const others = (await readdir(place)).map((name) => join(place, name)).filter((one) => one !== folder);
  await Promise.all(others.map((one) => rm(one, { recursive: true, force: true })));
  return { folder, revision };
}

async function tagOf({ oci }: Work, registry: Registry): Promise<string | undefined> {
  const { tag, semver: range, digest } = oci.ref ?? {};
  if (digest !== undefined) return undefined;
  if (range === undefined) return tag ?? 'latest';
  if (semver.validRange(range) === null) throw chartError('ChartNotFound', oci.url, `${JSON.stringify(range)} is not a range of versions`);
  // A tag has no `+`, so that people write `_` for it.
  const offers = newestFirst((await registry.tags()).map((name) => ({ version: name.replace('_', '+'), name })));
  const newest = offers.find(({ version }) => semver.satisfies(version, range));
  if (newest === undefined) throw chartError('ChartNotFound', oci.url, `no tag is a version in the range ${range}`);
  return newest.name;
}

/** The files of all layers of files, one over the other in the order of the manifest, as those of an image. Signatures and descriptions are other layers. */
async function readLayers(work: Work, registry: Registry, { fields }: Manifest): Promise<ReadonlyMap<string, Buffer>> {
  const { oci } = work;
  const invalid = (why: string): AppError => chartError('ChartInvalid', oci.url, why);
  const layers = listAt(fields, 'layers').filter((layer) => LAYERS.includes(textAt(layer, 'mediaType') ?? ''));
  const digests = layers.map((layer) => textAt(layer, 'digest') ?? '');
  if (digests.length === 0 || digests.some((digest) => !DIGEST.test(digest)))
    throw invalid('it has no layer of files (tar+gzip); push it with "flux push artifact" or "oras push"');
  if (digests.length > MAX_LAYERS) throw invalid(`it has ${digests.length} layers of files, at most ${MAX_LAYERS} are read`);
  const { unpackedBytes, entries } = work.context.limits;
  const files = new Map<string, Buffer>();
  for (const digest of digests) {
    for (const [name, content] of await readLayer(work, registry, digest)) files.set(name, content);
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    if (bytes > unpackedBytes || files.size > entries) throw invalid('its layers together are larger than an artifact may be');
  }
  if (files.size === 0) throw invalid(oci.path === '' ? 'it is empty' : `it has no folder ${JSON.stringify(oci.path)}`);
  return files;
}

async function readLayer({ oci, place, context, signal }: Work, registry: Registry, digest: string): Promise<ReadonlyMap<string, Buffer>> {
  const path = join(place, 'layer.tgz');
  await rm(path, { force: true });
  await registry.get(`blobs/${digest}`, '*/*', ({ body, answered, length }) =>
    receive({ bytes: body, address: oci.url, answered, length, digest }, { path, maxBytes: context.limits.packedBytes, kind: 'artifact' }),
  );
  try {
    const below = oci.path === '' ? '' : `${oci.path}/`;
    const { contents } = await readArchive(path, {
      limits: context.limits,
      layout: 'Files',
      wants: (name) => name.startsWith(below),
      signal,
    });
    return new Map([...contents].map(([name, content]) => [name.slice(below.length), content]));
  } catch (error) {
    if (error instanceof AppError) throw chartError('ChartInvalid', oci.url, error.message, error);
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes the files; they appear all at once. */
async function writeFiles({ oci, place }: Work, { folder, files }: { folder: string; files: ReadonlyMap<string, Buffer> }): Promise<void> {
  const draft = await mkdtemp(join(place, 'draft-'));
  try {
    for (const [name, content] of files) {
      await mkdir(dirname(join(draft, name)), { recursive: true });
      await writeFile(join(draft, name), content, { flag: 'wx' });
    }
    await rename(draft, folder);
  } catch (error) {
    throw chartError('ChartInvalid', oci.url, `its files cannot be written: ${messageOf(error).replaceAll(draft, '')}`, error);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
