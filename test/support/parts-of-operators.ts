import assert from 'node:assert/strict';
import { LEASE, ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';

const GROUP = 'envtest.example.com';

/** Where the operator of the kind Shop runs. */
export const SHOP_OPERATOR = { namespace: 'envtest-operators', kinds: { [GROUP]: ['Shop'] } };

/**
 * Where Leases are not allowed, only an account of the operator that brings the kind of the owner creates one as a part, and it stays a part.
 *
 * @param namespace of an Environment in which the account `member` of the operator's namespace is a member.
 */
export async function assertPartsOfOperatorsAlone(kube: Kube, namespace: string): Promise<void> {
  await kube.asController().create(ROLE_BINDING, allPermissions(namespace));
  const account = (of: string, name: string) => kube.asServiceAccount({ namespace: of, name });
  const operator = account(SHOP_OPERATOR.namespace, 'operator');
  const others = [account(namespace, 'ci'), account('elsewhere', 'ci'), account(SHOP_OPERATOR.namespace, 'member'), kube.asController()];
  const owner = { apiVersion: `${GROUP}/v1`, kind: 'Shop', name: 'shop', uid: 'a', controller: true };
  const create = async (by: typeof operator, ownerReferences: readonly object[]): Promise<unknown> => {
    const metadata = { name: 'part', namespace, ownerReferences };
    return await by.create(LEASE, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata } as KubeObject);
  };
  for (const other of others) await assert.rejects(create(other, [owner]), { code: 'AdmissionDenied' });
  for (const owners of [[], [{ ...owner, controller: false }], [{ ...owner, apiVersion: 'v1', kind: 'ConfigMap' }]]) {
    await assert.rejects(create(operator, owners), { code: 'AdmissionDenied' });
  }
  await create(operator, [owner]);
  const change = async (by: typeof operator, metadata: object): Promise<unknown> =>
    await by.patch({ ...LEASE, namespace, name: 'part' }, { type: 'merge', body: { metadata: { ...metadata } } });
  for (const by of [...others, operator]) {
    for (const ownerReferences of [null, [{ ...owner, controller: false }]]) {
      await assert.rejects(change(by, { ownerReferences }), /keep the owner reference with controller: true/);
    }
  }
  await change(kube.asController(), { labels: { team: 'shop' } });
}

/** For all service accounts, so that the policy alone rejects. */
function allPermissions(namespace: string): KubeObject {
  const apiGroup = ROLE_BINDING.group;
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'all-permissions', namespace },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name: 'system:serviceaccounts' }],
  };
}
