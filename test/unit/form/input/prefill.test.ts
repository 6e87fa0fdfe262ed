import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { prefill } from '../../../../src/form/input/prefill.ts';

const model = buildForm({
  schema: {
    properties: {
      instances: { type: 'integer' },
      password: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      users: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, admin: { type: 'boolean' } } } },
      config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
  root: 'spec',
  curated: [],
  mode: 'create',
});

const cases: readonly { readonly world: string; readonly query: string; readonly values: Json }[] = [
  { world: 'A number is a number', query: 'v.spec.instances=3', values: { instances: 3 } },
  {
    world: 'Rows stand in the order of their numbers',
    query: 'v.spec.users[1].name=b&v.spec.users[0].name=a&v.spec.users.0.admin=true',
    values: { users: [{ name: 'a', admin: true }, { name: 'b' }] },
  },
  {
    world: 'Keys of maps are themselves',
    query: 'v.spec.labels.team=a&v.spec.labels["x.y/z"]=b',
    values: { labels: { team: 'a', 'x.y/z': 'b' } },
  },
  {
    world: 'Free-form parts and whole lists are YAML',
    query: 'v.spec.config={a: [1]}&v.spec.users=[{name: c}]',
    values: { config: { a: [1] }, users: [{ name: 'c' }] },
  },
  { world: 'What cannot be read is left out', query: 'v.spec.instances=many&v.spec.config={', values: {} },
  {
    world: 'What the form does not know is left out',
    query: 'v.spec.nothing=1&v.status.x=1&v.spec.users[x].name=1&v.spec.instances.deep=1&name=x',
    values: {},
  },
  { world: 'A secret has no place in a link', query: 'v.spec.password=hunter2', values: {} },
  {
    world: 'Names of the language reach nothing',
    query: 'v.__proto__.x=1&v.spec.__proto__.x=1&v.spec.constructor.prototype.x=1',
    values: {},
  },
  {
    world: 'As a key of a map a name of the language is a key',
    query: 'v.spec.labels.__proto__=1',
    values: JSON.parse('{"labels":{"__proto__":"1"}}') as Json,
  },
];

for (const { world, query, values } of cases) {
  test(world, () => {
    assert.deepEqual(prefill(model, new URLSearchParams(query)), values);
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
  });
}
