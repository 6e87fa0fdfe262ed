import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foreignSecret, resolveConnection, secretValueAt } from '../../../../src/domain/connection/connection.ts';
import type { KubeObject, OwnerReference } from '../../../../src/domain/kubernetes/resource.ts';

const instance: KubeObject = {
  apiVersion: 'a.example/v1',
  kind: 'Cache',
  metadata: { name: 'orders', namespace: 'team-a', uid: 'uid-orders', labels: { 'a.b/tier': 'gold' } },
  spec: { port: 6379, users: [{ name: 'shop' }], group: { x: 1 }, other: '../../kube-system/secrets/x', tls: false },
};
const sourceOf = (entry: object) => resolveConnection([{ name: 'key', description: '', ...entry }], instance)[0]?.source;

describe('a key of a connection', () => {
  for (const [title, entry, value] of [
    ['placeholders', { value: '{name}.{namespace}.svc:{spec.port}' }, 'orders.team-a.svc:6379'],
    ['a path into rows', { fieldPath: 'spec.users[0].name' }, 'shop'],
    ['a label', { fieldPath: 'metadata.labels["a.b/tier"]' }, 'gold'],
    ['a field that is false', { fieldPath: 'spec.tls' }, 'false'],
    ['no placeholder', { value: 'redis' }, 'redis'],
  ] as const) {
    it(`has the value of ${title}`, () => assert.deepEqual(sourceOf(entry), { kind: 'Value', value }));
  }

  for (const [title, fieldPath] of [
    ['the operator has not reported', 'status.endpoint'],
    ['is no single value', 'spec.group'],
    ['comes with every object of JavaScript', 'spec.constructor.name'],
  ] as const) {
    it(`has no value while it ${title}`, () =>
      assert.deepEqual(sourceOf({ fieldPath }), {
        kind: 'Unresolved',
        reason: 'NoValue',
        message: `The instance does not have ${fieldPath} yet`,
      }));
  }

  it('names no Secret by a field that leads elsewhere', () =>
    assert.equal(sourceOf({ secretKeyRef: { name: '{spec.other}', key: 'x' } })?.kind, 'Unresolved'));
});

describe('a Secret', () => {
  const owner = (kind: string, uid: string, name = 'sessions'): OwnerReference => ({ apiVersion: 'a.example/v2', kind, name, uid });
  const secret = (owners: readonly OwnerReference[], type = 'Opaque'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'orders-app', ...(owners.length === 0 ? {} : { ownerReferences: owners }) },
    type,
  });

  for (const [title, object, named, why] of [
    ['that the instance owns is its own, whatever names it', secret([owner('Cache', 'uid-orders')]), 'ByFields', undefined],
    ['that is named after the instance is its own', secret([]), 'AfterInstance', undefined],
    ['of a part of the instance is its own', secret([owner('Certificate', 'uid-x')]), 'AfterInstance', undefined],
    ['of another instance of the kind is foreign', secret([owner('Cache', 'uid-other')]), 'AfterInstance', 'it belongs to Cache sessions'],
    ['that a field names and nobody owns is foreign', secret([]), 'ByFields', 'it has no owner reference to the instance'],
    [
      'with the token of a service account is foreign',
      secret([owner('Cache', 'uid-orders')], 'kubernetes.io/service-account-token'),
      'AfterInstance',
      'it is of type kubernetes.io/service-account-token',
    ],
  ] as const) {
    it(title, () => assert.equal(foreignSecret(object, instance, named), why));
  }

  it('gives one value as it is, and bytes that are no text in base64', () => {
    const data = { text: Buffer.from('pä§$\n').toString('base64'), bytes: Buffer.from([0xff, 0x00]).toString('base64') };
    const holder = { ...secret([]), data };
    assert.deepEqual(secretValueAt(holder, 'text'), { value: 'pä§$\n', encoding: 'utf-8' });
    assert.deepEqual(secretValueAt(holder, 'bytes'), { value: '/wA=', encoding: 'base64' });
    for (const key of ['none', '__proto__', 'constructor']) assert.equal(secretValueAt(holder, key), undefined, key);
  });
});
