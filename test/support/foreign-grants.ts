import assert from 'node:assert/strict';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { type Condition, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { ENVIRONMENT, EVENT, NAMESPACE, ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import { eventually } from './eventually.ts';

const RBAC = 'rbac.authorization.k8s.io';
const FORMER = 'oidc:grants-former';

/** Asserts that the controller finds what others grant in the namespaces of an Environment whose only member is the group `oidc:grants-members`, and removes it on demand. */
export async function assertForeignGrantsFound(cluster: Cluster, name: string): Promise<void> {
  const dedicated = `${name}-dedicated`;
  const bind = async (binding: string, role: string, group: string, metadata: object = {}): Promise<void> =>
    void (await cluster.create(ROLE_BINDING, {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: binding, namespace: name, ...metadata },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
    }));
  await makeDedicatedNamespace(cluster, dedicated, name);
  await bind('of-a-former-member', 'chandlery-developer', FORMER);
  await bind('elsewhere', 'chandlery-developer', FORMER, { namespace: dedicated });
  // A label shows nothing: no source has it in its inventory.
  await bind('mislabelled', 'chandlery-viewer', FORMER, { labels: { 'chandlery.dev/source': 'envtest' } });
  await bind('of-a-member', 'chandlery-maintainer', 'oidc:grants-members');
  await bind('of-the-cluster', 'view', FORMER);
  const grants = async (): Promise<string> => {
    const { status } = await cluster.get({ ...ENVIRONMENT, name });
    return findCondition([...listAt(status, 'conditions')] as Condition[], 'ForeignGrants')?.message ?? '';
  };
  const reported = [
    `"of-a-former-member" grants chandlery-developer to Group ${FORMER}`,
    `"elsewhere" in namespace ${dedicated} grants chandlery-developer to Group ${FORMER}`,
    `"mislabelled" grants chandlery-viewer to Group ${FORMER}`,
  ];
  await eventually(async () => {
    const message = await grants();
    return reported.every((sentence) => message.includes(sentence));
  }, 'all are reported');
  await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: { foreignGrants: 'Remove' } } });
  for (const [namespace, binding] of [
    [name, 'of-a-former-member'],
    [dedicated, 'elsewhere'],
    [name, 'mislabelled'],
  ] as const) {
    const live = async (): Promise<unknown> => await ifFound(cluster.get({ ...ROLE_BINDING, namespace, name: binding }));
    await eventually(async () => (await live()) === undefined, `${binding} is removed`);
  }
  await eventually(async () => /: "of-a-member" grants/.test(await grants()), 'what a member has is still reported');
  assert.ok(await cluster.get({ ...ROLE_BINDING, namespace: name, name: 'of-the-cluster' }));
  const { items } = await cluster.list(EVENT, { namespace: 'default' });
  assert.ok(items.some((event) => textAt(event, 'involvedObject', 'name') === name && textAt(event, 'reason') === 'ForeignGrants'));
}

/** As the controller of instances makes it. */
async function makeDedicatedNamespace(cluster: Cluster, name: string, environment: string): Promise<void> {
  const labels = {
    'app.kubernetes.io/managed-by': 'chandlery',
    'chandlery.dev/environment': environment,
    'chandlery.dev/instance-uid': environment,
  };
  await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}
