import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { hasFinalizer, otherFinalizersOf } from '../domain/kubernetes/finalizers.ts';
import { CRD } from '../domain/kubernetes/resource-types.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { booleanAt, listAt, textAt } from '../domain/core/read.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { isAsWritten } from './is-as-written.ts';

type CrdCluster = Pick<Cluster, 'apply' | 'get' | 'list' | 'patch' | 'replace'>;

const POLL_MS = 200;
const GONE_MS = 30_000;
const OURS_ALONE = { fieldManager: OURS.fieldManager } as const;
/** What a chart or an operator may have written on it to say that it is theirs. */
const FOREIGN_METADATA: readonly string[] = [OURS.operatorLabel, 'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'];

/**
 * Brings a CRD of our own to what its manifest says: makes it where it is missing, waits where it is being deleted or changing, and takes out what others have
 * added to it, a conversion webhook for example. Writes nothing to one that is as it should be.
 *
 * @returns the CRD as it is now.
 * @throws AppError `ClusterUnavailable` when that does not succeed within half a minute.
 */
export async function restoreCrd(cluster: CrdCluster, manifest: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const latest = performance.now() + GONE_MS;
  for (;;) {
    const live = await intactOrApplied(cluster, manifest, signal).catch((error: unknown) => {
      // An api-server under load answers later.
      if (isAppError(error, 'ClusterUnavailable') && performance.now() < latest) return undefined;
      throw error;
    });
    if (live === undefined) {
      await sleep(POLL_MS, undefined, { signal });
      continue;
    }
    if (isIntact(manifest, live)) return live;
    const going = live.metadata.deletionTimestamp !== undefined;
    if (going) await letObjectsGo(cluster, live, signal);
    const restored = going ? undefined : await withoutAdditions(cluster, { manifest, live, signal });
    if (restored !== undefined) return restored;
    if (performance.now() > latest) {
      const why = going ? lossReason(live) : 'it changes all the time';
      throw new AppError('ClusterUnavailable', `restore the CRD ${manifest.metadata.name}: ${why ?? 'it is being deleted'}`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Why the kind of a CRD of ours cannot be used, as a clause; undefined when it can. */
export function lossReason(crd: KubeObject | undefined): string | undefined {
  if (crd === undefined) return 'it is missing';
  const conditions = listAt(crd.status, 'conditions');
  const sentence = (type: string): string | undefined =>
    textAt(
      conditions.find((condition) => textAt(condition, 'type') === type),
      'message',
    );
  if (crd.metadata.deletionTimestamp !== undefined) return `it is being deleted: ${sentence('Terminating') ?? 'its objects go first'}`;
  return conditions.some(isEstablished) ? undefined : `the cluster does not serve it: ${sentence('Established') ?? 'it is new'}`;
}

export function isEstablished(condition: unknown): boolean {
  return textAt(condition, 'type') === 'Established' && textAt(condition, 'status') === 'True';
}

/**
 * Takes our finalizer off the objects that go with a CRD, as the controllers do; at the start none of them runs yet, and the CRD would wait for ever.
 * What the objects stand for stays.
 */
async function letObjectsGo(cluster: CrdCluster, { spec }: KubeObject, signal: AbortSignal): Promise<void> {
  const version = listAt(spec, 'versions').find((candidate) => booleanAt(candidate, 'served') === true);
  const type = {
    group: textAt(spec, 'group') ?? '',
    version: textAt(version, 'name') ?? '',
    resource: textAt(spec, 'names', 'plural') ?? '',
  };
  try {
    const { items } = await cluster.list(type, { signal });
    for (const object of items) {
      const { name, namespace, resourceVersion, deletionTimestamp } = object.metadata;
      if (deletionTimestamp === undefined || !hasFinalizer(object)) continue;
      const body = { metadata: { resourceVersion, finalizers: otherFinalizersOf(object) } };
      const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
      await cluster.patch(ref, { type: 'merge', body }, { ...OURS_ALONE, signal });
    }
  } catch (error) {
    // They go while we look, and the next look finds those that do not.
    if (!isAppError(error, 'NotFound', 'Conflict', 'MethodNotAllowed')) throw error;
  }
}

/** Whether there is nothing to write. */
function isIntact(manifest: KubeObject, live: KubeObject): boolean {
  const { deletionTimestamp, labels = {}, annotations = {} } = live.metadata;
  const isForeign = FOREIGN_METADATA.some((name) => name in labels || name in annotations);
  return deletionTimestamp === undefined && !isForeign && isAsWritten(manifest, live);
}

async function intactOrApplied(cluster: CrdCluster, manifest: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const live = await ifFound(cluster.get({ ...CRD, name: manifest.metadata.name }, { signal }));
  return live !== undefined && isIntact(manifest, live) ? live : await applyOrGet(cluster, manifest, signal);
}

/** Server-side apply; what others have added may make the result invalid, and is taken out afterwards. */
async function applyOrGet(cluster: CrdCluster, manifest: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  try {
    return (await cluster.apply(CRD, manifest, { ...OURS_ALONE, force: 'force', signal })).object;
  } catch (error) {
    if (!isAppError(error, 'InvalidInput')) throw error;
    return await cluster.get({ ...CRD, name: manifest.metadata.name }, { signal });
  }
}

interface Restoring {
  readonly manifest: KubeObject;
  readonly live: KubeObject;
  readonly signal: AbortSignal;
}

/**
 * Apply leaves the fields of others; only a replacement takes them away. A dry run says what the api-server would make of the manifest alone.
 * Undefined when the CRD has moved on meanwhile, as a new one does.
 */
async function withoutAdditions(cluster: CrdCluster, { manifest, live, signal }: Restoring): Promise<KubeObject | undefined> {
  const { labels = {}, annotations = {}, ...metadata } = live.metadata;
  const own = { labels: withoutForeign(labels), annotations: withoutForeign(annotations) };
  const wanted: KubeObject = { ...manifest, metadata: { ...metadata, ...own } };
  try {
    const { object } = await cluster.replace(CRD, wanted, { ...OURS_ALONE, dryRun: 'All', signal });
    if (isDeepStrictEqual(object.spec, live.spec) && isDeepStrictEqual(own, { labels, annotations })) return live;
    return (await cluster.replace(CRD, wanted, { ...OURS_ALONE, signal })).object;
  } catch (error) {
    if (isAppError(error, 'Conflict', 'NotFound')) return undefined;
    throw error;
  }
}

function withoutForeign(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !FOREIGN_METADATA.includes(name)));
}
