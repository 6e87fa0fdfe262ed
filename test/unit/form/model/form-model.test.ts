import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { curatedFromExample } from '../../../../src/form/model/node-base.ts';
import { buildForm, type FormInput } from '../../../../src/form/model/form-model.ts';
import type { FormNode, GroupNode } from '../../../../src/form/model/form-node.ts';

const QUANTITY = '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

interface Case {
  readonly world: string;
  readonly key?: string;
  readonly schema: JsonObject;
  readonly kind: FormNode['kind'];
  /** Part of what the node says beyond its kind. */
  readonly says?: Record<string, unknown>;
}

const cases: readonly Case[] = [
  { world: 'Text is one line', schema: { type: 'string', maxLength: 5 }, kind: 'text', says: { constraints: { maxLength: 5 } } },
  { world: 'Text whose default has lines has several', schema: { type: 'string', default: 'a\nb' }, kind: 'multiline' },
  { world: 'A script has several lines', key: 'initScript', schema: { type: 'string' }, kind: 'multiline' },
  { world: 'A file is named in one line', key: 'extraConfigFile', schema: { type: 'string' }, kind: 'text' },
  { world: 'So is a script that is a path', key: 'initScript', schema: { type: 'string', default: '/init.sh' }, kind: 'text' },
  {
    world: 'An integer keeps its limits',
    schema: { type: 'integer', minimum: 1, maximum: 9 },
    kind: 'integer',
    says: { constraints: { minimum: 1, maximum: 9 } },
  },
  {
    world: 'Draft 4 excludes a limit by a flag',
    schema: { type: 'number', minimum: 1, exclusiveMinimum: true },
    kind: 'number',
    says: { constraints: { minimum: 1, exclusiveMinimum: 1 } },
  },
  { world: 'A boolean is a boolean', schema: { type: 'boolean', default: true }, kind: 'boolean', says: { fallback: true } },
  { world: 'A choice is an enum', schema: { type: 'string', enum: ['a', 'b'] }, kind: 'enum' },
  { world: 'A constant is a choice of one', schema: { const: 'v1' }, kind: 'enum' },
  { world: 'A choice with null is nullable', schema: { enum: ['a', null] }, kind: 'enum', says: { nullable: true } },
  { world: 'Choices that read the same are a choice', schema: { enum: ['1', 1] }, kind: 'enum' },
  { world: 'A choice of objects is YAML', schema: { enum: [{ a: 1 }, { a: 2 }] }, kind: 'yaml' },
  { world: 'Alternatives of constants are a choice', schema: { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, kind: 'enum' },
  {
    world: 'A choice of thousands is text',
    schema: { type: 'string', enum: Array.from({ length: 3000 }, (_, n) => `v${n}`) },
    kind: 'text',
  },
  {
    world: "Kubernetes' pattern makes a quantity",
    schema: { type: 'string', pattern: QUANTITY },
    kind: 'quantity',
    says: { strict: true },
  },
  {
    world: 'A size with an example is a quantity, loosely',
    key: 'size',
    schema: { type: 'string', description: 'For example 10Gi' },
    kind: 'quantity',
    says: { strict: false },
  },
  { world: 'A size like a shirt has none', key: 'size', schema: { type: 'string', description: 'S, M or L' }, kind: 'text' },
  {
    world: 'A quantity may be a number',
    schema: { 'x-kubernetes-int-or-string': true, pattern: QUANTITY },
    kind: 'quantity',
    says: { types: ['integer', 'string'] },
  },
  {
    world: 'The duration format makes a duration',
    schema: { type: 'string', format: 'duration' },
    kind: 'duration',
    says: { strict: true },
  },
  {
    world: 'A timeout with such a default is a duration, loosely',
    key: 'timeout',
    schema: { type: 'string', default: '30s' },
    kind: 'duration',
    says: { strict: false },
  },
  {
    world: 'int-or-string is both',
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    kind: 'int-or-string',
  },
  {
    world: 'Two scalar types are both',
    schema: { type: ['boolean', 'string'] },
    kind: 'int-or-string',
    says: { types: ['boolean', 'string'] },
  },
  { world: 'Scalar alternatives are both', schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] }, kind: 'int-or-string' },
  { world: 'A type or null is that type', schema: { type: ['string', 'null'] }, kind: 'text', says: { nullable: true } },
  {
    world: 'A branch or null is that branch',
    schema: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
    kind: 'integer',
    says: { nullable: true },
  },
  { world: 'A password is masked', key: 'adminPassword', schema: { type: 'string' }, kind: 'secret' },
  { world: 'A password by format is masked', key: 'anything', schema: { type: 'string', format: 'password' }, kind: 'secret' },
  { world: 'A token is masked', key: 'api_token', schema: { type: 'string' }, kind: 'secret' },
  { world: 'The name of a Secret is no secret', key: 'passwordSecretName', schema: { type: 'string' }, kind: 'text' },
  {
    world: 'A reference to a Secret is no secret',
    key: 'secret',
    schema: { type: 'string', description: 'Name of the Secret with the keys' },
    kind: 'text',
  },
  {
    world: 'Rows of scalars are a list',
    schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
    kind: 'list',
    says: { constraints: { minItems: 1 } },
  },
  { world: 'Rows of objects are a list', schema: { type: 'array', items: { type: 'object', properties: { a: {} } } }, kind: 'list' },
  { world: 'A list of lists is typed too', schema: { type: 'array', items: { type: 'array', items: { type: 'integer' } } }, kind: 'list' },
  { world: 'A list of anything is YAML', schema: { type: 'array', items: {} }, kind: 'yaml' },
  { world: 'A list without items is YAML', schema: { type: 'array' }, kind: 'yaml' },
  { world: 'A tuple is YAML', schema: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }, kind: 'yaml' },
  { world: 'Keys and texts are a map', schema: { type: 'object', additionalProperties: { type: 'string' } }, kind: 'map' },
  {
    world: 'Keys of one pattern are a map',
    schema: { type: 'object', additionalProperties: false, patternProperties: { '.*': { type: 'string' } } },
    kind: 'map',
  },
  {
    world: 'Keys and objects are a map',
    schema: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
    kind: 'map',
  },
  {
    world: 'An object that may hold anything is YAML',
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    kind: 'yaml',
  },
  { world: 'Members make a group', schema: { properties: { a: { type: 'string' } } }, kind: 'group', says: { open: false } },
  {
    world: 'Members and more make an open group',
    schema: { properties: { a: {} }, additionalProperties: { type: 'string' } },
    kind: 'group',
    says: { open: true },
  },
  {
    world: 'Alternatives that only require change nothing',
    schema: { type: 'object', properties: { a: {} }, oneOf: [{ required: ['a'] }] },
    kind: 'group',
    says: { open: false },
  },
  {
    world: 'Alternatives that add keys open the group',
    schema: { type: 'object', properties: { a: {} }, anyOf: [{ properties: { b: {} } }] },
    kind: 'group',
    says: { open: true },
  },
  {
    world: 'Alternatives of objects are a choice',
    schema: { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
    kind: 'choice',
  },
  {
    world: 'Members of which one is required are a choice, as kinds of Kubernetes write it',
    schema: { type: 'object', properties: { a: {}, b: {}, c: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    kind: 'choice',
  },
  { world: 'An object or text is a choice', schema: { type: ['object', 'string'] }, kind: 'choice' },
  {
    world: 'Alternatives of alternatives are one choice',
    schema: { oneOf: [{ type: 'string' }, { oneOf: [{ type: 'array', items: { type: 'string' } }, { properties: { a: {} } }] }] },
    kind: 'choice',
  },
  { world: 'A choice between unknown things is YAML', schema: { type: ['object', 'array'] }, kind: 'yaml' },
  { world: 'Nothing said is YAML', schema: {}, kind: 'yaml' },
  {
    world: 'allOf is merged',
    schema: { allOf: [{ type: 'integer' }, { minimum: 2 }] },
    kind: 'integer',
    says: { constraints: { minimum: 2 } },
  },
  {
    world: 'A type that all parts of allOf allow counts',
    schema: { allOf: [{ type: ['number', 'string'] }, { type: 'integer' }] },
    kind: 'integer',
  },
  {
    world: 'Parts of allOf that contradict one another are YAML',
    schema: { allOf: [{ type: 'string' }, { type: 'boolean' }] },
    kind: 'yaml',
  },
  {
    world: 'A rule freezes a field',
    schema: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    kind: 'text',
    says: { immutable: true },
  },
  { world: 'A remote reference is never followed', schema: { $ref: 'https://example.com/x.json' }, kind: 'yaml' },
];

for (const { world, key = 'field', schema, kind, says = {} } of cases) {
  test(world, () => {
    const node = only(formOf({ schema: { properties: { [key]: schema } } }));
    assert.equal(node.kind, kind);
    for (const [name, value] of Object.entries(says)) assert.deepEqual((node as unknown as Record<string, unknown>)[name], value, name);
  });
}

test('What parts of allOf say about rows counts together', () => {
  const parts: JsonObject[] = [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }];
  const lists = only(formOf({ schema: { properties: { x: { allOf: parts.map((items) => ({ type: 'array', items })) } } } }));
  const maps = only(formOf({ schema: { properties: { x: { allOf: parts.map((row) => ({ additionalProperties: row })) } } } }));
  const rows = [lists.kind === 'list' ? lists.item : lists, maps.kind === 'map' ? maps.value : maps];
  for (const row of rows) assert.deepEqual(row.kind === 'group' && row.children.map(({ key }) => key), ['a', 'b']);
});

test('Local references are followed and what stands beside them counts', () => {
  const schema = {
    properties: { a: { $ref: '#/$defs/size~1x', description: 'Near.' } },
    $defs: { 'size/x': { type: 'integer', description: 'Far.', minimum: 3 } },
  };
  const node = only(formOf({ schema }));
  assert.equal(node.kind, 'integer');
  assert.equal(node.help.summary, 'Near.');
});

test('A schema that contains itself ends in YAML', () => {
  const tree = { type: 'object', properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } } };
  const root = formOf({ schema: { $ref: '#/$defs/tree', $defs: { tree } } });
  assert.deepEqual(
    root.children.map((child) => [child.key, child.kind]),
    [
      ['name', 'text'],
      ['children', 'yaml'],
    ],
  );
});

