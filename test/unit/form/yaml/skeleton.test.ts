import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSkeleton } from '../../../../src/form/yaml/skeleton.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { readYaml } from '../../../../src/schema/yaml-text.ts';

const model = buildForm({
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'What it is called.\nAnd more.' },
      size: { type: 'integer', default: 3 },
      users: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, admin: { type: 'boolean' } } } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      password: { type: 'string', default: 'hunter2' },
      store: {
        type: 'object',
        properties: { class: { enum: ['fast', 'slow'] }, deep: { type: 'object', properties: { a: { type: 'number' } } } },
      },
    },
  },
  root: 'spec',
  curated: [],
  mode: 'create',
});

test('An empty text gets every field as a comment, with its help, default and what it takes', () => {
  const text = withSkeleton(model, '');
  assert.deepEqual(readYaml(text), {});
  assert.doesNotMatch(text, /hunter2/);
  for (const line of [
    '# What it is called. And more. Required.',
    '# name: # text',
    '# size: 3',
    '#   - name: # text',
    '#     admin: # true or false',
    '#   KEY: # text',
    '# password: # a secret',
    '#   class: # one of: fast, slow',
    '#   deep:',
    '#     a: # a number',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`);
  }
});

test('With the signs taken away the comments are YAML of these fields', () => {
  const written = withSkeleton(model, '').replaceAll(/^# ?/gm, '').replace('What it is called. And more. Required.\n', '');
  assert.deepEqual(readYaml(written).value, {
    name: null,
    size: 3,
    users: [{ name: null, admin: null }],
    labels: { KEY: null },
    password: null,
    store: { class: null, deep: { a: null } },
  });
});

test('What a text has is left as it is, and what its groups lack stands at their end', () => {
  const text = 'store: # mine\n  class: fast\nsize: 1\n';
  const full = withSkeleton(model, text);
  assert.deepEqual(readYaml(full).value, { store: { class: 'fast' }, size: 1 });
  assert.match(full, / {2}class: fast\n {2}# deep:\n {2}# {3}a: # a number\nsize: 1\n# What it is called/);
  assert.doesNotMatch(full, /# size:/);
  assert.equal(withSkeleton(model, full), full);
});

test('In a whole resource the fields stand below its spec, and what cannot be read stays as it is', () => {
  assert.match(withSkeleton(model, 'kind: A\nspec:\n  size: 1\n', 'spec'), /spec:\n {2}size: 1\n {2}# What it is called/);
  assert.equal(withSkeleton(model, 'a: ['), 'a: [');
});

test('A help text of many lines cannot leave its comment', () => {
  const hostile = buildForm({
    schema: { properties: { a: { type: 'string', description: 'x\u2028b: 1\r\nc: 2\u0085d: 3' }, 'e\nf: 1': { type: 'string' } } },
    root: 'spec',
    curated: [],
    mode: 'create',
  });
  assert.deepEqual(readYaml(withSkeleton(hostile, '')), {});
});
