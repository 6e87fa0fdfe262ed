import { textAt } from '../core/read.ts';
import type { Candidate } from './check-documents.ts';
import type { KnownType } from '../kubernetes/resource-types.ts';

/** What is applied before all else, stage by stage: as Helm has it, but CRDs and Environments come right after what they need. */
const FIRST: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
  'Environment.chandlery.dev',
  'GitLabDeployment.gitlabdeploymentcontroller.gitlab.com',
  'GitLabMonitoring.gitlabdeploymentcontroller.gitlab.com',
  'NetworkPolicy.networking.k8s.io',
  'ResourceQuota',
  'LimitRange',
  'PodDisruptionBudget.policy',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'StorageClass.storage.k8s.io',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ClusterRole.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'Service',
  'DaemonSet.apps',
  'Pod',
  'ReplicaSet.apps',
  'Deployment.apps',
  'HorizontalPodAutoscaler.autoscaling',
  'StatefulSet.apps',
  'Job.batch',
  'CronJob.batch',
  'IngressClass.networking.k8s.io',
  'Ingress.networking.k8s.io',
];

/** A webhook or an API of our own may need all that comes before to answer. */
const LAST: readonly string[] = [
  'APIService.apiregistration.k8s.io',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
];

/** Candidates in the order in which they are applied. Those of a stage do not need one another. */
export function applyStages(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const stages = Map.groupBy(candidates, ({ type }) => rankOf(type));
  return [...stages].toSorted(([a], [b]) => a - b).map(([, stage]) => stage);
}

/** The place of a kind in the order of application; deletion is the other way round. */
export function rankOf({ group, kind }: Pick<KnownType, 'group' | 'kind'>): number {
  const name = group === '' ? kind : `${kind}.${group}`;
  const [first, last] = [FIRST.indexOf(name), LAST.indexOf(name)];
  if (first >= 0) return first;
  return last >= 0 ? FIRST.length + 1 + last : FIRST.length;
}

/** What has to be there before a document can be tried. */
export type DocumentNeed = 'Namespace' | 'Kind';

/**
 * Tells whether the documents provide what one of them needs, so that its dry run says nothing yet. A CRD among them provides the kind: without one the document would
 * have had a fault before.
 */
export function providedBy(candidates: readonly Candidate[]): (candidate: Candidate, need: DocumentNeed | undefined) => boolean {
  const namespaces = namespacesIn(candidates);
  return ({ object }, need) => need === 'Kind' || (need === 'Namespace' && namespaces.has(object.metadata.namespace ?? ''));
}

/** The namespaces that the documents bring, by themselves or by an Environment. */
function namespacesIn(candidates: readonly Candidate[]): ReadonlySet<string> {
  return new Set(
    candidates.flatMap(({ type, object }) => {
      if (type.kind === 'Namespace' && type.group === '') return [object.metadata.name];
      return type.kind === 'Environment' ? [textAt(object.spec, 'namespace') ?? object.metadata.name] : [];
    }),
  );
}
