import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCrds } from '../../../../src/domain/upgrade/crd-safety/compare-crds.ts';
import type { CrdVerdict } from '../../../../src/domain/upgrade/crd-safety/finding.ts';
import {
  removedVersions,
  blocksUpgrade,
  storedChecks,
  storedFaults,
  unsafeSentence,
  storedInRemovedVersions,
} from '../../../../src/domain/upgrade/crd-safety/stored-checks.ts';
import { validateValue } from '../../../../src/domain/upgrade/crd-safety/validate-value.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { crd, int, object, text, withSpec, type Schema } from '../../../support/sample-crds.ts';

describe('a stored value', () => {
  const cases: readonly { title: string; schema: Schema; value: unknown; says: readonly string[] }[] = [
    { title: 'that fits', schema: object({ a: text }), value: { a: 'b' }, says: [] },
    { title: 'of another type', schema: object({ a: int }), value: { a: 'b' }, says: ['a: it is not of the type integer'] },
    { title: 'that is null', schema: object({ a: text }), value: { a: null }, says: ['a: it is null'] },
    { title: 'that is null and may be', schema: object({ a: { ...text, nullable: true } }), value: { a: null }, says: [] },
    {
      title: 'outside of the enum',
      schema: object({ a: { enum: ['b'] } }),
      value: { a: 's3cret' },
      says: ['a: it is not one of the allowed values'],
    },
    {
      title: 'below the minimum',
      schema: object({ a: { ...int, minimum: 3 } }),
      value: { a: 2 },
      says: ['a: it is below the minimum of 3'],
    },
    {
      title: 'at a maximum that is not allowed',
      schema: object({ a: { ...int, maximum: 3, exclusiveMaximum: true } }),
      value: { a: 3 },
      says: ['a: it is above the maximum of 3'],
    },
    { title: 'too long, counted as people do', schema: object({ a: { ...text, maxLength: 1 } }), value: { a: '👍' }, says: [] },
    {
      title: 'without a match',
      schema: object({ a: { ...text, pattern: '^b$' } }),
      value: { a: 'c' },
      says: ['a: it does not match the pattern ^b$'],
    },
    {
      title: 'that would be dropped',
      schema: object({ a: text }),
      value: { b: 'c' },
      says: ['b: the schema does not have the field, so it would be dropped'],
    },
    { title: 'that is kept unknown', schema: object({}, { 'x-kubernetes-preserve-unknown-fields': true }), value: { b: 'c' }, says: [] },
    { title: 'that lacks a member', schema: object({ a: text }, { required: ['a'] }), value: {}, says: ['a: it is missing'] },
    {
      title: 'that lacks a member with a default',
      schema: object({ a: { ...text, default: 'b' } }, { required: ['a'] }),
      value: {},
      says: [],
    },
    {
      title: 'in a list',
      schema: object({ a: { type: 'array', items: int } }),
      value: { a: [1, 'b'] },
      says: ['a[1]: it is not of the type integer'],
    },
    {
      title: 'under a free name',
      schema: { type: 'object', additionalProperties: int },
      value: { 'a.b': 'c' },
      says: ['["a.b"]: it is not of the type integer'],
    },
    {
      title: 'that meets no branch',
      schema: { type: 'object', ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }] },
      value: { b: 'c' },
      says: [': it meets none of the conditions (anyOf)'],
    },
    {
      title: 'of a resource inside',
      schema: object({}, { 'x-kubernetes-embedded-resource': true }),
      value: { apiVersion: 'v1', kind: 'Pod' },
      says: [],
    },
  ];
  for (const { title, schema, value, says } of cases) {
    it(`${title} ${says.length === 0 ? 'is taken' : 'is not taken as it is'}`, () => {
      const faults = validateValue(schema, value).map(({ path, message }) => `${path}: ${message}`);
      assert.deepEqual(faults, says);
      assert.ok(!faults.join(' ').includes('s3cret'));
    });
  }

  it('is matched by an engine that does not backtrack: with one that does, this pattern would never end', () => {
    assert.equal(validateValue({ ...text, pattern: '^(a+)+$' }, `${'a'.repeat(1_000)}b`).length, 1);
  });
});

