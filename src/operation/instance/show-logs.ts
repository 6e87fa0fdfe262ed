import pMap from 'p-map';
import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { booleanAt, listAt, textAt } from '../../domain/core/read.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { redact } from '../../domain/core/secret.ts';
import { type LogLine, type LogPod, logPodOf, mergeLogs, readLogLines } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { nodesOf, type TreeNode } from '../../domain/tree/tree.ts';
import { CRON_JOB, DEPLOYMENT, JOB, POD, REPLICA_SET } from '../../domain/kubernetes/resource-types.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import { markedOf, secretsOf } from './instance-masking.ts';
import { groupOf, type TreePorts } from './show-tree.ts';
import type { Ports } from '../ports.ts';
import { findResource, type FoundResource, type ResourceAddress } from '../resource/find-resource.ts';

/** Which lines of which containers. */
export interface LogQuery {
  /** Empty: every pod, at most `MAX_PODS`. */
  readonly pod: string;
  /** Empty: every container that is no init container. */
  readonly container: string;
  /** The run before the last restart. */
  readonly previous: boolean;
  /** Lines at most, the last ones; 1 to `MAX_LINES`. */
  readonly lines: number;
  /** What a line must contain, in any letter case; empty for all lines. */
  readonly search: string;
}

/** A query, with the pods when the caller has read them just now. */
export interface LogsInput extends InstanceAddress, LogQuery {
  readonly pods?: readonly LogPod[];
}

/** The logs of pods as far as the actor may read them. */
export interface LogView {
  readonly namespace: string;
  /** All pods, by name. */
  readonly pods: readonly LogPod[];
  /** The oldest first. */
  readonly lines: readonly LogLine[];
  /** Containers whose log cannot be read now, and why. */
  readonly notices: readonly { readonly pod: string; readonly container: string; readonly message: string }[];
  /** Pods that are not read, because there are too many. */
  readonly more: number;
}

export const MAX_LINES = 2_000;
const MAX_PODS = 10;
/** Bytes of a container that are asked for, so that the last lines are among them. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Characters of all containers together that are looked at. */
const MAX_TEXT_LENGTH = 1024 * 1024;
/** Lines that are redacted in one turn of the event loop. */
const LINES_A_TURN = 200;

/**
 * The last lines that the pods of an Instance have written, read as the actor.
 *
 * @throws AppError as `findInstance`; `NotFound` for a pod or container that the Instance does not have; `Forbidden` without the permission to get `pods/log`.
 */
export async function showLogs(ports: TreePorts, actor: Actor, { pods: known, ...input }: LogsInput): Promise<LogView> {
  const found = await findInstance(ports, actor, input);
  const { entry, object } = found;
  const namespace = releaseNamespaceOf(object);
  const cluster = ports.clusters.asActor(actor);
  const pods = known ?? (await podsBelow(cluster, namespace, async () => (await groupOf(ports, actor, found)).tree.root));
  return await readLogs(cluster, { namespace, pods, query: input, secrets: secretsOf(markedOf(entry), object) });
}

/** The pods of a namespace that are in a resource tree. */
export async function podsBelow(cluster: Pick<Cluster, 'list'>, namespace: string, root: () => Promise<TreeNode>): Promise<LogPod[]> {
  const [tree, { items }] = await Promise.all([root(), cluster.list(POD, { namespace })]);
  const uids = new Set(nodesOf(tree).map(({ uid }) => uid));
  return items.filter(({ metadata }) => uids.has(metadata.uid ?? '')).map(logPodOf);
}

/** Pods, what is asked of their logs, and the texts that are masked in them. */
export interface LogReading {
  readonly namespace: string;
  readonly pods: readonly LogPod[];
  readonly query: LogQuery;
  readonly secrets: readonly string[];
}

/**
 * The last lines that pods have written.
 *
 * @throws AppError `NotFound` for a pod or container that is not among them; `Forbidden` without the permission to get `pods/log`.
 */
export async function readLogs(cluster: Pick<Cluster, 'logs'>, { namespace, pods, query, secrets }: LogReading): Promise<LogView> {
  const targets = targetsOf(pods, query);
  const shown = targets.slice(0, MAX_PODS).flatMap(({ name, containers }) => containers.map((container) => ({ pod: name, container })));
  const { previous, lines } = query;
  const read = { namespace, previous, lines, share: Math.floor(MAX_TEXT_LENGTH / Math.max(1, shown.length)) };
  const logs = await pMap(shown, async (target) => await readLog(cluster, { ...read, ...target }), { concurrency: 4 });
  return {
    namespace,
    pods,
    lines: await linesOf(mergeLogs(logs.map((log) => log.lines)), query, secrets),
    notices: logs.flatMap(({ notice }, index) => {
      const target = shown[index];
      return notice === undefined || target === undefined ? [] : [{ ...target, message: redact(notice, secrets) }];
    }),
    more: Math.max(0, targets.length - MAX_PODS),
  };
}

interface Target {
  readonly name: string;
  readonly containers: readonly string[];
}

function targetsOf(pods: readonly LogPod[], { pod, container }: LogQuery): Target[] {
  const chosen = pod === '' ? pods : pods.filter(({ name }) => name === pod);
  if (chosen.length === 0 && pod !== '') throw new AppError('NotFound', `pod ${JSON.stringify(pod)}: there is no such pod here`);
  const targets = chosen.map(({ name, containers }) => ({
    name,
    containers: containers.filter((one) => (container === '' ? !one.isInit : one.name === container)).map((one) => one.name),
  }));
  const found = targets.filter(({ containers }) => containers.length > 0);
  if (found.length === 0 && container !== '' && chosen.length > 0) {
    throw new AppError('NotFound', `container ${JSON.stringify(container)}: no pod here has it`);
  }
  return found;
}

