import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { differencesBetween } from '../../../../src/form/model/differences.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';

const text = { type: 'string' };
const SCHEMA: JsonObject = {
  type: 'object',
  required: ['storage'],
  properties: {
    instances: { type: 'integer', default: 1 },
    storage: { type: 'object', properties: { size: { type: 'string', default: '1Gi' }, className: text } },
    backup: { type: 'object', default: { keep: 7 }, properties: { keep: { type: 'integer' }, note: text } },
    password: { type: 'string', format: 'password' },
    users: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, login: { type: 'boolean', default: true }, password: text } },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: { type: 'object', properties: { port: { type: 'integer' }, protocol: text, weight: { type: 'integer' } } },
    },
    hosts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
      items: { type: 'object', properties: { name: text, port: { type: 'integer', default: 80 }, path: text } },
    },
    pools: { type: 'object', additionalProperties: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
    tags: { type: 'array', items: text },
    labels: { type: 'object', additionalProperties: text },
    extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    store: {
      oneOf: [
        { type: 'object', properties: { s3: text } },
        { type: 'object', properties: { accessKey: text } },
      ],
    },
  },
};
const root = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'create' }).root;

function lines(from: JsonObject, to: JsonObject): string[] {
  const shown = (value: unknown): string => (value === undefined ? '-' : stringifyJson(value));
  return differencesBetween({ schema: SCHEMA, root }, from, to).map(
    (one) => `${one.path}: ${shown(one.from)} > ${shown(one.to)}${one.secret ? ' secret' : ''}`,
  );
}

const CASES: readonly {
  readonly because: string;
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly lines: readonly string[];
}[] = [
  { because: 'equal values do not differ', from: { instances: 2 }, to: { instances: 2 }, lines: [] },
  {
    because: 'what is absent counts as its default',
    from: {},
    to: { instances: 1, storage: { size: '1Gi' }, backup: { keep: 7 } },
    lines: [],
  },
  { because: 'a default that is left is shown as what it was', from: {}, to: { instances: 3 }, lines: ['spec.instances: 1 > 3'] },
  { because: 'what is taken away falls back', from: { instances: 3 }, to: {}, lines: ['spec.instances: 3 > 1'] },
  {
    because: 'the default of an object is that of its members',
    from: {},
    to: { backup: { keep: 9, note: 'x' } },
    lines: ['spec.backup.keep: 7 > 9', 'spec.backup.note: - > "x"'],
  },
  { because: 'an empty object that is required says nothing', from: {}, to: { storage: {} }, lines: [] },
  { because: 'an empty object that somebody wants does', from: {}, to: { labels: {} }, lines: ['spec.labels: - > {}'] },
  { because: 'names with dots are quoted', from: {}, to: { labels: { 'a.b/c': '1' } }, lines: ['spec.labels["a.b/c"]: - > "1"'] },
  { because: 'lists of scalars count whole', from: { tags: ['a'] }, to: { tags: ['a', 'b'] }, lines: ['spec.tags: ["a"] > ["a","b"]'] },
  {
    because: 'rows are compared with those of the same name wherever they stand',
    from: { users: [{ name: 'anna' }, { name: 'ben', login: false }] },
    to: { users: [{ name: 'cleo' }, { name: 'anna' }, { name: 'ben' }] },
    lines: ['spec.users[name=cleo].name: - > "cleo"', 'spec.users[name=cleo].login: - > true', 'spec.users[name=ben].login: false > true'],
  },
  {
    because: 'a row that goes takes its values with it',
    from: { users: [{ name: 'anna', login: true }, { name: 'ben' }] },
    to: { users: [{ name: 'ben' }] },
    lines: ['spec.users[name=anna].name: "anna" > -', 'spec.users[name=anna].login: true > -'],
  },
  {
    because: 'a key that a row need not spell out tells rows apart all the same',
    from: { hosts: [{ name: 'a', port: 80, path: '/' }] },
    to: {
      hosts: [
        { name: 'a', path: '/x' },
        { name: 'a', port: 81 },
      ],
    },
    lines: [
      'spec.hosts[name=a,port=80].path: "/" > "/x"',
      'spec.hosts[name=a,port=81].name: - > "a"',
      'spec.hosts[name=a,port=81].port: - > 81',
    ],
  },
  {
    because: 'a row of a map comes with what the api-server adds to it',
    from: {},
    to: { pools: { small: {} } },
    lines: ['spec.pools.small.size: - > 1'],
  },
  {
    because: 'another order of the same rows is reported',
    from: { users: [{ name: 'anna' }, { name: 'ben' }] },
    to: { users: [{ name: 'ben' }, { name: 'anna' }] },
    lines: ['spec.users[*]: ["name=anna","name=ben"] > ["name=ben","name=anna"]'],
  },
  {
    because: 'the order of a list that the api-server keeps by key means nothing',
    from: {
      ports: [
        { port: 80, protocol: 'TCP', weight: 1 },
        { port: 80, protocol: 'UDP' },
      ],
    },
    to: {
      ports: [
        { port: 80, protocol: 'UDP' },
        { port: 80, protocol: 'TCP', weight: 2 },
      ],
    },
    lines: ['spec.ports[port=80,protocol=TCP].weight: 1 > 2'],
  },
  {
    because: 'rows that share a name go by their place',
    from: { users: [{ name: 'anna' }, { name: 'anna' }] },
    to: { users: [{ name: 'anna' }, { name: 'anna', login: false }] },
    lines: ['spec.users[1].login: true > false'],
  },
  { because: 'secrets are marked', from: {}, to: { password: 'x' }, lines: ['spec.password: - > "x" secret'] },
  {
    because: 'secrets in rows are marked',
    from: { users: [{ name: 'anna', password: 'x' }] },
    to: { users: [{ name: 'anna', password: 'y' }] },
    lines: ['spec.users[name=anna].password: "x" > "y" secret'],
  },
  {
    because: 'what no control describes is a secret by its name',
    from: {},
    to: { extra: { auth: { token: 'x', realm: 'y' } } },
    lines: ['spec.extra.auth.token: - > "x" secret', 'spec.extra.auth.realm: - > "y"'],
  },
  {
    because: 'what is a secret in any branch is one',
    from: {},
    to: { store: { accessKey: 'x' } },
    lines: ['spec.store.accessKey: - > "x" secret'],
  },
  {
    because: 'zero, no and the empty text are values',
    from: {},
    to: { instances: 0, tags: [''] },
    lines: ['spec.instances: 1 > 0', 'spec.tags: - > [""]'],
  },
  { because: 'null is a value', from: {}, to: { extra: { a: null } }, lines: ['spec.extra.a: - > null'] },
  { because: 'the api-server drops a null of what is described otherwise', from: {}, to: { instances: null, extra: null }, lines: [] },
  {
    because: 'what holds a secret is one, when it is reported whole',
    from: { extra: { auth: [{ token: 'x' }, 1] } },
    to: { extra: 'x' },
    lines: ['spec.extra: {"auth":[{"token":"x"},1]} > "x" secret'],
  },
  {
    because: 'an object that becomes something else is reported whole',
    from: { extra: { a: 1 } },
    to: { extra: 'x' },
    lines: ['spec.extra: {"a":1} > "x"'],
  },
];

for (const { because, from, to, lines: wanted } of CASES) {
  test(because, () => assert.deepEqual(lines(from, to), wanted));
}
