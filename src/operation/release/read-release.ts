import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textAt } from '../../domain/core/read.ts';
import { setCustomHealth } from '../../domain/health/rules/health-of.ts';
import type { HealthEvaluator } from '../health/health-evaluator.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { RevisionContent } from '../../domain/operator/release.ts';
import { recordName } from '../../domain/operator/release-notes.ts';
import { memberKey, releaseAnnotations, type ReleaseName } from '../../domain/tree/release-members.ts';
import { type JobOutcome, ThreadHost } from '../../thread/thread-host.ts';
import { readObjects } from '../instance/read-objects.ts';
import type { MANIFEST_JOBS, ManifestKey } from './manifest-worker.ts';

/** What the manifest of a release names beyond what was read. */
export interface ReleaseRest {
  /** Objects elsewhere, and what does not exist, whose health is Missing. */
  readonly objects: readonly KubeObject[];
  /** All objects of the manifest, by `memberKey`; none where the manifest cannot be read. */
  readonly named: ReadonlySet<string>;
  /** Without these permissions it is not known. */
  readonly missing: readonly MissingPermission[];
}

export interface ReleaseInput {
  readonly release: ReleaseName;
  /** What is read already, or meanwhile. */
  readonly read: readonly KubeObject[] | Promise<readonly KubeObject[]>;
  readonly kinds: readonly ServedKind[];
  readonly health: Pick<HealthEvaluator, 'evaluate'>;
}

export type ReleaseCluster = Pick<Cluster, 'get' | 'list' | 'listMetadata'>;

/** Objects of a manifest that are looked for one by one. */
const MAX_LOOKUPS = 200;

/**
 * Compares the manifest of a release with what was read of it, as the actor whose cluster this is. Helm's record holds the values, too: the actor needs the
 * permission to get Secrets there, and of the record nothing but the names of objects leaves the thread that unpacks it.
 */
export async function readRestOfRelease(cluster: ReleaseCluster, { release, read, kinds, health }: ReleaseInput): Promise<ReleaseRest> {
  try {
    const [keys, objects] = await Promise.all([keysOfRelease(cluster, release), read]);
    const known = new Set(objects.map(memberKey));
    const all = keys.map((key) => placed(key, release, kinds));
    const unread = all.filter(({ object }) => !known.has(memberKey(object)));
    const found = await pMap(unread.slice(0, MAX_LOOKUPS), async (one) => await lookFor(cluster, one), { concurrency: 8 });
    await health.evaluate(found.flatMap(({ objects }) => objects));
    const absent = found.flatMap(({ absent: one }) => (one === undefined ? [] : [missingObject(one.object, one.why)]));
    return {
      objects: [...found.flatMap(({ objects }) => objects), ...absent],
      named: new Set(all.map(({ object }) => memberKey(object))),
      missing: onceEach(found.flatMap(({ missing }) => missing)),
    };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { objects: [], named: new Set(), missing: [error.missing ?? { ...permissionTo('get', SECRET), namespace: release.namespace }] };
  }
}

/** The object of a manifest as it would be, and its kind, if the cluster serves it. */
interface Named {
  readonly object: KubeObject;
  readonly kind?: ServedKind;
  readonly isRemovedWhenFinished: boolean;
}

function placed(
  { apiVersion, kind: name, isRemovedWhenFinished, ...key }: ManifestKey,
  release: ReleaseName,
  kinds: readonly ServedKind[],
): Named {
  const { group } = parseApiVersion(apiVersion);
  const kind = kinds.find((one) => one.group === group && one.kind === name);
  const namespace = kind?.namespaced === false ? undefined : (key.namespace ?? release.namespace);
  const annotations = releaseAnnotations(release);
  const metadata = { name: key.name, annotations, ...(namespace === undefined ? {} : { namespace }) };
  return { object: { apiVersion, kind: name, metadata }, isRemovedWhenFinished, ...(kind === undefined ? {} : { kind }) };
}

interface Looked extends Pick<ReleaseRest, 'objects' | 'missing'> {
  readonly absent?: { readonly object: KubeObject; readonly why: string };
}

