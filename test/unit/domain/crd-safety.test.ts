import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCrds } from '../../../src/domain/crd-safety/compare-crds.ts';
import { isUnsafe, judgeUpgrade, unsafeSentence, versionToCheck } from '../../../src/domain/crd-safety/judge-upgrade.ts';
import { validateValue } from '../../../src/domain/crd-safety/validate-value.ts';
import type { KubeObject } from '../../../src/domain/resource.ts';

type Schema = Readonly<Record<string, unknown>>;
const text = { type: 'string' };
const int = { type: 'integer' };

describe('a new schema for a field', () => {
  const cases: readonly { title: string; live: Schema; candidate: Schema; finds: readonly string[] }[] = [
    { title: 'that stays', live: text, candidate: text, finds: [] },
    { title: 'that only gets a description and a default', live: text, candidate: { ...text, description: 'a', default: 'b' }, finds: [] },
    { title: 'that changes its type', live: text, candidate: int, finds: ['v1 spec.a: the type is integer now; it was string'] },
    { title: 'that widens from integer to number', live: int, candidate: { type: 'number' }, finds: [] },
    {
      title: 'that narrows from number to integer',
      live: { type: 'number' },
      candidate: int,
      finds: ['v1 spec.a: the type is integer now; it was number'],
    },
    { title: 'that takes texts beside integers now', live: int, candidate: { 'x-kubernetes-int-or-string': true }, finds: [] },
    {
      title: 'that took anything and takes texts now',
      live: { 'x-kubernetes-preserve-unknown-fields': true },
      candidate: text,
      finds: ['v1 spec.a: the type is string now; anything was allowed'],
    },
    {
      title: 'that loses a value of its enum',
      live: { ...text, enum: ['x', 'y'] },
      candidate: { ...text, enum: ['x'] },
      finds: ['v1 spec.a: "y" is not allowed any more'],
    },
    { title: 'that gains a value of its enum', live: { ...text, enum: ['x'] }, candidate: { ...text, enum: ['y', 'x'] }, finds: [] },
    { title: 'that gets an enum', live: text, candidate: { ...text, enum: ['x'] }, finds: ['v1 spec.a: only "x" are allowed now'] },
    { title: 'that loses its enum', live: { ...text, enum: ['x'] }, candidate: text, finds: [] },
    {
      title: 'with a higher minimum',
      live: { ...int, minimum: 1 },
      candidate: { ...int, minimum: 2 },
      finds: ['v1 spec.a: the minimum rises from 1 to 2'],
    },
    { title: 'with a lower minimum', live: { ...int, minimum: 2 }, candidate: { ...int, minimum: 1 }, finds: [] },
    {
      title: 'with a minimum where there was none',
      live: int,
      candidate: { ...int, minimum: 1 },
      finds: ['v1 spec.a: there is a minimum now: 1'],
    },
    {
      title: 'with a lower maximum',
      live: { ...int, maximum: 9 },
      candidate: { ...int, maximum: 3 },
      finds: ['v1 spec.a: the maximum falls from 9 to 3'],
    },
    {
      title: 'whose minimum itself is not allowed any more',
      live: { ...int, minimum: 1 },
      candidate: { ...int, minimum: 1, exclusiveMinimum: true },
      finds: ['v1 spec.a: the bound itself is not allowed any more (exclusiveMinimum)'],
    },
    {
      title: 'with a longer shortest length',
      live: { ...text, minLength: 1 },
      candidate: { ...text, minLength: 3 },
      finds: ['v1 spec.a: the shortest length rises from 1 to 3'],
    },
    {
      title: 'with a shorter longest length',
      live: { ...text, maxLength: 9 },
      candidate: { ...text, maxLength: 3 },
      finds: ['v1 spec.a: the longest length falls from 9 to 3'],
    },
    { title: 'with a pattern', live: text, candidate: { ...text, pattern: '^a' }, finds: ['v1 spec.a: it must match the pattern ^a now'] },
    { title: 'whose pattern goes', live: { ...text, pattern: '^a' }, candidate: text, finds: [] },
    {
      title: 'with a format',
      live: text,
      candidate: { ...text, format: 'date-time' },
      finds: ['v1 spec.a: it must have the format date-time now'],
    },
    { title: 'with a format that nobody checks', live: int, candidate: { ...int, format: 'int64' }, finds: [] },
    {
      title: 'that may not be null any more',
      live: { ...text, nullable: true },
      candidate: text,
      finds: ['v1 spec.a: null is not allowed any more'],
    },
    {
      title: 'with coarser steps',
      live: { ...int, multipleOf: 2 },
      candidate: { ...int, multipleOf: 4 },
      finds: ['v1 spec.a: only multiples of 4 are allowed now'],
    },
    { title: 'with finer steps', live: { ...int, multipleOf: 4 }, candidate: { ...int, multipleOf: 2 }, finds: [] },
    {
      title: 'whose list becomes a set',
      live: { type: 'array', items: text },
      candidate: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      finds: ['v1 spec.a: the list is a set now, so its entries must differ'],
    },
    {
      title: 'whose list may hold fewer items, of another type',
      live: { type: 'array', items: text },
      candidate: { type: 'array', items: int, maxItems: 3 },
      finds: ['v1 spec.a: there is a greatest number of items now: 3', 'v1 spec.a[]: the type is integer now; it was string'],
    },
    {
      title: 'that loses a member',
      live: object({ x: text, y: text }),
      candidate: object({ x: text }),
      finds: ['v1 spec.a.y: the field is gone, and what it holds is dropped'],
    },
    {
      title: 'that loses the name of a member but keeps what it does not know',
      live: object({ x: text }),
      candidate: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      finds: [],
    },
    {
      title: 'that drops what it does not know now',
      live: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      candidate: object({ x: text }),
      finds: ['v1 spec.a: fields that the schema does not name are dropped now'],
    },
    {
      title: 'that allowed any name and allows some now',
      live: { type: 'object', additionalProperties: text },
      candidate: object({ x: text }),
      finds: ['v1 spec.a: only the named members are allowed now; others are dropped'],
    },
    {
      title: 'whose members of any name change their type',
      live: { type: 'object', additionalProperties: text },
      candidate: { type: 'object', additionalProperties: int },
      finds: ['v1 spec.a[*]: the type is integer now; it was string'],
    },
    {
      title: 'that requires a new member',
      live: object({}),
      candidate: object({ x: text }, { required: ['x'] }),
      finds: ['v1 spec.a.x: it is required now'],
    },
    {
      title: 'that requires a new member with a default',
      live: object({}),
      candidate: object({ x: { ...text, default: 'y' } }, { required: ['x'] }),
      finds: [],
    },
    {
      title: 'whose required member loses its default',
      live: object({ x: { ...text, default: 'y' } }, { required: ['x'] }),
      candidate: object({ x: text }, { required: ['x'] }),
      finds: ['v1 spec.a.x: it is required now'],
    },
    { title: 'that gets a new optional member', live: object({}), candidate: object({ x: text }), finds: [] },
  ];
  for (const { title, live, candidate, finds } of cases) {
    it(`${title} is ${finds.length === 0 ? 'safe' : 'unsafe'}`, () => {
      const findings = compareCrds(crd({ schema: withSpec(live) }), crd({ schema: withSpec(candidate) }));
      assert.deepEqual(
        findings.filter(({ severity }) => severity === 'Unsafe').map(({ path, what }) => `${path}: ${what}`),
        finds,
      );
    });
  }

  it('below status is only worth a notice', () => {
    const [live, candidate] = [{ status: object({ a: text }) }, { status: object({ a: int }) }].map((properties) =>
      crd({ schema: { type: 'object', properties } }),
    );
    assert.ok(live !== undefined && candidate !== undefined);
    assert.deepEqual(
      compareCrds(live, candidate).map(({ path, severity }) => [path, severity]),
      [['v1 status.a', 'Notice']],
    );
  });

  it('with a new rule in CEL is worth a notice that holds the rule’s message', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'must be more than one' }] };
    assert.deepEqual(compareCrds(crd({ schema: withSpec(int) }), crd({ schema: withSpec({ ...int, ...rules }) })), [
      { path: 'v1 spec.a', what: 'there is a new rule: must be more than one', severity: 'Notice' },
    ]);
  });
});

