import { findObject } from '../../find-object.ts';
import { healthOf } from '../../../domain/health/rules/health-of.ts';
import { worstHealth, type Health } from '../../../domain/health/health.ts';
import type { KubeObject, ResourceType } from '../../../domain/kubernetes/resource.ts';
import type { OperatorPorts, ReleaseRef } from '../ports.ts';

export const WORKLOADS: readonly ResourceType[] = ['deployments', 'statefulsets', 'daemonsets'].map((resource) => ({
  group: 'apps',
  version: 'v1',
  resource,
}));

/** The health of the workloads that a release installed, the worst one's sentence first. Found by Helm's own annotations, in any namespace. */
export async function observeHealth(cluster: OperatorPorts['cluster'], release: ReleaseRef, signal: AbortSignal): Promise<Health> {
  const found = await Promise.all(WORKLOADS.map((type) => workloadsOf(cluster, { type, release }, signal)));
  return judgeWorkloads(found.flat());
}

/** The worst health, naming each workload that is not healthy. */
function judgeWorkloads(workloads: readonly KubeObject[]): Health {
  const judged = workloads.flatMap((object) => {
    const health = healthOf(object);
    return health === undefined ? [] : [{ name: `${object.kind} ${object.metadata.name}`, health }];
  });
  const worst = worstHealth(judged.map(({ health }) => health));
  if (worst === undefined) return { word: 'Healthy', message: 'The release has no workloads' };
  const word = worst.word;
  if (word === 'Healthy')
    return { word, message: judged.length === 1 ? 'Its workload is ready' : `All ${judged.length} workloads are ready` };
  const poor = judged.filter(({ health }) => health.word !== 'Healthy').map(({ name, health }) => `${name}: ${health.message}`);
  return { word, message: poor.join('; ') };
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
  return await findObject(cluster, { ...type, name, ...(namespace === undefined ? {} : { namespace }) }, signal);
}
