import type { ResourceAttributes } from './cluster.ts';
import { OURS } from './names.ts';
import { parseApiVersion, type ResourceType } from './resource.ts';

/** A resource that the code knows by name. */
export interface KnownType extends ResourceType {
  readonly kind: string;
  readonly namespaced: boolean;
}

const CORE = 'v1';
const APPS = 'apps/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const OPERATORS = `${OURS.operatorGroup}/${OURS.operatorVersion}`;
const CHANDLERY = `${OURS.group}/${OURS.version}`;
const GITLAB = 'gitlabdeploymentcontroller.gitlab.com/v1';
const KUBEPLUS = 'workflows.kubeplus/v1alpha1';

/** The one table of resource types: apiVersion, plural, kind, scope. */
export const OPERATOR = known(OPERATORS, 'operators', 'Operator', 'Namespaced');
export const ENVIRONMENT = known(CHANDLERY, 'environments', 'Environment', 'Cluster');
export const GITLAB_DEPLOYMENT = known(GITLAB, 'gitlabdeployments', 'GitLabDeployment', 'Cluster');
export const GITLAB_MONITORING = known(GITLAB, 'gitlabmonitorings', 'GitLabMonitoring', 'Cluster');
export const RESOURCE_COMPOSITION = known(KUBEPLUS, 'resourcecompositions', 'ResourceComposition', 'Namespaced');
export const CATALOG_SOURCE = known(CHANDLERY, 'catalogsources', 'CatalogSource', 'Cluster');
export const CATALOG_RELEASE = known(CHANDLERY, 'catalogreleases', 'CatalogRelease', 'Cluster');
export const APP_DEFINITION = known(CHANDLERY, 'appdefinitions', 'AppDefinition', 'Cluster');
export const APP_REVISION = known(CHANDLERY, 'apprevisions', 'AppRevision', 'Cluster');
export const CHART_ARCHIVE = known(CHANDLERY, 'chartarchives', 'ChartArchive', 'Cluster');
export const CHANGE_REQUEST = known(CHANDLERY, 'changerequests', 'ChangeRequest', 'Namespaced');
export const SAVED_CONFIGURATION = known(CHANDLERY, 'savedconfigurations', 'SavedConfiguration', 'Namespaced');

export const NAMESPACE = known(CORE, 'namespaces', 'Namespace', 'Cluster');
export const NODE = known(CORE, 'nodes', 'Node', 'Cluster');
export const POD = known(CORE, 'pods', 'Pod', 'Namespaced');
export const SECRET = known(CORE, 'secrets', 'Secret', 'Namespaced');
export const CONFIG_MAP = known(CORE, 'configmaps', 'ConfigMap', 'Namespaced');
export const SERVICE = known(CORE, 'services', 'Service', 'Namespaced');
export const SERVICE_ACCOUNT = known(CORE, 'serviceaccounts', 'ServiceAccount', 'Namespaced');
export const EVENT = known(CORE, 'events', 'Event', 'Namespaced');
export const RESOURCE_QUOTA = known(CORE, 'resourcequotas', 'ResourceQuota', 'Namespaced');
export const LIMIT_RANGE = known(CORE, 'limitranges', 'LimitRange', 'Namespaced');
export const PERSISTENT_VOLUME = known(CORE, 'persistentvolumes', 'PersistentVolume', 'Cluster');
export const PERSISTENT_VOLUME_CLAIM = known(CORE, 'persistentvolumeclaims', 'PersistentVolumeClaim', 'Namespaced');

