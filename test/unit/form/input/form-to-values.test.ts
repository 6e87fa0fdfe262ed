import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormModel } from '../../../../src/form/model/form-node.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';

const storage = {
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'string', format: 'quantity' }, className: { type: 'string' } },
};
const user = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, password: { type: 'string' }, roles: { type: 'array', items: { type: 'string' } } },
};
const SCHEMA: JsonObject = {
  required: ['storage'],
  properties: {
    storage,
    instances: { type: 'integer', minimum: 1 },
    enabled: { type: 'boolean', default: true },
    mode: { enum: ['a', 'b'] },
    users: { type: 'array', items: user, maxItems: 2 },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    backup: { type: 'object', required: ['target'], properties: { target: { type: 'string' }, keep: { type: 'integer' } } },
    port: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    adminPassword: { type: 'string' },
    note: { type: 'string', nullable: true },
  },
};
const create = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'create' });
const edit = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'edit' });
const SIZE: [string, string] = ['v.spec.storage.size', '1Gi'];

interface Case {
  readonly world: string;
  readonly sent: readonly [string, string][];
  readonly model?: FormModel;
  readonly base?: Json;
  readonly values?: Json;
  readonly faults?: readonly string[];
}

const cases: readonly Case[] = [
  {
    world: 'A required field that is empty asks to be filled, by its place',
    sent: [['v.spec.storage.size', '']],
    values: {},
    faults: ['spec.storage.size: Enter size'],
  },
  { world: 'A form that was not filled at all asks for what is required', sent: [], values: {}, faults: ['spec.storage.size: Enter size'] },
  {
    world: 'Empty inputs write nothing',
    sent: [SIZE, ['v.spec.instances', ''], ['v.spec.mode', ''], ['n.spec.users', '0'], ['y.spec.config', '']],
    values: { storage: { size: '1Gi' } },
  },
  {
    world: 'Typed values have their types',
    sent: [SIZE, ['v.spec.instances', '3'], ['v.spec.enabled', 'false'], ['v.spec.mode', 'b']],
    values: { storage: { size: '1Gi' }, instances: 3, enabled: false, mode: 'b' },
  },
  {
    world: 'A number that is none keeps its field',
    sent: [SIZE, ['v.spec.instances', 'x']],
    faults: ['spec.instances: Enter a whole number, such as 3'],
  },
  { world: 'A limit that is broken keeps its field', sent: [SIZE, ['v.spec.instances', '0']], faults: ['spec.instances: Enter 1 or more'] },
  {
    world: 'An optional group that was begun asks for its required field',
    sent: [SIZE, ['v.spec.backup.target', ''], ['v.spec.backup.keep', '2']],
    faults: ['spec.backup.target: Enter target'],
  },
  {
    world: 'A row of nothing but required fields asks for them',
    sent: [SIZE, ['n.spec.users', '1'], ['v.spec.users[0].name', '']],
    faults: ['spec.users[0].name: Enter name'],
  },
  {
    world: 'Too many rows are counted',
    sent: [SIZE, ['n.spec.users', '3'], ...[0, 1, 2].map((row): [string, string] => [`v.spec.users[${row}].name`, 'x'])],
    faults: ['spec.users: Keep at most 2 rows; there are 3'],
  },
  {
    world: 'A row of text that is empty must be filled or removed',
    sent: [SIZE, ['n.spec.users', '1'], ['v.spec.users[0].name', 'x'], ['n.spec.users[0].roles', '1'], ['v.spec.users[0].roles[0]', '']],
    faults: ['spec.users[0].roles[0]: Enter a value, or remove this row'],
  },
  {
    world: 'A row of text that is meant to be empty stays',
    sent: [
      SIZE,
      ['n.spec.users', '1'],
      ['v.spec.users[0].name', 'x'],
      ['n.spec.users[0].roles', '1'],
      ['v.spec.users[0].roles[0]', ''],
      ['s.spec.users[0].roles[0]', 'empty'],
    ],
    values: { storage: { size: '1Gi' }, users: [{ name: 'x', roles: [''] }] },
  },
  {
    world: 'Rows of a map have keys with any character',
    sent: [
      SIZE,
      ['n.spec.labels', '2'],
      ['k.spec.labels[0]', 'a.b/c'],
      ['v.spec.labels[0]', ''],
      ['k.spec.labels[1]', '__proto__'],
      ['v.spec.labels[1]', 'x'],
    ],
    values: JSON.parse('{"storage":{"size":"1Gi"},"labels":{"a.b/c":"","__proto__":"x"}}') as Json,
  },
  {
    world: 'A key that is there twice is a fault, and so is one that is missing',
    sent: [
      SIZE,
      ['n.spec.labels', '3'],
      ['k.spec.labels[0]', 'a'],
      ['v.spec.labels[0]', '1'],
      ['k.spec.labels[1]', 'a'],
      ['v.spec.labels[1]', '2'],
      ['k.spec.labels[2]', ''],
      ['v.spec.labels[2]', '3'],
    ],
    faults: ['spec.labels[1]: The key "a" is used twice', 'spec.labels[2]: Enter a key, or remove this row'],
  },
  {
    world: 'YAML is read, and its fault names the line',
    sent: [SIZE, ['y.spec.config', 'a: 1\r\nb: [\r\n']],
    faults: [
      'spec.config: Line 3, column 1: This is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  },
  {
    world: 'Lines of text keep the ends that the user typed',
    sent: [SIZE, ['v.spec.note', 'a\r\nb']],
    values: { storage: { size: '1Gi' }, note: 'a\nb' },
  },
  {
    world: 'An empty text, list or object that is meant is written',
    sent: [
      SIZE,
      ['v.spec.note', ''],
      ['s.spec.note', 'null'],
      ['v.spec.storage.className', ''],
      ['s.spec.storage.className', 'empty'],
      ['n.spec.users', '0'],
      ['s.spec.users', 'empty'],
    ],
    values: { storage: { size: '1Gi', className: '' }, users: [], note: null },
  },
  {
    world: 'Names that would reach into the language reach nothing',
    sent: [SIZE, ['v.__proto__.x', '1'], ['v.spec.__proto__.x', '1'], ['v.spec.constructor.prototype.x', '1'], ['y.spec.toString', 'a']],
    values: { storage: { size: '1Gi' } },
  },
  { world: 'A billion rows are not read', sent: [SIZE, ['n.spec.labels', '1000000000']], values: { storage: { size: '1Gi' } } },
  {
    world: 'The form as YAML must be an object',
    sent: [['y.spec', '- a']],
    values: {},
    faults: ['spec: Write keys and values, such as "size: 1"'],
  },
  {
    world: 'What the form did not show keeps its live value',
    model: edit,
    base: { storage: { size: '1Gi', other: 0 }, gone: '', 'a/b': false, nothing: null, users: [{ name: 'x' }] },
    sent: [SIZE],
    values: { storage: { size: '1Gi', other: 0 }, gone: '', 'a/b': false, nothing: null, users: [{ name: 'x' }] },
  },
  {
    world: 'A field that was emptied goes away, and its group with it',
    model: edit,
    base: { storage: { size: '1Gi' }, backup: { target: 'x' } },
    sent: [SIZE, ['v.spec.backup.target', ''], ['v.spec.backup.keep', '']],
    values: { storage: { size: '1Gi' } },
  },
  {
    world: 'A field that cannot change keeps its live value, whatever is sent',
    model: edit,
    base: { storage: { size: '1Gi' }, port: 80 },
    sent: [SIZE, ['v.spec.port', '81']],
    values: { storage: { size: '1Gi' }, port: 80 },
  },
  {
    world: 'A field that cannot change can still be set for the first time',
    model: edit,
    base: { storage: { size: '1Gi' } },
    sent: [SIZE, ['v.spec.port', '81']],
    values: { storage: { size: '1Gi' }, port: 81 },
  },
  {
    world: 'A secret left empty keeps its value',
    model: edit,
    base: { storage: { size: '1Gi' }, adminPassword: 'old' },
    sent: [SIZE, ['v.spec.adminPassword', '']],
    values: { storage: { size: '1Gi' }, adminPassword: 'old' },
  },
  {
    world: 'A secret can be replaced',
    model: edit,
    base: { storage: { size: '1Gi' }, adminPassword: 'old' },
    sent: [SIZE, ['v.spec.adminPassword', 'new']],
    values: { storage: { size: '1Gi' }, adminPassword: 'new' },
  },
  {
    world: 'A secret can be taken away',
    model: edit,
    base: { storage: { size: '1Gi' }, adminPassword: 'old' },
    sent: [SIZE, ['v.spec.adminPassword', ''], ['s.spec.adminPassword', 'unset']],
    values: { storage: { size: '1Gi' } },
  },
  {
    world: 'A stand-in for something that is no secret is only text',
    model: edit,
    base: { storage: { size: '1Gi' }, note: 'x' },
    sent: [SIZE, ['v.spec.adminPassword', '<masked: spec.note>']],
    values: { storage: { size: '1Gi' }, note: 'x', adminPassword: '<masked: spec.note>' },
  },
  {
    world: 'Rows that moved take their secrets and unknown members along',
    model: edit,
    base: {
      storage: { size: '1Gi' },
      users: [
        { name: 'anna', password: 'a', x: 1 },
        { name: 'ben', password: 'b' },
      ],
    },
    sent: [
      SIZE,
      ['n.spec.users', '2'],
      ['o.spec.users[0]', '1'],
      ['v.spec.users[0].name', 'ben'],
      ['v.spec.users[0].password', ''],
      ['v.spec.users[1].name', 'new'],
      ['v.spec.users[1].password', ''],
    ],
    values: { storage: { size: '1Gi' }, users: [{ name: 'ben', password: 'b' }, { name: 'new' }] },
  },
];

for (const { world, sent, model = create, base = {}, values, faults = [] } of cases) {
  test(world, () => {
    const result = formToValues(model, new URLSearchParams(sent), base);
    assert.deepEqual(
      result.faults.map(({ field, message }) => `${field}: ${message}`),
      faults,
    );
    if (values !== undefined) assert.deepEqual(result.values, values);
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
  });
}

test('The drafts of a form are its own inputs as they were sent', () => {
  const sent = new URLSearchParams([
    ['v.spec.instances', 'x'],
    ['name', 'orders'],
    ['_op', 'add:spec.users'],
    ['v.', ''],
  ]);
  assert.deepEqual([...formToValues(create, sent, {}).drafts], [['v.spec.instances', 'x']]);
});

test('all YAML of a form together has a limit, which is reported at the field that passes it', () => {
  const words = Array.from({ length: 6 }, (_, index) => `w${index}`);
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const model = buildForm({
    schema: { properties: Object.fromEntries(words.map((word) => [word, free])) },
    root: 'spec',
    curated: [],
    mode: 'create',
  });
  const text = `a: ${'x'.repeat(200 * 1024)}`;
  const fields = new URLSearchParams(words.map((word): [string, string] => [`y.spec.${word}`, text]));
  const { values, faults } = formToValues(model, fields, {});
  assert.deepEqual(Object.keys(values), words.slice(0, 2));
  assert.deepEqual(
    faults.map(({ field, message }) => [field, /longer than 512 KiB; shorten it, or use the REST API/.test(message)]),
    words.slice(2).map((word) => [`spec.${word}`, true]),
  );
});
