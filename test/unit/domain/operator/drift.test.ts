import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differencesOf, isIgnored, isScaledBy, keepLive, managersOf } from '../../../../src/domain/operator/drift.ts';
import { objectAt } from '../../../../src/domain/core/read.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

describe('the differences between an object and what it would be', () => {
  const cases: readonly [string, object, object, readonly string[]][] = [
    ['are none when all is the same', { spec: { a: 1 } }, { spec: { a: 1 } }, []],
    ['name a field with another value', { spec: { a: 1, b: 2 } }, { spec: { a: 3, b: 2 } }, ['spec.a']],
    ['name a field that is gone', { spec: {} }, { spec: { a: 1 } }, ['spec.a']],
    ['name an item of a list', { spec: { l: [{ a: 1 }, { a: 2 }] } }, { spec: { l: [{ a: 1 }, { a: 3 }] } }, ['spec.l[1].a']],
    ['name a list of another length as a whole', { spec: { l: [1] } }, { spec: { l: [1, 2] } }, ['spec.l']],
    ['leave out the status', { status: { a: 1 } }, { status: { a: 2 } }, []],
    ['name labels', { metadata: { labels: { a: 'x' } } }, { metadata: { labels: { a: 'y' } } }, ['metadata.labels.a']],
    [
      'leave out what the api-server counts',
      { metadata: { resourceVersion: '1', generation: 1 } },
      { metadata: { resourceVersion: '2', generation: 2 } },
      [],
    ],
  ];
  for (const [title, live, wanted, paths] of cases) it(title, () => assert.deepEqual(differencesOf(object(live), object(wanted)), paths));
});

describe('a rule about fields that may differ', () => {
  const cases: readonly [string, Parameters<typeof isIgnored>[2][number], boolean][] = [
    ['counts for every object', { paths: ['spec.replicas'] }, true],
    ['counts for what is below its path', { paths: ['spec'] }, true],
    ['does not count for a field that begins alike', { paths: ['spec.rep'] }, false],
    ['counts for its kind', { kind: 'Deployment', paths: ['spec'] }, true],
    ['does not count for other kinds', { kind: 'Service', paths: ['spec'] }, false],
    ['does not count for other names', { kind: 'Deployment', name: 'b', paths: ['spec'] }, false],
  ];
  for (const [title, rule, expected] of cases) it(title, () => assert.equal(isIgnored('spec.replicas', object({}), [rule]), expected));
});

it('an object that is applied again keeps the live values of fields that may differ', () => {
  const live = object({ spec: { replicas: 5, l: [{ a: 2 }], other: 'x' } });
  const kept = keepLive(object({ spec: { replicas: 1, l: [{ a: 1 }], gone: 1, ours: 1 } }), live, [
    'spec.replicas',
    'spec.l[0].a',
    'spec.gone',
  ]);
  assert.deepEqual(kept.spec, { replicas: 5, l: [{ a: 2 }], ours: 1 });
});

describe('who has written a field', () => {
  const owned = (manager: string, fieldsV1: object, more: object = {}) => ({ manager, fieldsV1, ...more });
  const live = object({
    metadata: {
      managedFields: [
        owned('helm', { 'f:spec': { 'f:replicas': {} } }),
        owned('kubectl-edit', { 'f:spec': { 'f:replicas': {} } }),
        owned('other', { 'f:spec': { 'f:paused': {} } }),
        owned('scaler', { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' }),
      ],
    },
  });

  it('is reported without ourselves, and without those of subresources', () => {
    assert.deepEqual(managersOf(live, 'spec.replicas', 'helm'), ['kubectl-edit']);
    assert.deepEqual(managersOf(live, 'spec.gone', 'helm'), []);
  });
});

it('an autoscaler decides the replicas of exactly its target', () => {
  const scaler = (name: string): KubeObject => ({ ...object({}), spec: { scaleTargetRef: { kind: 'Deployment', name } } });
  assert.deepEqual(
    ['a', 'b'].map((name) => isScaledBy(scaler(name), object({}))),
    [true, false],
  );
});

function object(some: object): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', ...some, metadata: { name: 'a', ...objectAt(some, 'metadata') } };
}