async function lookFor(cluster: ReleaseCluster, { object, kind, isRemovedWhenFinished }: Named): Promise<Looked> {
  const { name, namespace } = object.metadata;
  const nothing = { objects: [], missing: [] };
  if (kind === undefined) return { ...nothing, absent: { object, why: `the cluster does not serve ${object.apiVersion} ${object.kind}` } };
  const where = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) };
  const { objects, unreadable, unavailable } = await readObjects(cluster, [kind], where);
  const forbidden = unreadable.map(({ group, resource }) => ({
    verb: 'list',
    group,
    resource,
    ...(namespace === undefined ? {} : { namespace }),
  }));
  if (objects.length > 0 || forbidden.length > 0 || unavailable.length > 0) return { objects, missing: forbidden };
  return isRemovedWhenFinished ? nothing : { ...nothing, absent: { object, why: 'it does not exist' } };
}

function missingObject(object: KubeObject, why: string): KubeObject {
  const release = textAt(object, 'metadata', 'annotations', 'meta.helm.sh/release-name') ?? '';
  const message = `The manifest of the release ${release} has this ${object.kind}, and ${why}`;
  setCustomHealth(object, { status: 'Missing', message, rule: 'manifest' });
  return object;
}

function onceEach(permissions: readonly MissingPermission[]): MissingPermission[] {
  return [...new Map(permissions.map((one) => [stringifyJson(one), one])).values()];
}

const thread = new ThreadHost<typeof MANIFEST_JOBS>({
  file: new URL('manifest-worker.ts', import.meta.url),
  memoryMib: 256,
  idleMs: 300_000,
});
const TIMEOUT_MS = 5_000;

/** Starts what unpacks records, when there will be one soon: on a busy machine the start takes longer than all else of a page. */
export function expectRelease(): void {
  thread.warm();
}

/** Names of releases are labels, and longer ones do not exist. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,51}[a-z0-9])?$/;

/** By `uid/resourceVersion` of the record: whoever lists a Secret may read it. */
const keysByRecord = new LRUCache<string, readonly ManifestKey[]>({
  max: 2_000,
  maxSize: 50_000,
  sizeCalculation: (keys) => keys.length + 1,
});

/** None where nothing is deployed, and where the record cannot be read in time. */
async function keysOfRelease(cluster: ReleaseCluster, { namespace, name }: ReleaseName): Promise<readonly ManifestKey[]> {
  if (!NAME.test(name) || !NAME.test(namespace)) return [];
  const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${name},status=deployed` });
  const newest = items.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (newest === undefined) return [];
  const known = keysByRecord.get(versionKey(newest));
  if (known !== undefined) return known;
  thread.warm();
  const record = await cluster.get({ ...SECRET, namespace, name: newest.metadata.name });
  const packed = textAt(record, 'data', 'release') ?? '';
  const keys = await askThread(async () => await thread.run('keysOf', [packed], { timeoutMs: TIMEOUT_MS }));
  if (keys !== undefined) keysByRecord.set(versionKey(record), keys);
  return keys ?? [];
}

/**
 * What Helm's record of a revision holds, read as whoever the cluster is: values are as they are, so mask them. Undefined where there is no such record, and where it cannot
 * be read in time.
 *
 * @throws AppError `Forbidden`.
 */
export async function readRevision(
  cluster: Pick<Cluster, 'get'>,
  { namespace, name }: ReleaseName,
  revision: number,
): Promise<RevisionContent | undefined> {
  if (!NAME.test(name) || !NAME.test(namespace)) return undefined;
  const record = await ifFound(cluster.get({ ...SECRET, namespace, name: recordName(name, revision) }));
  if (record === undefined) return undefined;
  return await askThread(async () => await thread.run('contentIn', [textAt(record, 'data', 'release') ?? ''], { timeoutMs: TIMEOUT_MS }));
}

/** Undefined for a record that cannot be read, or not in time. */
async function askThread<T>(ask: () => Promise<JobOutcome<T>>): Promise<T | undefined> {
  try {
    const outcome = await ask();
    return outcome.kind === 'Result' ? outcome.result : undefined;
  } catch (error) {
    if (isAppError(error, 'InvalidInput')) return undefined;
    throw error;
  }
}

function versionKey({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string {
  return `${uid}/${resourceVersion}`;
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.['version'] ?? 0);
}
