import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildCatalog } from '../../../src/domain/catalog/app-catalog.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';

const operator = (spec: object = {}, status: object = { status: 'READY' }): KubeObject => ({
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'ops' },
  spec,
  status,
});
function crd(over: { label?: string; scope?: string; versions?: object[]; established?: boolean } = {}): KubeObject {
  const { label = 'ops.cache', scope = 'Namespaced', versions = [{ name: 'v1', served: true, storage: true }], established = true } = over;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'caches.a.example', labels: { 'chandlery.dev/operator': label } },
    spec: { group: 'a.example', scope, names: { kind: 'BigCache', plural: 'caches' }, versions },
    status: { conditions: [{ type: 'Established', status: established ? 'True' : 'False' }] },
  };
}
const only = (operators: KubeObject[], crds: KubeObject[]): string[] => buildCatalog(operators, crds).map(({ summary }) => summary.id);

const SOUND = { revision: 2, chart: 'c', version: '1.0.0', digest: 'd', time: '', status: 'deployed', healthy: true };

describe('the catalogue', () => {
  it('holds the kinds that an Operator brings', () => assert.deepEqual(only([operator()], [crd()]), ['caches.a.example']));
  it('leaves out a kind that nobody published', () => assert.deepEqual(only([operator()], [crd({ label: '' })]), []));
  it('leaves out a kind of an Operator that is not there', () => assert.deepEqual(only([], [crd()]), []));
  it('leaves out a kind for the whole cluster', () => assert.deepEqual(only([operator()], [crd({ scope: 'Cluster' })]), []));
  it('leaves out a hidden kind', () =>
    assert.deepEqual(only([operator({ catalog: { kinds: [{ kind: 'BigCache', hidden: true }] } })], [crd()]), []));

  it('names a kind by its words where the entry gives it no name', () => {
    assert.equal(buildCatalog([operator()], [crd()])[0]?.summary.displayName, 'Big cache');
  });

  it('takes the served version when the stored one is not served', () => {
    const versions = [
      { name: 'v1', served: false, storage: true },
      { name: 'v2', served: true, storage: false },
    ];
    assert.equal(buildCatalog([operator()], [crd({ versions })])[0]?.summary.version, 'v2');
  });

  for (const [title, status, established, availability] of [
    ['a working operator', { status: 'READY' }, true, 'Available'],
    ['an operator on its way', { status: 'INSTALLING' }, true, 'Installing'],
    ['a failed operator', { status: 'ERROR' }, true, 'Unavailable'],
    ['an operator whose next version was refused', { status: 'ERROR', history: [SOUND] }, true, 'Available'],
    ['an operator whose next version failed half way', { status: 'ERROR', history: [{ ...SOUND, status: 'failed' }] }, true, 'Unavailable'],
    [
      'an operator that fell ill',
      { status: 'ERROR', history: [SOUND], conditions: [{ type: 'Healthy', status: 'False' }] },
      true,
      'Unavailable',
    ],
    ['a kind that is not served yet', { status: 'READY' }, false, 'Installing'],
  ] as const) {
    it(`calls the app of ${title} ${availability}`, () => {
      const [entry] = buildCatalog([operator({}, status)], [crd({ established })]);
      assert.equal(entry?.summary.availability, availability);
      assert.equal(entry.summary.availabilityMessage === '', availability === 'Available');
    });
  }

  for (const icon of ['javascript:alert(1)', 'data:text/html,<script>', 'http://a.example/x.png']) {
    it(`does not show the icon ${icon}`, () =>
      assert.equal(buildCatalog([operator({ catalog: { icon } })], [crd()])[0]?.summary.icon, undefined));
  }
});