describe('a new definition', () => {
  const v = (name: string, some: object = {}) => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: withSpec(text) },
    ...some,
  });
  const cases: readonly { title: string; live: KubeObject; candidate: KubeObject; finds: readonly string[] }[] = [
    {
      title: 'without a version that objects are stored in',
      live: crd({ versions: [v('v1'), v('v2', { storage: true })], stored: ['v1', 'v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: ['v1: the version is gone, and objects are stored in it'],
    },
    {
      title: 'without a served version',
      live: crd({ versions: [v('v1'), v('v2', { storage: true })], stored: ['v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: ['v1: the version is gone, and clients may use it'],
    },
    {
      title: 'without a version that was neither served nor stored',
      live: crd({ versions: [v('v1', { served: false }), v('v2', { storage: true })], stored: ['v2'] }),
      candidate: crd({ versions: [v('v2', { storage: true })] }),
      finds: [],
    },
    {
      title: 'that serves a version no more',
      live: crd({ versions: [v('v1', { storage: true })] }),
      candidate: crd({ versions: [v('v1', { storage: true, served: false })] }),
      finds: ['v1: the version is not served any more, and clients may use it'],
    },
    { title: 'with one more version', live: crd({}), candidate: crd({ versions: [v('v1', { storage: true }), v('v2')] }), finds: [] },
    {
      title: 'of another scope',
      live: crd({}),
      candidate: crd({ spec: { scope: 'Cluster' } }),
      finds: ['scope: it changes from Namespaced to Cluster'],
    },
    {
      title: 'of another kind and plural',
      live: crd({}),
      candidate: crd({ spec: { names: { kind: 'B', plural: 'bs' } } }),
      finds: ['names.kind: it changes from A to B', 'names.plural: it changes from as to bs'],
    },
    {
      title: 'without a short name',
      live: crd({ spec: { names: { kind: 'A', plural: 'as', shortNames: ['x'] } } }),
      candidate: crd({}),
      finds: [],
    },
  ];
  for (const { title, live, candidate, finds } of cases) {
    it(`${title} is ${finds.length === 0 ? 'safe' : 'unsafe'}`, () => {
      const unsafe = compareCrds(live, candidate).filter(({ severity }) => severity === 'Unsafe');
      assert.deepEqual(
        unsafe.map(({ path, what }) => `${path}: ${what}`),
        finds,
      );
    });
  }
});

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
      says: ['b: the schema does not know the field, so it would be dropped'],
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
    { title: 'of a resource inside', schema: object({}, { 'x-kubernetes-embedded-resource': true }), value: { kind: 'Pod' }, says: [] },
  ];
  for (const { title, schema, value, says } of cases) {
    it(`${title} ${says.length === 0 ? 'is taken' : 'is not taken as it is'}`, () => {
      const faults = validateValue(schema, value).map(({ path, why }) => `${path}: ${why}`);
      assert.deepEqual(faults, says);
      assert.ok(!faults.join(' ').includes('s3cret'));
    });
  }

  it('is matched in linear time, whatever the pattern', () => {
    const began = performance.now();
    assert.equal(validateValue({ ...text, pattern: '^(a+)+$' }, `${'a'.repeat(5_000)}b`).length, 1);
    assert.ok(performance.now() - began < 2_000);
  });
});

describe('the verdict about an upgrade', () => {
  const live = crd({ schema: withSpec(int) });

  it('names the instances that would not fit, at most ten, and counts the others', () => {
    const candidate = crd({ schema: withSpec({ ...int, maximum: 3 }) });
    const instances = Array.from({ length: 13 }, (_, index) => instance(`i${String(index).padStart(2, '0')}`, index < 1 ? 2 : 9));
    const sentence = unsafeSentence([judgeUpgrade({ live, candidate, instances })]);
    assert.match(
      sentence,
      /^as\.example\.com v1 spec\.a: there is a maximum now: 3; 12 stored instances would not fit: A ns\/i01: spec\.a: it is above/,
    );
    assert.match(sentence, /A ns\/i10: [^;]*; and 2 more$/);
  });

  it('reads no instances when no schema changes', () => {
    assert.equal(versionToCheck(live, live), undefined);
    assert.equal(versionToCheck(live, crd({ schema: withSpec(text) })), 'v1');
    assert.equal(isUnsafe(judgeUpgrade({ live, candidate: live, instances: [] })), false);
  });

  it('does not mind a status that an operator wrote for the schema before', () => {
    const candidate = crd({ schema: withSpec({ ...int, default: 1 }) });
    const stored = { ...instance('a', 1), status: { old: 'x' } };
    assert.equal(isUnsafe(judgeUpgrade({ live, candidate, instances: [stored] })), false);
  });
});

function object(properties: Schema, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

function withSpec(a: Schema): Schema {
  return object({ spec: object({ a }) });
}

function instance(name: string, a: number): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'A', metadata: { name, namespace: 'ns' }, spec: { a } };
}

interface CrdParts {
  readonly schema?: Schema;
  readonly versions?: readonly object[];
  readonly spec?: Schema;
  readonly stored?: readonly string[];
}

function crd({ schema = withSpec(text), versions, spec = {}, stored = ['v1'] }: CrdParts): KubeObject {
  const only = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'A', plural: 'as' }, versions: versions ?? [only], ...spec },
    status: { storedVersions: stored },
  };
}
