import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isNewerApiVersion } from '../../../../src/domain/app/app.ts';
import { checkCatalogBlock } from '../../../../src/domain/catalog/check-catalog.ts';
import { buildCatalog } from '../../../../src/domain/catalog/app-catalog.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

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
const ILL = { type: 'Healthy', status: 'False', reason: 'Degraded', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };

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

  it('distinguishes apps of one name by provider, group and version', () => {
    const other = operator({ catalog: { provider: 'Acme', kinds: [{ kind: 'BigCache', displayName: 'big cache' }] } });
    const theirs = { ...other, metadata: { name: 'theirs', namespace: 'ops' } };
    const ofTheirs = {
      ...crd({ label: 'ops.theirs' }),
      metadata: { name: 'caches.b.example', labels: { 'chandlery.dev/operator': 'ops.theirs' } },
    };
    const names = buildCatalog([operator(), theirs], [crd(), ofTheirs]).map(({ summary }) => summary.displayName);
    assert.deepEqual(names, ['Big cache (a.example v1)', 'big cache (Acme, a.example v1)']);
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
    ['an operator whose next version was rejected', { status: 'ERROR', history: [SOUND] }, true, 'Available'],
    ['an operator whose next version failed half way', { status: 'ERROR', history: [{ ...SOUND, status: 'failed' }] }, true, 'Unavailable'],
    ['an operator that fell ill', { status: 'ERROR', history: [SOUND], conditions: [ILL] }, true, 'Unavailable'],
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

describe('the catalogue block of an Operator', () => {
  const text = { type: 'string' };
  const spec = {
    type: 'object',
    properties: {
      replicas: { type: 'integer' },
      storage: { type: 'object', properties: { size: text } },
      users: { type: 'array', items: { type: 'object', properties: { name: text } } },
      labels: { type: 'object', additionalProperties: text },
      extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const kind = crd({ versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] });
  const faultsOf = async (block: object): Promise<readonly string[]> => {
    const faults = await checkCatalogBlock(operator({ catalog: { kinds: [{ kind: 'BigCache', ...block }] } }), [kind]);
    return faults.map(({ field, message }) => `${field.replace('spec.catalog.kinds[0].', '')}: ${message}`);
  };

  it('is valid with paths of the schema, rows, open parts, labels and annotations', async () => {
    assert.deepEqual(
      await faultsOf({
        fields: [
          'spec.replicas',
          'spec.users[].name',
          'spec.users[*].name',
          'spec.labels.any',
          'spec.extra.deep.down',
          'metadata.labels.team',
        ],
        references: { 'spec.storage': { kind: 'Secret' } },
        defaults: { metadata: { labels: { 'a.b/c': 'x' }, annotations: { 'd.e/f': 'y' } }, spec: { replicas: 1, users: [{ name: 'a' }] } },
        presets: [{ name: 'a', title: 'A', values: { spec: { storage: { size: '1Gi' } } } }],
        example: { apiVersion: 'a.example/v1', kind: 'BigCache', metadata: { name: 'x' }, spec: { replicas: 1 } },
        usage: 'kubectl get {name} -o jsonpath={.status.phase}',
      }),
      [],
    );
  });

  for (const [title, block, fault] of [
    ['a kind that it does not bring', { kind: 'BigCahce' }, 'kind: the Operator has no kind BigCahce; did you mean BigCache?'],
    ['a field with a slip', { fields: ['spec.replcas'] }, 'fields[0]: BigCache has no field spec.replcas; did you mean spec.replicas?'],
    ['a field of another group', { fields: ['spec.size'] }, 'fields[0]: BigCache has no field spec.size; did you mean spec.storage.size?'],
    [
      'a field that nothing is like',
      { locked: ['spec.nope'] },
      'locked[0]: BigCache has no field spec.nope; spec has replicas, storage, users, labels, extra',
    ],
    [
      'a field of rows',
      { sensitive: ['spec.users[*].nam'] },
      'sensitive[0]: BigCache has no field spec.users[].nam; did you mean spec.users[].name?',
    ],
    [
      'a reference',
      { references: { 'spec.stroage': { kind: 'Secret' } } },
      'references["spec.stroage"]: BigCache has no field spec.stroage; did you mean spec.storage?',
    ],
    [
      'a value of a preset',
      { presets: [{ name: 'a', title: 'A', values: { spec: { storage: { sice: 1 } } } }] },
      'presets[0].values.spec.storage.sice: BigCache has no field spec.storage.sice; did you mean spec.storage.size?',
    ],
    [
      'metadata that no form has',
      { defaults: { metadata: { finalizers: ['x'] } } },
      'defaults.metadata.finalizers[]: the form of BigCache has no metadata.finalizers[]; of metadata it has metadata.labels and metadata.annotations',
    ],
    [
      'a health rule that yields no boolean',
      { health: [{ status: 'Healthy', when: 'size(self.metadata.name)' }] },
      'health[0].when: the CEL expression must yield bool, not int',
    ],
    [
      'a connection to a field with a slip',
      { connection: [{ name: 'port', fieldPath: 'spec.replcas' }] },
      'connection[0].fieldPath: BigCache has no field spec.replcas; did you mean spec.replicas?',
    ],
    [
      'a connection by another language of templates',
      { connection: [{ name: 'host', value: '{{ .Name }}' }] },
      'connection[0].value: there is no placeholder { .Name }; write {name}, {namespace} or a path such as {spec.port}',
    ],
    [
      'a connection that the example leaves empty',
      { connection: [{ name: 'size', value: '{spec.storage.size}' }], example: { spec: { replicas: 1 } } },
      'connection[0].value: spec.storage.size has no value in the example and no default',
    ],
    [
      'a connection to a Secret whose name is none',
      {
        connection: [{ name: 'a', secretKeyRef: { name: '{name}_{spec.replicas}', key: 'a' } }],
        example: { metadata: { name: 'x' }, spec: { replicas: 1 } },
      },
      'connection[0].secretKeyRef.name: "x_1" is not a valid name of a Secret',
    ],
    ['a placeholder', { usage: 'psql {spec.host}' }, 'usage: there is no placeholder {spec.host}; usage has {name} and {namespace}'],
  ] as const) {
    it(`is faulty with ${title}, and says what was meant`, async () => assert.deepEqual(await faultsOf(block), [fault]));
  }

  it('has the schema of a kind read for what it names, and once', async () => {
    let read = 0;
    const lazy = Object.defineProperty({ type: 'object' }, 'properties', { get: () => ((read += 1), { spec }) });
    const large = crd({ versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: lazy } }] });
    const check = async (block: object): Promise<number> =>
      (await checkCatalogBlock(operator({ catalog: { kinds: [{ kind: 'BigCache', ...block }] } }), [large])).length;
    assert.deepEqual([await check({}), read], [0, 0]);
    const named = { fields: ['spec.replicas', 'spec.nope'] };
    assert.equal(await check(named), 1);
    const once = read;
    assert.ok(once > 0);
    assert.deepEqual([await check(named), read], [1, once]);
  });

  it('is not judged while its kinds are not known, nor a kind that the operator registers itself', async () => {
    assert.deepEqual(await checkCatalogBlock(operator({ catalog: { kinds: [{ kind: 'Any' }] } }), []), []);
    assert.deepEqual(await faultsOf({ kind: 'Later', definition: 'laters.a.example' }), []);
  });
});

describe('versions of a kind', () => {
  const order = ['v2', 'v1', 'v1beta2', 'v1beta1', 'v2alpha1', 'v1alpha1', 'old'];
  it('are ordered as Kubernetes does', () => {
    for (const [index, version] of order.entries())
      for (const [at, other] of order.entries()) assert.equal(isNewerApiVersion(version, other), index < at, `${version} ${other}`);
  });
});
