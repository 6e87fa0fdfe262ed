import { isAppError } from '../../domain/core/errors.ts';
import { booleanAt, listAt, textAt } from '../../domain/core/read.ts';
import { logPodOf, type LogPod } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { CRON_JOB, DEPLOYMENT, JOB, POD, REPLICA_SET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { secretsOf } from '../instance/instance-masking.ts';
import { readLogs, type LogQuery, type LogView } from '../instance/show-logs.ts';
import type { Ports } from '../ports.ts';
import { findResource, type FoundResource, type ResourceAddress } from './find-resource.ts';

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
const MOST_STEPS = 6;

/** What a pod writes may repeat what its workload, or the instance above that, has been given. */
async function secretsAbove(
  ports: LogPorts,
  actor: Actor,
  { steps, ...found }: FoundResource & { readonly steps: number },
): Promise<readonly string[]> {
  const { object, marked, environment } = found;
  const own = secretsOf(marked, object);
  const owners = listAt(object.metadata, 'ownerReferences');
  const owner = owners.find((one) => booleanAt(one, 'controller') === true) ?? owners[0];
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => textAt(owner, key));
  if (apiVersion === undefined || kind === undefined || name === undefined || steps === MOST_STEPS) return own;
  const served = await ports.discovery.find(apiVersion, kind);
  if (served === undefined || !served.namespaced) return own;
  try {
    const above = await findResource(ports, actor, { environment: environment.name, resource: resourceKey(served), name });
    return [...new Set([...own, ...(await secretsAbove(ports, actor, { ...above, steps: steps + 1 }))])];
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden')) return own;
    throw error;
  }
}