/** Redacted before the search, which could otherwise find out a secret letter by letter. */
async function linesOf(all: readonly LogLine[], { search, lines: most }: LogQuery, secrets: readonly string[]): Promise<LogLine[]> {
  const word = search.toLowerCase();
  const rest = word === '' ? all.slice(-most) : all;
  const found: LogLine[] = [];
  for (let start = 0; start < rest.length; start += LINES_A_TURN) {
    await yieldToEventLoop();
    for (const line of rest.slice(start, start + LINES_A_TURN)) {
      const text = redact(line.text, secrets);
      if (text.toLowerCase().includes(word)) found.push({ ...line, text });
    }
  }
  return found.slice(-most);
}

interface Reading {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly lines: number;
  /** Characters from the end that are looked at. */
  readonly share: number;
}

interface ReadLog {
  readonly lines: readonly LogLine[];
  readonly notice?: string;
}

/** A container that has not started is no reason to hide the others. */
async function readLog(cluster: Pick<Cluster, 'logs'>, { namespace, pod, container, previous, lines, share }: Reading): Promise<ReadLog> {
  try {
    const options = { container, tailLines: lines, limitBytes: MAX_LOG_BYTES, ...(previous ? { previous } : {}) };
    const text = await cluster.logs({ ...POD, namespace, name: pod }, options);
    const end = text.length <= share ? text : text.slice(text.indexOf('\n', text.length - share) + 1);
    return { lines: readLogLines(end, { pod, container }) };
  } catch (error) {
    if (!isAppError(error) || error.code === 'Forbidden') throw error;
    return { lines: [], notice: error.message.replace(/^[^:]*: /, '') };
  }
}

/** A query, with the pods when the caller has read them just now. */
export interface ResourceLogsInput extends ResourceAddress, LogQuery {
  readonly pods?: readonly LogPod[];
}

type LogPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery'>;

/**
 * The last lines of a pod, or of the pods of a workload, read as the actor. Sensitive values of the resource and of everything above it are masked.
 *
 * @throws AppError as `findResource` and `readLogs`.
 */
export async function showResourceLogs(ports: LogPorts, actor: Actor, { pods: known, ...input }: ResourceLogsInput): Promise<LogView> {
  const found = await findResource(ports, actor, input);
  const cluster = ports.clusters.asActor(actor);
  const [pods, secrets] = await Promise.all([known ?? podsOf(cluster, found), secretsAbove(ports, actor, { ...found, steps: 0 })]);
  return await readLogs(cluster, { namespace: found.ref.namespace, pods, query: input, secrets });
}

/** What stands between a workload and its pods. */
const BETWEEN: Readonly<Record<string, ResourceType>> = { [resourceKey(DEPLOYMENT)]: REPLICA_SET, [resourceKey(CRON_JOB)]: JOB };

async function podsOf(cluster: Pick<Cluster, 'list' | 'listMetadata'>, { kind, object, ref }: FoundResource): Promise<LogPod[]> {
  if (resourceKey(kind) === resourceKey(POD)) return [logPodOf(object)];
  const { namespace } = ref;
  const between = BETWEEN[resourceKey(kind)];
  const [pods, middle] = await Promise.all([
    cluster.list(POD, { namespace }),
    between === undefined ? { items: [] } : cluster.listMetadata(between, { namespace }),
  ]);
  const own = object.metadata.uid ?? '';
  const uids = new Set([own, ...middle.items.filter((one) => ownersOf(one).includes(own)).map(({ metadata }) => metadata.uid ?? '')]);
  return pods.items.filter((pod) => ownersOf(pod).some((uid) => uids.has(uid))).map(logPodOf);
}

function ownersOf({ metadata }: KubeObject): string[] {
  return listAt(metadata, 'ownerReferences').flatMap((owner) => textAt(owner, 'uid') ?? []);
}

/** A pod, a ReplicaSet, a Deployment, an instance, and the instance that it belongs to. */
const MAX_STEPS = 6;

/** What a pod writes may repeat what its workload, or the instance above that, has been given. */
async function secretsAbove(
  ports: LogPorts,
  actor: Actor,
  { steps, ...found }: FoundResource & { readonly steps: number },
): Promise<readonly string[]> {
  const { object, marked, environment, dedicatedTo } = found;
  const own = [...new Set([...secretsOf(marked, object), ...found.secrets])];
  const owners = listAt(object.metadata, 'ownerReferences');
  const owner = owners.find((one) => booleanAt(one, 'controller') === true) ?? owners[0];
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => textAt(owner, key));
  if (apiVersion === undefined || kind === undefined || name === undefined || steps === MAX_STEPS) return own;
  const served = await ports.discovery.find(apiVersion, kind);
  if (served === undefined || !served.namespaced) return own;
  try {
    const place = { environment: environment.name, ...(dedicatedTo === undefined ? {} : { dedicatedTo }) };
    const above = await findResource(ports, actor, { ...place, resource: resourceKey(served), name });
    return [...new Set([...own, ...(await secretsAbove(ports, actor, { ...above, steps: steps + 1 }))])];
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden')) return own;
    throw error;
  }
}
