import { POD } from '../../domain/kubernetes/resource-types.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster, Discovery, DryRunCluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceType } from '../../domain/kubernetes/resource.ts';
import { asDryRunPod, podOf } from '../../domain/preflight/as-dry-run-pod.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { dryRunPod } from './dry-run-pod.ts';

interface SamplePodsInput {
  readonly type: ResourceType;
  /** Where the instance is to be; the actor has the permission to create or change it there. */
  readonly environment: { readonly name: string; readonly namespace: string };
}

const PATIENCE_MS = 3_000;
const MAX_NAMESPACES = 5;
const MAX_LENGTH = 600;

/** The api-server as the actor: what they may not read tells nothing. */
interface PodReader {
  readonly cluster: Pick<Cluster, 'get' | 'pages'>;
  readonly metadata: Pick<DryRunCluster, 'metadataOf'>;
  readonly discovery: Pick<Discovery, 'find'>;
  readonly signal: AbortSignal;
}

/** Pods of one instance, each as a new one in the namespace that is asked about; one for each thing that makes them. */
interface SamplePods {
  readonly instance: string;
  readonly pods: readonly KubeObject[];
}

const MAX_INSTANCES = 50;
const MAX_PODS = 100;
const MAX_LOOKUPS = 40;
const MAX_CREATORS = 4;
const DEEPEST = 5;

type Lookup = (owner: OwnerReference) => Promise<ObjectMeta | undefined>;

/**
 * What the namespace says to pods as other instances of the kind have: of this environment, else of others that the actor sees. They are read as the
 * actor and tried as the controller, because people may hardly ever create pods, and what lets pods in does not look at who asks. After three seconds
 * nothing is known.
 */
export async function dryRunSamplePods(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { type, environment }: SamplePodsInput,
): Promise<PodEvidence> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const found = await findAnywhere(ports, actor, { type, environment, signal });
    if (found === undefined) return { kind: 'None' };
    const dryRuns = ports.clusters.dryRunAsController(actor);
    const verdicts = await Promise.all(found.pods.map(async (pod) => await dryRunPod(dryRuns, pod, signal)));
    if (verdicts.every(({ kind: word }) => word === 'Forbidden' || word === 'Inconclusive')) return { kind: 'None' };
    const rejections = verdicts.flatMap((verdict) =>
      verdict.kind === 'Rejected' ? [{ subject: verdict.subject, message: verdict.message.slice(0, MAX_LENGTH) }] : [],
    );
    const warnings = verdicts.flatMap((verdict) => (verdict.kind === 'Admitted' ? verdict.warnings : []));
    return { kind: 'Tried', of: found.of, rejections, warnings };
  } catch (error) {
    if (signal.aborted || isAppError(error, 'ClusterUnavailable', 'TooManyRequests')) return { kind: 'None' };
    throw error;
  }
}

async function findAnywhere(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { type, environment, signal }: SamplePodsInput & { readonly signal: AbortSignal },
): Promise<(SamplePods & { readonly of: string }) | undefined> {
  const { clusters, discovery } = ports;
  const reader: PodReader = { cluster: clusters.asActor(actor), metadata: clusters.dryRunAsActor(actor), discovery, signal };
  const to = environment.namespace;
  const here = await findSamplePods(reader, { type, from: to, to });
  if (here !== undefined) return { ...here, of: here.instance };
  const others = (await listEnvironments(ports, actor)).filter(({ namespace }) => namespace !== to).slice(0, MAX_NAMESPACES);
  for (const { name, namespace } of others) {
    const there = await findSamplePods(reader, { type, from: namespace, to });
    if (there !== undefined) return { ...there, of: `${there.instance} in ${name}` };
  }
  return undefined;
}

/**
 * Looks for an instance of a kind that has pods, in one namespace, and follows who owns what from the pods upwards.
 *
 * @returns undefined when there is none, or none that the actor may read.
 */
async function findSamplePods(
  reader: PodReader,
  { type, from, to }: { readonly type: ResourceType; readonly from: string; readonly to: string },
): Promise<SamplePods | undefined> {
  const [instances, pods] = await Promise.all([
    firstPage(reader, type, { namespace: from, size: MAX_INSTANCES }),
    firstPage(reader, POD, { namespace: from, size: MAX_PODS }),
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
    if (makers.size === MAX_CREATORS) break;
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

/** The metadata of an owner, each asked for once, and not without end. */
function lookup({ metadata, discovery, signal }: PodReader, namespace: string): Lookup {
  const known = new Map<string, Promise<ObjectMeta | undefined>>();
  return async (owner) => {
    const { apiVersion, kind, name, uid } = owner;
    if (!known.has(uid) && known.size >= MAX_LOOKUPS) return undefined;
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
    return asDryRunPod(template ?? (await cluster.get({ ...POD, namespace: from, name: pod.name }, { signal })), to);
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