describe('the verdict about an upgrade', () => {
  const live = crd({ schema: withSpec(int) });

  it('names the instances that would not fit, at most ten, and counts the others', () => {
    const candidate = crd({ schema: withSpec({ ...int, maximum: 3 }) });
    const instances = Array.from({ length: 13 }, (_, index) => instance(`i${String(index).padStart(2, '0')}`, index < 1 ? 2 : 9));
    const sentence = unsafeSentence([checked(live, candidate, instances)], 'Strict');
    assert.match(
      sentence,
      /^as\.example\.com v1 spec\.a: there is a maximum now: 3; 12 existing instances would be invalid: A ns\/i01: spec\.a: it is above/,
    );
    assert.match(sentence, /A ns\/i10: [^;]*; and 2 more$/);
  });

  it('reads no instances when no schema changes', () => {
    assert.deepEqual(storedChecks(live, live), []);
    assert.deepEqual(versionsOf(live, crd({ schema: withSpec(text) })), ['v1 as v1']);
    assert.equal(blocksUpgrade(checked(live, live, []), 'Strict'), false);
  });

  it('does not mind a status that an operator wrote for the schema before', () => {
    const candidate = crd({ schema: withSpec({ ...int, default: 1 }) });
    const stored = { ...instance('a', 1), status: { old: 'x' } };
    assert.equal(blocksUpgrade(checked(live, candidate, [stored]), 'Strict'), false);
  });
});

describe('the level of safety of an upgrade', () => {
  const [live, tighter] = [crd({ schema: withSpec(int) }), crd({ schema: withSpec({ ...int, maximum: 3 }) })];
  const cases = [
    ['a tighter field that all instances fit', tighter, [instance('a', 1)], { Strict: true, Instances: false, None: false }],
    ['a tighter field that an instance does not fit', tighter, [instance('a', 9)], { Strict: true, Instances: true, None: false }],
    [
      'another scope',
      { ...live, spec: { ...(live.spec as object), scope: 'Cluster' } },
      [],
      { Strict: true, Instances: true, None: false },
    ],
    ['nothing', live, [instance('a', 1)], { Strict: false, Instances: false, None: false }],
  ] as const;
  for (const [what, candidate, instances, expected] of cases) {
    it(`says whether ${what} stops it`, () => {
      const verdict = checked(live, candidate, instances);
      const stops = (['Strict', 'Instances', 'None'] as const).map((level) => [level, blocksUpgrade(verdict, level)]);
      assert.deepEqual(Object.fromEntries(stops), expected);
    });
  }

  it('names manifests that are written in a version that goes, even if others wrote so too', () => {
    const version = (name: string, served: boolean) => ({ name, served, storage: name === 'v1', schema: {} });
    const of = (...versions: object[]) => ({ ...live, spec: { ...(live.spec as object), versions } });
    const gone = removedVersions(of(version('v1', true), version('v1beta1', true), version('v1alpha1', false)), of(version('v1', true)));
    assert.deepEqual(gone, ['v1beta1']);
    const managed = (name: string, operation: string, apiVersion: string): KubeObject => ({
      ...instance(name, 1),
      metadata: { name, namespace: 'ns', managedFields: [{ manager: 'flux', operation, apiVersion }] },
    });
    const last = { 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"example.com/v1beta1","kind":"A"}' };
    const stored = [
      managed('git', 'Apply', 'example.com/v1beta1'),
      managed('moved', 'Apply', 'example.com/v1'),
      managed('operator', 'Update', 'example.com/v1beta1'),
      { ...instance('kubectl', 1), metadata: { name: 'kubectl', namespace: 'ns', annotations: last } },
    ];
    assert.deepEqual(
      storedInRemovedVersions(gone, stored).map((fault) => fault.instance),
      ['A ns/git', 'A ns/kubectl'],
    );
  });
});

