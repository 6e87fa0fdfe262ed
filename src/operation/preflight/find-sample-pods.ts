import type { Cluster, Discovery, DryRunCluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { asDryRunPod } from '../../domain/preflight/as-dry-run-pod.ts';
import { podOf } from '../../domain/preflight/pod-of.ts';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '../../domain/kubernetes/resource.ts';
import { PODS } from './dry-run-pod.ts';

/** The api-server as the actor: what they may not read tells nothing. */
export interface PodReader {
  readonly cluster: Pick<Cluster, 'get' | 'pages'>;
  readonly metadata: Pick<DryRunCluster, 'metadataOf'>;
  readonly discovery: Pick<Discovery, 'find'>;
  readonly signal: AbortSignal;
}

/** Pods of one instance, each as a new one in the namespace that is asked about; one for each thing that makes them. */
export interface SamplePods {
  readonly instance: string;
  readonly pods: readonly KubeObject[];
}

const MOST_INSTANCES = 50;
const MOST_PODS = 100;
const MOST_LOOKUPS = 40;
const MOST_MAKERS = 4;
const DEEPEST = 5;

/**
 * Looks for an instance of a kind that has pods, in one namespace, and follows who owns what from the pods upwards.
 *
 * @returns undefined when there is none, or none that the actor may read.
 */
export async function findSamplePods(
  reader: PodReader,
  { type, from, to }: { readonly type: ResourceType; readonly from: string; readonly to: string },
): Promise<SamplePods | undefined> {
  const [instances, pods] = await Promise.all([
    firstPage(reader, type, { namespace: from, size: MOST_INSTANCES }),
    firstPage(reader, PODS, { namespace: from, size: MOST_PODS }),
  ]);
  const names = new Map(instances.flatMap(({ metadata: { uid, name } }) => (uid === undefined ? [] : [[uid, name] as const])));
  if (names.size === 0) return undefined;
  const look = lookup(reader, from);
  const makers = new Map<string, { readonly instance: string; readonly pod: ObjectMeta; readonly maker: OwnerReference }>();
  for (const { metadata } of pods) {
    const maker = metadata.ownerReferences?.[0];
    if (maker === undefined || makers.has(maker.uid)) continue;
    const instance = await instanceAbove(maker, names, look);
    const first = makers.values().next().value?.instance;
    if (instance !== undefined && (first ?? instance) === instance) makers.set(maker.uid, { instance, pod: metadata, maker });
    if (makers.size === MOST_MAKERS) break;
  }
  const found = [...makers.values()];
  const [first] = found;
  if (first === undefined) return undefined;
  const made = await Promise.all(found.map(async ({ pod, maker }) => await podFor(reader, { pod, maker, from, to })));
  const likely = made.filter((pod) => pod !== undefined);
  return likely.length === 0 ? undefined : { instance: first.instance, pods: likely };
}

async function firstPage(
  { cluster, signal }: PodReader,
  type: ResourceType,
  { namespace, size }: { readonly namespace: string; readonly size: number },
): Promise<readonly KubeObject[]> {
  return (
    (await readable(async () => {
      for await (const { items } of cluster.pages(type, { namespace, size, content: 'metadata', signal })) return items;
      return [];
    })) ?? []
  );
}

type Lookup = (owner: OwnerReference) => Promise<ObjectMeta | undefined>;

/** The metadata of an owner, each asked for once, and not without end. */
function lookup({ metadata, discovery, signal }: PodReader, namespace: string): Lookup {
  const known = new Map<string, Promise<ObjectMeta | undefined>>();
  return async (owner) => {
    const { apiVersion, kind, name, uid } = owner;
    if (!known.has(uid) && known.size >= MOST_LOOKUPS) return undefined;
    const asked =
      known.get(uid) ??
      readable(async () => {
        const served = await discovery.find(apiVersion, kind, signal);
        if (served === undefined) return undefined;
        return await metadata.metadataOf({ ...served, name, ...(served.namespaced ? { namespace } : {}) }, { signal });
      });
    known.set(uid, asked);
    return await asked;
  };
}

async function instanceAbove(maker: OwnerReference, names: ReadonlyMap<string, string>, look: Lookup): Promise<string | undefined> {
  let owner: OwnerReference | undefined = maker;
  for (let depth = 0; owner !== undefined && depth < DEEPEST; depth += 1) {
    const instance = names.get(owner.uid);
    if (instance !== undefined) return instance;
    owner = (await look(owner))?.ownerReferences?.[0];
  }
  return undefined;
}

/** The template says best what is going to be made; a pod without one is taken as it runs. */
async function podFor(
  { cluster, discovery, signal }: PodReader,
  { pod, maker, from, to }: { readonly pod: ObjectMeta; readonly maker: OwnerReference; readonly from: string; readonly to: string },
): Promise<KubeObject | undefined> {
  return await readable(async () => {
    const kind = await discovery.find(maker.apiVersion, maker.kind, signal);
    const owner = kind === undefined ? undefined : await cluster.get({ ...kind, namespace: from, name: maker.name }, { signal });
    const template = owner === undefined ? undefined : podOf(owner, from);
    return asDryRunPod(template ?? (await cluster.get({ ...PODS, namespace: from, name: pod.name }, { signal })), to);
  });
}

async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error, 'Forbidden', 'NotFound')) return undefined;
    throw error;
  }
}
