import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { adminBindings, adminSubjects } from '../../../src/reconcile/admin-access/admin-bindings.ts';
import { type AdminAccessPorts, createAdminAccessReconciler } from '../../../src/reconcile/admin-access/reconcile-admin-access.ts';

const GROUP = { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'oidc:platform' };
const binding = (role: string, subjects: readonly unknown[]): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: role },
  roleRef: { kind: 'ClusterRole', name: role },
  subjects,
});
const operator = (spec: object = {}): KubeObject => ({
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { namespace: 'ops', name: 'cache' },
  spec: { chartURL: 'file://charts/x.tgz', targetNamespace: 'cache-system', ...spec },
});
const places = (bindings: readonly KubeObject[]): string[] =>
  bindings.map(({ metadata, ...rest }) => `${metadata.namespace ?? ''} ${(rest['roleRef'] as { name: string }).name}`);
const nowhere = (): boolean => false;

describe('what admins may read of an Operator at work', () => {
  it('is given to anybody who is an admin, each once, and to nobody else', () => {
    const bindings = [
      binding('chandlery-admin', [GROUP]),
      binding('chandlery-admin', [GROUP]),
      binding('cluster-admin', [{ ...GROUP, name: 'root' }]),
    ];
    assert.deepEqual(adminSubjects(bindings), [GROUP]);
    assert.deepEqual(adminBindings(operator(), [], nowhere), []);
  });

  it('is everything but Secrets where its release is, and Events where it is itself', () => {
    assert.deepEqual(places(adminBindings(operator(), [GROUP], nowhere)), [
      'cache-system chandlery-viewer',
      'ops chandlery-operator-events',
    ]);
    assert.deepEqual(places(adminBindings(operator({ targetNamespace: 'ops' }), [GROUP], nowhere)), ['ops chandlery-viewer']);
  });

  it('is nothing in a namespace that is an Environment', () => {
    assert.deepEqual(places(adminBindings(operator(), [GROUP], (namespace) => namespace === 'cache-system')), [
      'ops chandlery-operator-events',
    ]);
  });
});

/** A cluster that holds RoleBindings by place and role. */
function world(start: KubeObject | undefined): {
  ports: AdminAccessPorts;
  live: () => string[];
  set: (next: KubeObject | undefined) => void;
} {
  let current = start;
  const bindings = new Map<string, KubeObject>();
  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  const ports: AdminAccessPorts = {
    cluster: {
      list: async (type) => ({
        items: type.resource === 'clusterrolebindings' ? [binding('chandlery-admin', [GROUP])] : [...bindings.values()],
        resourceVersion: '1',
      }),
      apply: async (_type, object) => {
        const before = bindings.get(keyOf(object));
        assert.deepEqual(before?.['roleRef'] ?? object['roleRef'], object['roleRef'], 'the role of a binding cannot be changed');
        bindings.set(keyOf(object), object);
        return { object, warnings: [] };
      },
      delete: async ({ namespace = '', name }) => {
        bindings.delete(`${namespace}/${name}`);
      },
    },
    operator: () => current,
    isReserved: nowhere,
    now: () => new Date('2026-11-21T12:00:00Z'),
  };
  return { ports, live: () => places([...bindings.values()]).sort(), set: (next) => (current = next) };
}

describe('the bindings of admins', () => {
  const signal = new AbortController().signal;

  it('follow an Operator to another namespace, also where a lesser role was before', async () => {
    const { ports, live, set } = world(operator());
    const reconcile = createAdminAccessReconciler(ports);
    await reconcile('ops/cache', signal);
    assert.deepEqual(live(), ['cache-system chandlery-viewer', 'ops chandlery-operator-events']);
    set(operator({ targetNamespace: 'ops' }));
    await reconcile('ops/cache', signal);
    assert.deepEqual(live(), ['ops chandlery-viewer']);
  });

  it('go with the Operator', async () => {
    const { ports, live, set } = world(operator());
    const reconcile = createAdminAccessReconciler(ports);
    await reconcile('ops/cache', signal);
    set(undefined);
    assert.deepEqual(await reconcile('ops/cache', signal), {});
    assert.deepEqual(live(), []);
  });
});
