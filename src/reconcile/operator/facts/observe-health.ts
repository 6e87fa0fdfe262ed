import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { DAEMON_SET, DEPLOYMENT, STATEFUL_SET } from '../../../domain/kubernetes/resource-types.ts';
import { healthOf } from '../../../domain/health/rules/health-of.ts';
import { worstHealth, type Health } from '../../../domain/health/health.ts';
import type { KubeObject, ResourceType } from '../../../domain/kubernetes/resource.ts';
import type { OperatorPorts } from '../ports.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';
import type { Work } from '../work.ts';
import type { CrdFact } from './observe-crds.ts';
import { findUnanswering } from './observe-callers.ts';

export const WORKLOADS: readonly ResourceType[] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET];

/** How what an Operator installed is. */
export interface OperatorHealth extends Health {
  /** By default the word. */
  readonly reason?: 'WebhookUnavailable' | 'APIServiceUnavailable';
}

/** How long the server behind a webhook may take to come up, in milliseconds. */
const STARTING_MS = 60_000;

/**
 * The health of the workloads that a release installed, the worst one's sentence first, and of the webhooks and APIServices by which it takes part in
 * requests. Found by Helm's own annotations, in any namespace.
 */
export async function observeHealth({ ports, release, signal }: Work, crds: readonly CrdFact[]): Promise<OperatorHealth> {
  const [found, unanswering] = await Promise.all([
    Promise.all(WORKLOADS.map((type) => workloadsOf(ports.cluster, { type, release }, signal))),
    findUnanswering(ports.cluster, { release, crds }, signal),
  ]);
  const workloads = worstWorkload(found.flat());
  const [first] = unanswering;
  if (first === undefined) return workloads;
  const message = unanswering.map((one) => one.message).join('; ');
  if (workloads.status !== 'Healthy' && workloads.status !== 'Suspended')
    return { ...workloads, message: `${workloads.message}; ${message}` };
  const isStarting = unanswering.every(({ since }) => ports.now().getTime() - since < STARTING_MS);
  return { status: isStarting ? 'Progressing' : 'Degraded', message, reason: first.reason };
}

/** The worst health, naming each workload that is not healthy. */
function worstWorkload(workloads: readonly KubeObject[]): Health {
  const withHealth = workloads.flatMap((object) => {
    const health = healthOf(object);
    return health === undefined ? [] : [{ name: `${object.kind} ${object.metadata.name}`, health }];
  });
  const worst = worstHealth(withHealth.map(({ health }) => health));
  if (worst === undefined) return { status: 'Healthy', message: 'The release has no workloads' };
  const word = worst.status;
  if (word === 'Healthy')
    return { status: word, message: withHealth.length === 1 ? 'Its workload is ready' : `All ${withHealth.length} workloads are ready` };
  const poor = withHealth.filter(({ health }) => health.status !== 'Healthy').map(({ name, health }) => `${name}: ${health.message}`);
  return { status: word, message: poor.join('; ') };
}

interface WorkloadQuery {
  readonly type: ResourceType;
  readonly release: ReleaseRef;
}

async function workloadsOf(
  cluster: OperatorPorts['cluster'],
  { type, release }: WorkloadQuery,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items } = await cluster.listMetadata(type, { labelSelector: 'app.kubernetes.io/managed-by=Helm', signal });
  const own = items.filter(({ metadata: { annotations = {} } }) => {
    return (
      annotations['meta.helm.sh/release-name'] === release.release && annotations['meta.helm.sh/release-namespace'] === release.namespace
    );
  });
  const read = await Promise.all(own.map(({ metadata }) => readWorkload(cluster, { type, metadata }, signal)));
  return read.filter((object) => object !== undefined);
}

async function readWorkload(
  cluster: OperatorPorts['cluster'],
  { type, metadata }: { readonly type: ResourceType; readonly metadata: KubeObject['metadata'] },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { name, namespace } = metadata;
  return await ifFound(cluster.get({ ...type, name, ...(namespace === undefined ? {} : { namespace }) }, { signal }));
}
