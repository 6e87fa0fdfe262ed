import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { KubeObject, ResourceRef } from '../../../../src/domain/kubernetes/resource.ts';
import { applyAppDeployer } from '../../../../src/reconcile/environment/app-deployers.ts';
import { parseEnvironment } from '../../../../src/reconcile/environment/environment-spec.ts';

const ACCOUNT = 'chandlery-deployer-lamp';
const OURS = { 'app.kubernetes.io/managed-by': 'chandlery', 'chandlery.dev/environment': 'shop' };
const RBAC = 'rbac.authorization.k8s.io/v1';
const roleRef = { kind: 'Role', name: ACCOUNT };

/** @param live what the namespace has. @returns what was applied. */
async function applied(...live: readonly KubeObject[]): Promise<readonly string[]> {
  const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'shop', uid: 'u1' }, spec: {} };
  const names: string[] = [];
  const cluster = {
    get: async ({ resource, name }: ResourceRef): Promise<KubeObject> => {
      const found = live.find(({ kind, metadata }) => `${kind.toLowerCase()}s` === resource && metadata.name === name);
      return found ?? (await Promise.reject(new AppError('NotFound', name)));
    },
    list: () => Promise.resolve({ items: live.filter(({ kind }) => kind === 'RoleBinding') }),
    apply: (_type: unknown, object: KubeObject) => Promise.resolve(names.push(`${object.kind} ${object.metadata.name}`)),
  };
  const place = { environment, spec: parseEnvironment(environment, { projectPrefix: '' }) };
  const deployer = { account: ACCOUNT, rules: [{ apiGroups: ['a.example.com'], resources: ['lamps'], verbs: ['get'] }] };
  const { signal } = new AbortController();
  await applyAppDeployer(cluster as unknown as Parameters<typeof applyAppDeployer>[0], place, { deployer, signal });
  return names;
}

const named = (apiVersion: string, kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'shop' },
  ...more,
});

describe('the account of an app', () => {
  test('has the roles of every deployer, and its own', async () => {
    const binding = named(RBAC, 'RoleBinding', ACCOUNT, { roleRef });
    const own = { ...binding, metadata: { ...binding.metadata, labels: OURS } };
    assert.deepEqual(await applied(own, named(RBAC, 'RoleBinding', 'other', { roleRef: { kind: 'Role', name: 'other' } })), [
      `ServiceAccount ${ACCOUNT}`,
      `RoleBinding ${ACCOUNT}:chandlery-deployer`,
      `RoleBinding ${ACCOUNT}:chandlery-network-deployer`,
      `Role ${ACCOUNT}`,
      `RoleBinding ${ACCOUNT}`,
    ]);
  });

  for (const foreign of [
    named('v1', 'ServiceAccount', ACCOUNT),
    named(RBAC, 'Role', ACCOUNT),
    named(RBAC, 'RoleBinding', ACCOUNT, { roleRef: { kind: 'Role', name: 'other' } }),
    // Bound before the Role has its rules.
    named(RBAC, 'RoleBinding', 'early', { roleRef }),
  ])
    test(`is not made where another client has made the ${foreign.kind} ${foreign.metadata.name}`, async () => {
      await assert.rejects(
        applied(foreign),
        new RegExp(`already has a ${foreign.kind} "${foreign.metadata.name}".*an admin has to delete it`),
      );
    });
});
