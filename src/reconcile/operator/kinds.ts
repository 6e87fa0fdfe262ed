import type { ResourceType } from '../../domain/kubernetes/resource.ts';

export const CRD: ResourceType = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
export const CLUSTER_ROLE: ResourceType = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
export const SECRET: ResourceType = { group: '', version: 'v1', resource: 'secrets' };
export const CONFIG_MAP: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
export const NAMESPACE: ResourceType = { group: '', version: 'v1', resource: 'namespaces' };

/** Annotation on a CRD: where it came from (see `CrdOrigin`). */
export const ORIGIN_ANNOTATION = 'chandlery.dev/origin';
/** Label on a release record: the digest over what the revision was made of. */
export const CONFIG_DIGEST_LABEL = 'chandlery.dev/config-digest';
