import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type ArtifactOptions, createArtifacts } from '../chart/oci/artifact.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import { objectAt, textAt } from '../domain/core/read.ts';
import { secret } from '../domain/core/secret.ts';
import { specOf } from '../domain/kind/kind.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE, SECRET } from '../domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND } from '../domain/source/catalog-source.ts';
import { type HookCheck, MIN_TOKEN } from '../domain/source/receiver.ts';
import { keptRevisionsIn, keptRevisionsRef } from '../domain/source/kept-revisions.ts';
import type { ParsedFolder } from '../domain/source/stock.ts';
import { createFolderReader } from '../folder/read-source-folder.ts';
import { createGit } from '../git/git.ts';
import type { HookPort } from '../http/hooks.ts';
import type { Kube } from '../kube/kube.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Log } from '../observe/log.ts';
import type { SourceContent, SourcePreviewPorts } from '../operation/source/source-ports.ts';
import { applyDocument } from '../reconcile/source/apply-document.ts';
import { readFolderOf } from '../reconcile/source/fetch-source.ts';

export interface SourcePreviewsInput extends Omit<ArtifactOptions, 'homeDir'> {
  readonly stateDir: string;
  /** The program, for kustomizations. */
  readonly kubectl: string;
  readonly kube: Pick<Kube, 'asController'>;
}

const PREVIEWS = { what: 'preview', all: 2, perPerson: 1, waiting: 3 };

/** Previews of sources fetch into a folder of their own each, so that the checkouts of the controller stay as they are. */
export async function createSourcePreviews({ stateDir, kubectl, kube, ...fetching }: SourcePreviewsInput): Promise<SourcePreviewPorts> {
  const place = join(stateDir, 'source-previews');
  // What a process left that was killed.
  await rm(place, { recursive: true, force: true });
  return {
    read: async (content, signal) => {
      await mkdir(place, { recursive: true, mode: 0o700 });
      const homeDir = await mkdtemp(join(place, 'preview-'));
      try {
        return await readInto({ ...fetching, homeDir, kubectl }, content, signal);
      } finally {
        await rm(homeDir, { recursive: true, force: true });
      }
    },
    dryRun: async (cluster, trial) => await applyDocument(cluster, { ...trial, mode: 'DryRun' }),
    keptRevisions: async (source) =>
      await keptRevisionsIn(await ifFound(kube.asController().get(keptRevisionsRef(source.metadata.name))), source),
    queue: new FairQueue(PREVIEWS),
  };
}

async function readInto(
  { kubectl, ...options }: ArtifactOptions & Pick<SourcePreviewsInput, 'kubectl'>,
  { source, spec, cluster }: SourceContent,
  signal: AbortSignal,
): Promise<Extract<ParsedFolder, { kind: 'Read' }>> {
  const ports = { cluster, git: createGit(options), artifacts: createArtifacts(options), readFolder: createFolderReader(kubectl) };
  const read = await readFolderOf({ ports, source, signal }, { ...spec, suspend: false });
  signal.throwIfAborted();
  switch (read.kind) {
    case 'Read':
      return read;
    case 'GitUnavailable':
    case 'ArtifactUnavailable':
    case 'VerificationFailed':
      throw new AppError(read.kind, read.why);
    case 'Vanished':
      throw new AppError('NotFound', `folder ${JSON.stringify(spec.folder?.path ?? '')}: it cannot be read: ${read.why}`);
    case 'Blocked':
    case 'Unchanged':
      throw new AppError('Internal', `source ${JSON.stringify(source.metadata.name)}: its content was not read`);
    default:
      return read satisfies never;
  }
}

export interface SourceHooksInput {
  /** The controller's own account: whoever sends a webhook is nobody. */
  readonly kube: Pick<Kube, 'asController'>;
  readonly catalog: Pick<LiveCatalog, 'reflectors'>;
  readonly log: Log;
}

/** A Secret is read again after this time, so that a burst of webhooks costs one call. */
const REMEMBERED_MS = 5_000;
/** Webhooks of one source within this time are one request. */
const BURST_MS = 2_000;
/** The name of a Secret that is asked for where there is no receiver, so that the answer takes as long. */
const NO_SECRET = 'chandlery-no-receiver';
const FIELD_MANAGER = 'chandlery-webhook';

/** Webhooks of CatalogSources. A sync is asked for by the annotation that people use, so that it reaches the replica that has the lease. */
export function createSourceHooks(input: SourceHooksInput): HookPort {
  const nobody: HookCheck = { type: 'Generic', token: secret(randomBytes(32).toString('hex')) };
  const tokenIn = createTokens(input);
  return {
    checkOf: async (name) => {
      const source = input.catalog.reflectors.catalogSources.get(name);
      const receiver = source === undefined ? undefined : specOf(CATALOG_SOURCE_KIND, source).receiver;
      const token = await tokenIn(receiver?.secretRef.name ?? NO_SECRET);
      return receiver === undefined || token === undefined ? nobody : { type: receiver.type, token: secret(token) };
    },
    requestSync: createRequests(input),
  };
}

/** The token in a Secret; undefined when it has none that may be used. */
function createTokens({ kube, log }: SourceHooksInput): (name: string) => Promise<string | undefined> {
  const cluster = kube.asController();
  const tokens = new LRUCache<string, { readonly token?: string }>({ max: 1000, ttl: REMEMBERED_MS });
  return async (name) => {
    const known = tokens.get(name);
    if (known !== undefined) return known.token;
    const object = await readSecret(cluster, name);
    const token = Buffer.from(textAt(objectAt(object, 'data'), 'token') ?? '', 'base64')
      .toString('utf8')
      .trim();
    const isUsable = token.length >= MIN_TOKEN;
    const why = object === 'Forbidden' ? 'the account of the pages may not read it: list it in rbac.webSecrets' : NEEDED;
    if (!isUsable && name !== NO_SECRET) log.warn('A webhook cannot be checked', { secret: name, why });
    tokens.set(name, isUsable ? { token } : {});
    return isUsable ? token : undefined;
  };
}

const NEEDED = `it needs the key token with at least ${MIN_TOKEN} characters`;

/** Counts a forbidden Secret as missing, so that clients of webhooks do not learn which sources have receivers. */
async function readSecret(cluster: Pick<Cluster, 'get'>, name: string): Promise<KubeObject | 'Forbidden' | undefined> {
  try {
    return await ifFound(cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }));
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return 'Forbidden';
    throw error;
  }
}

/** Asks for a sync at the first webhook of a burst, and again after the last. */
function createRequests({ kube, log }: SourceHooksInput): HookPort['requestSync'] {
  const cluster = kube.asController();
  /** Of sources whose last request was a moment ago: whether there were more webhooks since. */
  const bursts = new Map<string, 'One' | 'More'>();
  const annotate = async (name: string): Promise<void> => {
    const body = { metadata: { annotations: { [OURS.reconcileAt]: new Date().toISOString() } } };
    await cluster.patch({ ...CATALOG_SOURCE, name }, { type: 'merge', body }, { fieldManager: FIELD_MANAGER });
  };
  const end = async (name: string): Promise<void> => {
    const burst = bursts.get(name);
    bursts.delete(name);
    try {
      if (burst === 'More') await annotate(name);
    } catch (error) {
      log.warn('A webhook failed', { source: name, error: messageOf(error) });
    }
  };
  return async (name) => {
    const isBurst = bursts.has(name);
    bursts.set(name, isBurst ? 'More' : 'One');
    if (isBurst) return;
    setTimeout(() => void end(name), BURST_MS).unref();
    await annotate(name);
    log.info('A webhook asked for a sync', { source: name });
  };
}
