import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  LEASE,
  LIMIT_RANGE,
  NAMESPACE,
  NETWORK_POLICY,
  RESOURCE_QUOTA,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';

/** What a full Environment consists of, beside its namespace, and what of it counts. */
export function generatedIn(cluster: Pick<Cluster, 'get'>, namespace: string) {
  const named = (type: ResourceType, name: string): ResourceRef => ({ ...type, namespace, name });
  const visible = `chandlery-environment-${namespace}`;
  const refs: readonly ResourceRef[] = [
    ...['chandlery-viewer', 'chandlery-developer', 'chandlery-maintainer', 'chandlery-tokens-robot'].map((name) =>
      named(ROLE_BINDING, name),
    ),
    named(ROLE, 'chandlery-tokens-robot'),
    named(SERVICE_ACCOUNT, 'robot'),
    ...[RESOURCE_QUOTA, LIMIT_RANGE, NETWORK_POLICY].map((type) => named(type, 'chandlery')),
    { ...NAMESPACE, name: namespace },
    { ...CLUSTER_ROLE, name: visible },
    { ...CLUSTER_ROLE_BINDING, name: visible },
  ];
  const seen = async (): Promise<unknown[]> => {
    const objects = await Promise.all(refs.map(async (ref) => await cluster.get(ref)));
    return objects.map(({ metadata, ...rest }) => ({ ...rest, labels: metadata.labels, marks: marksOf(metadata), status: undefined }));
  };
  return { refs, seen };
}

function marksOf({ annotations = {} }: KubeObject['metadata']): unknown {
  return [annotations['linkerd.io/inject'], annotations['chandlery.dev/service-accounts']];
}

export const HAND_CHANGES: Readonly<Record<string, Record<string, unknown>>> = {
  roles: { rules: [] },
  resourcequotas: { spec: { hard: { pods: '100' } } },
  limitranges: { spec: { limits: [] } },
  networkpolicies: { spec: { ingress: [{}], podSelector: { matchLabels: { a: 'b' } } } },
  namespaces: {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' }, annotations: { 'linkerd.io/inject': 'disabled' } },
  },
  clusterroles: { rules: [] },
  clusterrolebindings: { subjects: [] },
};
export const WITHOUT_ALL = {
  groups: null,
  projects: null,
  serviceAccounts: null,
  quota: null,
  limitRange: null,
  networkPolicy: null,
  mesh: null,
};
export const KEPT: readonly string[] = ['namespaces', 'clusterroles', 'clusterrolebindings'];

/** A kind of Kubernetes itself stands for an App: it is there without an Operator. */
export const LEASES = { id: 'leases.coordination.k8s.io', group: LEASE.group, plural: LEASE.resource, category: '' };

export const PEER_AUTHENTICATIONS: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'peerauthentications.security.istio.io' },
  spec: {
    group: 'security.istio.io',
    scope: 'Namespaced',
    names: { kind: 'PeerAuthentication', plural: 'peerauthentications' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
        },
      },
    ],
  },
};