describe('what stored instances are held against', () => {
  const v = (name: string, schema: Schema, more: object = {}) => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: schema },
    ...more,
  });
  const stored = { storage: true };
  const both = crd({ versions: [v('v1', withSpec(int)), v('v2', withSpec(int), stored)] });
  const only = crd({ versions: [v('v1', withSpec(int), stored)] });
  const webhook = { conversion: { strategy: 'Webhook', webhook: {} } };
  const cases: readonly { title: string; live: KubeObject; candidate: KubeObject; reads: readonly string[] }[] = [
    {
      title: 'is each version that is served now, stays and changes, not only the one that is stored',
      live: both,
      candidate: crd({ versions: [v('v1', withSpec(text)), v('v2', withSpec(text), stored)] }),
      reads: ['v1 as v1', 'v2 as v2'],
    },
    {
      title: 'is the one that changes beside a stored one that does not',
      live: both,
      candidate: crd({ versions: [v('v1', withSpec(text)), v('v2', withSpec(int), stored)] }),
      reads: ['v1 as v1'],
    },
    {
      title: 'is a new version that objects are to be stored in, as nothing converts',
      live: only,
      candidate: crd({ versions: [v('v1', withSpec(int)), v('v2', withSpec(text), stored)] }),
      reads: ['v1 as v2'],
    },
    {
      title: 'is not a new version of the same schema',
      live: only,
      candidate: crd({ versions: [v('v1', withSpec(int)), v('v2', withSpec(int), stored)] }),
      reads: [],
    },
    {
      title: 'is not a new version that nothing is stored in',
      live: only,
      candidate: crd({ versions: [v('v1', withSpec(int), stored), v('v2', withSpec(text))] }),
      reads: [],
    },
    {
      title: 'is not a new version that a webhook converts to',
      live: only,
      candidate: crd({ versions: [v('v1', withSpec(int)), v('v2', withSpec(text), stored)], spec: webhook }),
      reads: [],
    },
    {
      title: 'is a version that was served all along when objects are stored in it from now on',
      live: crd({ versions: [v('v1', withSpec(int), stored), v('v2', withSpec(text))] }),
      candidate: crd({ versions: [v('v1', withSpec(int)), v('v2', withSpec(text), stored)] }),
      reads: ['v1 as v2'],
    },
    {
      title: 'is nothing that cannot be read',
      live: crd({ versions: [v('v1', withSpec(int), { storage: true, served: false })] }),
      candidate: crd({ versions: [v('v1', withSpec(text), stored)] }),
      reads: [],
    },
  ];
  for (const { title, live, candidate, reads } of cases) {
    it(title, () => assert.deepEqual(versionsOf(live, candidate), reads));
  }

  it('says of which version it speaks where there are several', () => {
    const candidate = crd({ versions: [v('v1', withSpec(int)), v('v2', object({ spec: object({ b: int }) }), stored)] });
    const { faults } = checked(only, candidate, [instance('x', 1)]);
    assert.deepEqual(faults, [
      { instance: 'A ns/x', path: 'v2 spec.a', message: 'the schema does not have the field, so it would be dropped' },
    ]);
  });
});

function versionsOf(live: KubeObject, candidate: KubeObject): string[] {
  return storedChecks(live, candidate).map(({ read, version }) => `${read} as ${version}`);
}

function checked(live: KubeObject, candidate: KubeObject, instances: readonly KubeObject[]): CrdVerdict {
  const faults = storedChecks(live, candidate).flatMap((check) => storedFaults(check, instances));
  return { crd: candidate.metadata.name, findings: compareCrds(live, candidate), faults };
}

function instance(name: string, a: number): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'A', metadata: { name, namespace: 'ns' }, spec: { a } };
}