export const DEPLOYMENT = known(APPS, 'deployments', 'Deployment', 'Namespaced');
export const REPLICA_SET = known(APPS, 'replicasets', 'ReplicaSet', 'Namespaced');
export const STATEFUL_SET = known(APPS, 'statefulsets', 'StatefulSet', 'Namespaced');
export const DAEMON_SET = known(APPS, 'daemonsets', 'DaemonSet', 'Namespaced');
export const JOB = known('batch/v1', 'jobs', 'Job', 'Namespaced');
export const CRON_JOB = known('batch/v1', 'cronjobs', 'CronJob', 'Namespaced');
export const POD_DISRUPTION_BUDGET = known('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget', 'Namespaced');
export const HORIZONTAL_POD_AUTOSCALER = known('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'Namespaced');
export const ENDPOINT_SLICE = known('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', 'Namespaced');
export const LEASE = known('coordination.k8s.io/v1', 'leases', 'Lease', 'Namespaced');

export const INGRESS = known('networking.k8s.io/v1', 'ingresses', 'Ingress', 'Namespaced');
export const NETWORK_POLICY = known('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', 'Namespaced');
export const STORAGE_CLASS = known('storage.k8s.io/v1', 'storageclasses', 'StorageClass', 'Cluster');
export const PRIORITY_CLASS = known('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', 'Cluster');
export const INGRESS_CLASS = known('networking.k8s.io/v1', 'ingressclasses', 'IngressClass', 'Cluster');
export const RUNTIME_CLASS = known('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass', 'Cluster');

export const ROLE = known(RBAC, 'roles', 'Role', 'Namespaced');
export const ROLE_BINDING = known(RBAC, 'rolebindings', 'RoleBinding', 'Namespaced');
export const CLUSTER_ROLE = known(RBAC, 'clusterroles', 'ClusterRole', 'Cluster');
export const CLUSTER_ROLE_BINDING = known(RBAC, 'clusterrolebindings', 'ClusterRoleBinding', 'Cluster');

export const CRD = known('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', 'Cluster');
export const API_SERVICE = known('apiregistration.k8s.io/v1', 'apiservices', 'APIService', 'Cluster');
export const VALIDATING_WEBHOOK_CONFIGURATION = known(
  ADMISSION,
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  'Cluster',
);
export const MUTATING_WEBHOOK_CONFIGURATION = known(ADMISSION, 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'Cluster');
export const ADMISSION_POLICY = known(ADMISSION, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', 'Cluster');
export const ADMISSION_POLICY_BINDING = known(
  ADMISSION,
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  'Cluster',
);

export const ISSUER = known('cert-manager.io/v1', 'issuers', 'Issuer', 'Namespaced');
export const CLUSTER_ISSUER = known('cert-manager.io/v1', 'clusterissuers', 'ClusterIssuer', 'Cluster');

/** What GitOps tools read their repositories by. */
export const ARGO_APPLICATION = known('argoproj.io/v1alpha1', 'applications', 'Application', 'Namespaced');
export const FLUX_KUSTOMIZATION = known('kustomize.toolkit.fluxcd.io/v1', 'kustomizations', 'Kustomization', 'Namespaced');
export const FLUX_HELM_RELEASE = known('helm.toolkit.fluxcd.io/v2', 'helmreleases', 'HelmRelease', 'Namespaced');
export const FLUX_GIT_REPOSITORY = known('source.toolkit.fluxcd.io/v1', 'gitrepositories', 'GitRepository', 'Namespaced');

/** Answered by the api-server and stored nowhere. */
export const SELF_SUBJECT_ACCESS_REVIEW = known(
  'authorization.k8s.io/v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  'Cluster',
);
export const SELF_SUBJECT_RULES_REVIEW = known('authorization.k8s.io/v1', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', 'Cluster');
export const SUBJECT_ACCESS_REVIEW = known('authorization.k8s.io/v1', 'subjectaccessreviews', 'SubjectAccessReview', 'Cluster');
export const TOKEN_REVIEW = known('authentication.k8s.io/v1', 'tokenreviews', 'TokenReview', 'Cluster');
export const SELF_SUBJECT_REVIEW = known('authentication.k8s.io/v1', 'selfsubjectreviews', 'SelfSubjectReview', 'Cluster');

/** What a verb on all objects of a type needs. */
export function permissionTo(verb: string, { group, resource }: KnownType): Pick<ResourceAttributes, 'verb' | 'group' | 'resource'> {
  return { verb, group, resource };
}

function known(apiVersion: string, resource: string, kind: string, scope: 'Namespaced' | 'Cluster'): KnownType {
  const { group, version } = parseApiVersion(apiVersion);
  return { group, version, resource, kind, namespaced: scope === 'Namespaced' };
}

/** The API groups with a dot that Kubernetes itself serves; a CustomResourceDefinition cannot have one without. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether Kubernetes itself serves the group. A CRD can carry the name of one of its resources, such as rolebindings.rbac.authorization.k8s.io. */
export function isBuiltInGroup(group: string): boolean {
  return BUILT_IN.has(group);
}

/** Whether a group belongs to the Kubernetes project, also where a CRD brings it: `gateway.networking.k8s.io`. Those of `x-k8s.io` are its separate projects. */
export function isKubernetesGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}
