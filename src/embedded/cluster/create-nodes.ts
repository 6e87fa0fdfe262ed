import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, INGRESS_CLASS, LEASE, NODE, STORAGE_CLASS } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';

const NODES = ['node-1', 'node-2'];
const CAPACITY = { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };

/** Puts into a new cluster what it needs to be useful: nodes, default classes for claims and Ingresses, and the permissions of the program that simulates them. */
export async function createNodes(
  cluster: Pick<Cluster, 'apply' | 'applyStatus' | 'delete'>,
  { kubelet, signal }: { readonly kubelet: number; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(NODES.map((name) => releaseNode(cluster, name, signal)));
  const furniture: readonly (readonly [ResourceType, KubeObject])[] = [
    [CLUSTER_ROLE, kwokRole()],
    [CLUSTER_ROLE_BINDING, kwokBinding()],
    [STORAGE_CLASS, storageClass()],
    [INGRESS_CLASS, ingressClass()],
    ...NODES.map((name) => [NODE, node(name)] as const),
  ];
  const options = { fieldManager: 'chandlery-embedded', force: 'force', signal } as const;
  await Promise.all(furniture.map(([type, object]) => cluster.apply(type, object, options)));
  await Promise.all(NODES.map((name) => cluster.applyStatus(NODE, kubeletOf(name, kubelet), options)));
}

/** Where the api-server finds the kubelet of a node. KWOK adds the address. */
function kubeletOf(name: string, port: number): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { daemonEndpoints: { kubeletEndpoint: { Port: port } } } };
}

/** KWOK waits for a node's lease to expire before it takes the node over; the holder of one that is left from an earlier start is gone. */
async function releaseNode(cluster: Pick<Cluster, 'delete'>, name: string, signal: AbortSignal): Promise<void> {
  const lease = { ...LEASE, namespace: 'kube-node-lease', name };
  await ifFound(cluster.delete(lease, { signal }));
}

function node(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': `zone-${name.slice('node-'.length)}`,
        type: 'kwok',
      },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    status: { capacity: CAPACITY, allocatable: CAPACITY },
  };
}

/** The class that KWOK's volume stages look for, by its name. */
function storageClass(): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'kwok-volume', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kwok.x-k8s.io/volume',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  };
}

/** The class of Ingresses that KWOK gives an address, by its name. */
function ingressClass(): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'kwok-ingress', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'kwok.x-k8s.io/ingress' },
  };
}

function kwokRole(): KubeObject {
  const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'chandlery:kwok' },
    rules: [
      { apiGroups: [''], resources: ['nodes', 'services'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update', 'patch'] },
      { apiGroups: [''], resources: ['pods', 'persistentvolumes', 'persistentvolumeclaims'], verbs: all },
      {
        apiGroups: [''],
        resources: ['nodes/status', 'pods/status', 'services/status', 'persistentvolumes/status', 'persistentvolumeclaims/status'],
        verbs: ['update', 'patch'],
      },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'update', 'patch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: all },
    ],
  };
}

function kwokBinding(): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'chandlery:kwok' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery:kwok' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'chandlery:kwok' }],
  };
}
