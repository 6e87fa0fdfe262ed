import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/domain/resource.ts';
import { buildForm } from '../../../src/schema/form-model.ts';
import { secretPaths } from '../../../src/schema/secret-paths.ts';

const text = { type: 'string' };
const schema: JsonObject = {
  type: 'object',
  properties: {
    adminPassword: text,
    token: { type: 'string', description: 'The name of a Secret that holds it.' },
    pin: { type: 'string', format: 'password' },
    users: { type: 'array', items: { type: 'object', properties: { name: text, password: text } } },
    apps: { type: 'object', additionalProperties: { type: 'object', properties: { secret: text } } },
    existingSecret: text,
    passwords: { type: 'array', items: { type: 'string', format: 'password' } },
    store: {
      type: 'object',
      oneOf: [
        { properties: { s3: { type: 'object', properties: { secretKey: text } } }, required: ['s3'] },
        { properties: { gcs: { type: 'object', properties: { credentials: text } } }, required: ['gcs'] },
      ],
    },
    values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const model = buildForm({ schema, root: 'spec', curated: [], defaults: {}, defaultsFrom: 'operator', mode: 'create', kinds: [] });

for (const [what, spec, found] of [
  ['a plain secret', { adminPassword: 'x' }, ['spec.adminPassword']],
  ['a secret by its format', { pin: '1' }, ['spec.pin']],
  [
    'rows and maps',
    { users: [{ name: 'a' }, { password: 'x' }], apps: { shop: { secret: 'x' } } },
    ['spec.users[1].password', 'spec.apps.shop.secret'],
  ],
  ['a list of secrets', { passwords: ['a', 'b'] }, ['spec.passwords[0]', 'spec.passwords[1]']],
  [
    'every branch',
    { store: { s3: { secretKey: 'x' }, gcs: { credentials: 'y' } } },
    ['spec.store.s3.secretKey', 'spec.store.gcs.credentials'],
  ],
  [
    'what no schema describes',
    { values: { auth: { password: 'x', keys: [{ api_key: 'y' }] } } },
    ['spec.values.auth.password', 'spec.values.auth.keys[0].api_key'],
  ],
  ['a list that no schema describes', { values: { token: ['x'] } }, ['spec.values.token[0]']],
  ['references', { token: 'my-secret', existingSecret: 'other', values: { existingSecret: 'x' } }, []],
  ['nothing where nothing is set', { adminPassword: '', users: [], store: {} }, []],
] as const) {
  test(`finds ${what}`, () => {
    assert.deepEqual(secretPaths(model, spec as unknown as JsonObject), found);
  });
}