test('Fields stand in three layers: required with required ancestors, picked, and all others', () => {
  const storage = { type: 'object', required: ['size'], properties: { className: { type: 'string' }, size: { type: 'string' } } };
  const backup = { type: 'object', required: ['target'], properties: { target: { type: 'string' }, keep: { type: 'integer' } } };
  const root = formOf({
    schema: { required: ['storage'], properties: { backup, extra: { type: 'string' }, instances: { type: 'integer' }, storage } },
    curated: ['spec.instances', 'spec.backup.keep'],
  });
  const layers = root.children
    .flatMap((child) => [child, ...(child.kind === 'group' ? child.children : [])])
    .map((node) => [node.path.join('.'), node.layer]);
  assert.deepEqual(layers, [
    ['spec.storage', 'required'],
    ['spec.storage.size', 'required'],
    ['spec.storage.className', 'all'],
    ['spec.instances', 'curated'],
    ['spec.backup', 'curated'],
    ['spec.backup.keep', 'curated'],
    ['spec.backup.target', 'all'],
    ['spec.extra', 'all'],
  ]);
});

test('A picked member of rows brings the list to the surface', () => {
  const users = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, note: { type: 'string' } } } };
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, { type: 'string' }]));
  for (const curated of [['spec.users[].name'], ['spec.users[*].name']]) {
    assert.equal(formOf({ schema: { properties: { ...others, users } }, curated }).children[0]?.key, 'users');
  }
});

