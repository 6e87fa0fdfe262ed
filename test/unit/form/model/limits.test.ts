import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormModel, FormNode } from '../../../../src/form/model/form-node.ts';
import { frozenPaths } from '../../../../src/schema/immutable.ts';

/** Each limit of docs/forms.md, with the last schema that it lets through and the first that it does not. */
interface Limit {
  readonly world: string;
  readonly most: number;
  readonly schema: (size: number) => JsonObject;
  /** Whether all of it has become a form. */
  readonly isWhole: (model: FormModel) => boolean;
}

const text = { type: 'string' };
const texts = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, text]));
const first = (model: FormModel): FormNode | undefined => (model.root.kind === 'group' ? model.root.children[0] : undefined);
const isYaml = (node: FormNode | undefined): boolean =>
  node === undefined || node.kind === 'yaml' || (node.kind === 'group' && node.children.some(isYaml));

const limits: readonly Limit[] = [
  {
    world: 'fields and groups',
    most: 9999,
    schema: (size) => ({ properties: { ...texts(size - 1), last: text } }),
    isWhole: ({ root }) => root.kind === 'group' && root.children.some(({ key }) => key === 'last'),
  },
  {
    world: 'levels',
    most: 23,
    schema: (size) => ({ properties: { a: Array.from({ length: size - 1 }).reduce<JsonObject>((a) => ({ properties: { a } }), text) } }),
    isWhole: (model) => !isYaml(first(model)),
  },
  {
    world: 'choices of a field',
    most: 1000,
    schema: (size) => ({ properties: { a: { type: 'string', enum: Array.from({ length: size }, (_, n) => `v${n}`) } } }),
    isWhole: (model) => first(model)?.kind === 'enum',
  },
  {
    world: 'shapes of a choice',
    most: 20,
    schema: (size) => ({ properties: { a: { oneOf: Array.from({ length: size }, (_, n) => ({ properties: texts(n + 1) })) } } }),
    isWhole: (model) => first(model)?.kind === 'choice',
  },
  {
    world: 'characters of a name',
    most: 256,
    schema: (size) => ({ properties: { ['x'.repeat(size)]: text } }),
    isWhole: (model) => first(model) !== undefined,
  },
  {
    world: 'parts of one allOf',
    most: 498,
    schema: (size) => ({ properties: { a: { allOf: Array.from({ length: size }, () => text) } } }),
    isWhole: (model) => first(model)?.kind === 'text',
  },
  {
    world: 'required fields on the first page',
    most: 200,
    schema: (size) => ({ properties: texts(size), required: Object.keys(texts(size)) }),
    isWhole: ({ root }) => root.kind === 'group' && root.children.every(({ layer, required }) => layer === 'required' && required),
  },
];

for (const { world, most, schema, isWhole } of limits) {
  test(`A form takes ${most} ${world}; of more, the rest stays reachable`, () => {
    assert.equal(isWhole(formOf(schema(most))), true);
    const beyond = formOf(schema(most + 1));
    assert.equal(isWhole(beyond), false);
    assert.deepEqual(coverage(schema(most + 1), beyond).unreachable, []);
  });
}

const costly: readonly {
  readonly world: string;
  readonly schema: (size: number) => JsonObject;
  readonly fits: number;
  readonly not: number;
}[] = [
  {
    world: 'references that are long to follow',
    schema: (size) => ({
      properties: Object.fromEntries(Array.from({ length: size }, (_, n) => [`p${n}`, { $ref: `#${'/a'.repeat(500)}` }])),
    }),
    fits: 150,
    not: 250,
  },
  {
    world: 'references that double at each level',
    schema: (size) => ({
      $ref: '#/$defs/l0',
      $defs: Object.fromEntries(
        Array.from({ length: size }, (_, n) => {
          const next = n === size - 1 ? text : { $ref: `#/$defs/l${n + 1}` };
          return [`l${n}`, { properties: { a: next, b: next } }];
        }),
      ),
    }),
    fits: 9,
    not: 20,
  },
  {
    world: 'choices in a shared definition',
    schema: (size) => ({
      properties: Object.fromEntries(Array.from({ length: size }, (_, n) => [`p${n}`, { $ref: '#/$defs/zone' }])),
      $defs: { zone: { type: 'string', enum: Array.from({ length: 600 }, (_, n) => `Zone/${n}`) } },
    }),
    fits: 40,
    not: 80,
  },
  {
    world: 'rules to parse',
    schema: (size) => ({
      properties: Object.fromEntries(
        Array.from({ length: size }, (_, n) => {
          const rule = `self == oldSelf || ${Array.from({ length: 20 }, (_value, m) => `self == 'value${m}'`).join(' || ')}`;
          return [`p${n}`, { type: 'string', 'x-kubernetes-validations': Array.from({ length: 20 }, () => ({ rule })) }];
        }),
      ),
    }),
    fits: 30,
    not: 80,
  },
];

for (const { world, schema, fits, not } of costly) {
  test(`A form may cost so much work, and no more: ${world}`, () => {
    assert.equal(formOf(schema(fits)).reduced, undefined);
    const beyond = formOf(schema(not));
    assert.match(beyond.reduced ?? '', /too large/);
    assert.deepEqual(coverage(schema(not), beyond).unreachable, []);
  });
}

test('Of the rules about changes at one place a hundred are looked at', () => {
  const rules = (count: number) => ({
    'x-kubernetes-validations': Array.from({ length: count }, (_, n) => ({ rule: `self.a${n} == oldSelf.a${n}` })),
  });
  assert.equal(frozenPaths(rules(100)).length, 100);
  assert.equal(frozenPaths(rules(101)).length, 100);
});

function formOf(schema: JsonObject): FormModel {
  return buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
}
