import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { isObject } from '../../../../src/domain/core/read.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { maskValue, unmaskValue } from '../../../../src/schema/sensitive/mask.ts';
import { sensitivePaths, sensitiveValues } from '../../../../src/schema/sensitive/sensitive-values.ts';

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
    site: { type: 'object', properties: { license: text, seats: { type: 'integer' } } },
    values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const sensitive = ['spec.site', 'spec.users[*].name'];
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create', sensitive });

for (const [what, spec, found] of [
  ['a plain secret', { adminPassword: 'x' }, ['spec.adminPassword']],
  ['a secret by its format', { pin: '1' }, ['spec.pin']],
  [
    'rows and maps',
    { users: [{ password: '' }, { password: 'x' }], apps: { shop: { secret: 'x' } } },
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
  [
    'a name beside a value',
    {
      values: {
        env: [
          { name: 'DB_PASSWORD', value: 'x' },
          { name: 'SIZE', value: '3' },
        ],
      },
    },
    ['spec.values.env[0].value'],
  ],
  ['a map of secrets', { values: { tokens: { ci: 'x', url: 'y' } } }, ['spec.values.tokens.ci']],
  [
    'keys with dots and slashes',
    { values: { users: { 'admin/password': 'x' }, 'db.password': 'y' } },
    ['spec.values.users["admin/password"]', 'spec.values["db.password"]'],
  ],
  ['a number where no schema says it is one', { values: { password: 12345 } }, ['spec.values.password']],
  [
    'an address with a password, and a private key',
    { values: { a: 'postgres://me:pw@db/x', b: 'https://x/y', c: '-----BEGIN RSA PRIVATE KEY-----\n' } },
    ['spec.values.a', 'spec.values.c'],
  ],
  [
    'what the catalogue names, and all below',
    { site: { license: 'x', seats: 3 }, users: [{ name: 'a' }] },
    ['spec.site.license', 'spec.site.seats', 'spec.users[0].name'],
  ],
  ['references', { token: 'my-secret', existingSecret: 'other', values: { existingSecret: 'x' } }, []],
  ['nothing where nothing is set', { adminPassword: '', users: [], store: {} }, []],
] as const) {
  test(`finds ${what}`, () => {
    assert.deepEqual(sensitivePaths(model, spec as unknown as JsonObject), found);
  });
}

const masked = { schema, sensitivePaths: sensitive };
const live = {
  adminPassword: 'hunter2',
  site: { license: 'L', seats: 3 },
  users: [
    { name: 'a', password: 'p1' },
    { name: 'b', password: 'p2' },
  ],
  existingSecret: 'x',
};
const at = (value: unknown): { value: JsonObject; root: string[] } => ({ value: value as JsonObject, root: ['spec'] });

test('what is masked comes back as it was, in whichever row', () => {
  const shown = maskValue(masked, at(live)) as { users: object[] };
  assert.doesNotMatch(stringifyJson(shown), /hunter2|"L"|3|p1|p2/);
  assert.deepEqual(maskValue(masked, at(shown)), shown);
  assert.deepEqual(unmaskValue(masked, at(shown), live), { value: live, faults: [] });
  const moved = { ...shown, users: [...shown.users].toReversed() };
  assert.deepEqual(unmaskValue(masked, at(moved), live).value, { ...live, users: [...live.users].toReversed() });
});

for (const [what, spec] of [
  ['stands for nothing', { adminPassword: '<masked: spec.other>' }],
  ['stands for what is shown anyway', { adminPassword: '<masked: spec.existingSecret>' }],
  ['would show a secret in another field', { existingSecret: '<masked: spec.adminPassword>' }],
  ['is part of another text', { adminPassword: 'new <masked: spec.adminPassword>' }],
  ['is a name of the language', { adminPassword: '<masked: spec.__proto__>' }],
] as const) {
  test(`a stand-in is never written where it ${what}`, () => {
    assert.deepEqual(
      unmaskValue(masked, at(spec), live).faults.map(({ field }) => field),
      [`spec.${Object.keys(spec)[0]}`],
    );
  });
}

test('a stand-in of a new object stands for nothing', () => {
  assert.equal(unmaskValue(masked, at({ adminPassword: '<masked: spec.adminPassword>' }), undefined).faults.length, 1);
});

test('the schema of a map is read once, however many keys it has', () => {
  let reads = 0;
  const description = 'how it is meant '.repeat(120);
  const additionalProperties = Object.defineProperty({ type: 'string' }, 'description', {
    enumerable: true,
    get: () => {
      reads += 1;
      return description;
    },
  });
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`password${n}`, 'x']));
  const schema = { type: 'object', additionalProperties };
  assert.equal(sensitiveValues({ schema, sensitivePaths: [] }, { value, root: ['spec'] }).length, 10_000);
  assert.equal(reads, 1);
});

for (const [what, value, objects] of [
  ['rows', { rows: Array.from({ length: 1_000 }, (_, row) => ({ name: `n${row}`, password: 'x', size: row })) }, 1_001],
  ['keys that depend on those beside them', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`n${n}SecretKey`, 'x'])), 1],
] as const) {
  test(`the walk through a thousand ${what} looks a few times at each value, and lists the keys of an object once`, () => {
    const seen = { reads: 0, lists: 0 };
    const counted: unknown = JSON.parse(stringifyJson(value), (_key, member: unknown) =>
      isObject(member) ? counting(member, seen) : member,
    );
    assert.equal(
      sensitiveValues({ schema: undefined, sensitivePaths: [] }, { value: counted as JsonObject, root: ['spec'] }).length,
      1_000,
    );
    assert.ok(seen.reads <= 10_000, `${seen.reads} reads`);
    assert.equal(seen.lists, objects);
  });
}

function counting<T extends object>(target: T, seen: { reads: number; lists: number }): T {
  return new Proxy(target, {
    get: (object, key) => {
      seen.reads += 1;
      return Reflect.get(object, key) as unknown;
    },
    ownKeys: (object) => {
      seen.lists += 1;
      return Reflect.ownKeys(object);
    },
  });
}
