import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';

const GROUP = 'rbac.authorization.k8s.io';

interface Clerk {
  /** Of the roles and bindings that are made. */
  readonly name: string;
  readonly environment: string;
  readonly groups: readonly string[];
}

/** Lets groups have instances in an Environment and read what limits them, but no Secrets. */
export async function admitClerk(cluster: Cluster, { name, environment, groups }: Clerk): Promise<void> {
  const sees = `${name}-sees`;
  const reads = { apiGroups: [''], resources: ['configmaps', 'resourcequotas', 'limitranges', 'namespaces'], verbs: ['get', 'list'] };
  const rules = [reads, { apiGroups: ['apps.chandlery.dev'], resources: ['*'], verbs: ['*'] }];
  const itself = { apiGroups: ['chandlery.dev'], resources: ['environments'], resourceNames: [environment], verbs: ['get'] };
  const object = (kind: string, metadata: { readonly name: string; readonly namespace?: string }, more: object) => ({
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata,
    ...more,
  });
  const subjects = groups.map((group) => ({ kind: 'Group', apiGroup: GROUP, name: group }));
  const bind = (role: string): object => ({ subjects, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role } });
  await cluster.create(CLUSTER_ROLE, object('ClusterRole', { name }, { rules }));
  await cluster.create(CLUSTER_ROLE, object('ClusterRole', { name: sees }, { rules: [itself] }));
  await cluster.create(ROLE_BINDING, object('RoleBinding', { name, namespace: environment }, bind(name)));
  await cluster.create(CLUSTER_ROLE_BINDING, object('ClusterRoleBinding', { name }, bind(sees)));
}
