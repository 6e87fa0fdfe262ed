import { OURS } from '../../domain/kubernetes/names.ts';
import type { ResourceType } from '../../domain/kubernetes/resource.ts';

export const NAMESPACE: ResourceType = { group: '', version: 'v1', resource: 'namespaces' };
export const SERVICE_ACCOUNT: ResourceType = { group: '', version: 'v1', resource: 'serviceaccounts' };
export const SECRET: ResourceType = { group: '', version: 'v1', resource: 'secrets' };
export const RESOURCE_QUOTA: ResourceType = { group: '', version: 'v1', resource: 'resourcequotas' };
export const LIMIT_RANGE: ResourceType = { group: '', version: 'v1', resource: 'limitranges' };
export const ROLE_BINDING: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' };
export const CLUSTER_ROLE: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
export const CLUSTER_ROLE_BINDING: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' };

/** On an Environment: "true" lets it take over a namespace that exists and that no Environment owns. */
export const ADOPT_ANNOTATION = `${OURS.group}/adopt-namespace`;

/** On a namespace: the uid of the Environment that it was reserved for. */
export const ENVIRONMENT_UID_ANNOTATION = `${OURS.group}/environment-uid`;
/** On a namespace: its own uid when it was reserved, so that a label which was copied to another namespace reserves nothing. */
export const NAMESPACE_UID_ANNOTATION = `${OURS.group}/namespace-uid`;

/** The service account that earlier versions made in each environment. */
export const DEPLOYER = 'chandlery-deployer';