test('A required field with a default need not be filled', () => {
  const root = formOf({ schema: { required: ['a'], properties: { a: { type: 'string', default: 'x' } } } });
  assert.equal(only(root).required, false);
});

test('The catalogue overrides the default that is shown, and an object hands its default down', () => {
  const schema = {
    properties: { a: { type: 'string', default: 'x' }, b: { type: 'object', default: { c: 2 }, properties: { c: { type: 'integer' } } } },
  };
  const [a, b] = formOf({ schema, defaults: { a: 'y' } }).children;
  assert.equal(a?.fallback, 'y');
  assert.equal((b as GroupNode).children[0]?.fallback, 2);
});

test('A small form without picked fields shows everything, a large one folds it away', () => {
  const properties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { type: 'string' }]));
  assert.equal(formOf({ schema: { properties: properties(15) } }).children[0]?.layer, 'curated');
  assert.equal(formOf({ schema: { properties: properties(16) } }).children[0]?.layer, 'all');
});

test('An example picks the fields that it sets', () => {
  const picked = curatedFromExample({ spec: { size: '1Gi', storage: { 'a.b': [1] } } });
  const root = formOf({
    schema: {
      properties: {
        other: {},
        size: { type: 'string' },
        storage: { type: 'object', properties: { 'a.b': { type: 'array', items: { type: 'integer' } } } },
      },
    },
    curated: picked,
  });
  assert.deepEqual(
    root.children.map((child) => [child.key, child.layer]),
    [
      ['size', 'curated'],
      ['storage', 'curated'],
      ['other', 'all'],
    ],
  );
});

function formOf(input: Partial<FormInput> & { readonly schema: JsonObject }): GroupNode {
  const { root } = buildForm({ root: 'spec', curated: [], mode: 'create', ...input });
  if (root.kind !== 'group') assert.fail(`the root is ${root.kind}`);
  return root;
}

function only(group: GroupNode): FormNode {
  const [child] = group.children;
  if (child === undefined) assert.fail('the group is empty');
  return child;
}

test('The form of a release without picked fields begins with the values of the chart; its version and the like stand among all fields', () => {
  for (const many of [0, 60]) assertValuesFirst(many);
});

/** @param many values beside the first one: a form with many fields shows what is suggested. */
function assertValuesFirst(many: number): void {
  const text = { type: 'string' };
  const values = {
    type: 'object',
    properties: { title: text, ...Object.fromEntries(Array.from({ length: many }, (_, index) => [`v${index}`, text])) },
  };
  const spec = {
    type: 'object',
    properties: { expires: text, suspend: { type: 'boolean' }, values, valuesFrom: { type: 'array', items: text }, version: text },
  };
  const { root } = buildForm({
    schema: { type: 'object', properties: { spec } },
    root: '',
    hoisted: 'spec',
    chartValues: ['spec', 'values'],
    curated: [],
    suggested: ['spec.version'],
    defaultsFrom: 'operator',
    mode: 'create',
  });
  assert.ok(root.kind === 'group');
  const [top] = root.children;
  assert.ok(top?.kind === 'group');
  const layers = top.children.map(({ key, layer }) => [key, layer === 'all' ? 'all' : 'first']);
  assert.deepEqual(layers, [
    ['values', 'first'],
    ['valuesFrom', 'first'],
    ['expires', 'all'],
    ['suspend', 'all'],
    ['version', 'all'],
  ]);
}
