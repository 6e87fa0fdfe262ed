import semver from 'semver';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { isExact } from '../../domain/chart/chart-version.ts';
import { chartError } from '../chart-error.ts';
import { type Incoming, withinTotal } from '../fetch/receive.ts';
import { DIGEST, type Manifest, openRegistry, type Registry } from './registry.ts';
import { newestFirst, type OfferedVersion } from '../repository/repository.ts';
import type { RemoteContext } from '../fetch/remote.ts';

const CHART_LAYERS = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const PROVENANCE_LAYER = 'application/vnd.cncf.helm.chart.provenance.v1.prov';

/**
 * The versions of a chart in an OCI registry (tags write `+` as `_`), newest first. A version that is asked for exactly is not looked for in the
 * list of tags, which many registries keep to themselves.
 *
 * @throws AppError like `ChartLibrary.fetch`.
 */
export async function registryOffers(
  source: Extract<ChartSource, { kind: 'repository' }>,
  context: RemoteContext,
  signal: AbortSignal,
): Promise<OfferedVersion[]> {
  const base = `${source.repoURL.replace(/\/+$/, '')}/${source.name}`;
  const offer = (version: string): OfferedVersion => ({ version, address: `${base}:${version.replace('+', '_')}` });
  if (isExact(source.version)) return [offer(source.version)];
  const { limits } = context;
  const tags = await withinTotal({ address: base, limits, signal }, (bounded) => openRegistry(new URL(base), context, bounded).tags());
  const versions = tags.map((tag) => tag.replace('_', '+'));
  // As Helm does: tags that lack parts, such as dates, count where one of them is asked for.
  return newestFirst(versions.filter((version) => version === source.version || semver.valid(version) !== null).map(offer));
}

/** Lends the bytes of the chart at `oci://<host>/<path>:<tag>`, or `…@sha256:<hex>`, to the task. */
export async function withRegistryChart<T>(
  address: URL,
  context: RemoteContext,
  signal: AbortSignal,
  task: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  const { registry, manifest, digest } = await openRegistryChart(address, context, signal);
  return registry.get(`blobs/${digest}`, '*/*', ({ body, answered, length }) =>
    task({ bytes: body, address: address.href, answered, length, digest, manifestDigest: manifest.digest }),
  );
}

/** A chart in a registry, found but not fetched. */
export interface RegistryChart {
  readonly registry: Registry;
  readonly manifest: Manifest;
  /** `sha256:<hex>` of the packed chart. */
  readonly digest: string;
  /** The digest of Helm's provenance; undefined when the chart has none. */
  readonly provenance: string | undefined;
}

export async function openRegistryChart(address: URL, context: RemoteContext, signal: AbortSignal): Promise<RegistryChart> {
  const { path, reference } = referenceIn(address);
  const registry = openRegistry(new URL(`oci://${address.host}${path}`), context, signal);
  const manifest = await registry.manifest(reference);
  const layer = (types: readonly string[]): string | undefined => {
    const found = listAt(manifest.fields, 'layers').find((item) => types.includes(textAt(item, 'mediaType') ?? ''));
    const digest = textAt(found, 'digest');
    return digest !== undefined && DIGEST.test(digest) ? digest : undefined;
  };
  const digest = layer(CHART_LAYERS);
  if (digest === undefined)
    throw chartError('ChartInvalid', address.href, 'what is stored under this tag is not a Helm chart; check the path and the tag');
  return { registry, manifest, digest, provenance: layer([PROVENANCE_LAYER]) };
}

function referenceIn(address: URL): { readonly path: string; readonly reference: string } {
  const [, path, tag, digest] =
    /^([^:@]+)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(address.pathname) ?? [];
  const reference = digest ?? tag;
  if (path !== undefined && reference !== undefined) return { path, reference };
  throw chartError(
    'ChartUnreachable',
    address.href,
    'an oci address ends in :<version> or @sha256:<digest>; or use spec.chart with repoURL, name and version',
  );
}
