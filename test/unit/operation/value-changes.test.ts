import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogEntry } from '../../../src/domain/catalog/app-catalog.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { changesOfLive, changesOfNew } from '../../../src/operation/instance/value-changes.ts';

const spec = {
  type: 'object',
  properties: {
    instances: { type: 'integer', default: 1 },
    storage: { type: 'object', properties: { size: { type: 'string', default: '1Gi' }, className: { type: 'string' } } },
    password: { type: 'string', format: 'password' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'caches.example.com' },
  spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }] },
};
const entry = { crd, operator: crd, kindBlock: {}, audience: [], summary: { version: 'v1' } } as unknown as CatalogEntry;

function linesOfNew(own: JsonObject, operator: JsonObject = {}, environment: JsonObject = {}): string[] {
  const inSpec = (values: JsonObject): JsonObject => (Object.keys(values).length === 0 ? {} : { spec: values });
  return changesOfNew(entry, { operator: inSpec(operator), environment: inSpec(environment), own: inSpec(own) }).map(
    ({ path, from, to, layer }) => `${layer}: ${path} ${stringifyJson(from)} > ${stringifyJson(to)}`,
  );
}

test('a new instance differs from its defaults in what somebody set, each by the layer that sets it', () => {
  assert.deepEqual(linesOfNew({ instances: 2 }, { storage: { size: '5Gi' } }, { storage: { className: 'fast' } }), [
    'you: spec.instances 1 > 2',
    'environment: spec.storage.className undefined > "fast"',
    'operator: spec.storage.size "1Gi" > "5Gi"',
  ]);
});

test('what a person sets is compared with what they would get without it', () => {
  assert.deepEqual(linesOfNew({ storage: { size: '9Gi' } }, { storage: { size: '5Gi' } }), ['you: spec.storage.size "5Gi" > "9Gi"']);
});

test('an environment lies over the Operator', () => {
  assert.deepEqual(linesOfNew({}, { instances: 2 }, { instances: 3 }), ['environment: spec.instances 1 > 3']);
});

test('who sets the default itself changes nothing', () => {
  assert.deepEqual(linesOfNew({ instances: 1, storage: { size: '1Gi' } }), []);
  assert.deepEqual(linesOfNew({ instances: 1 }, { instances: 3 }), ['you: spec.instances 3 > 1']);
});

test('a list of the person replaces that of a layer below as a whole', () => {
  assert.deepEqual(linesOfNew({ tags: ['b'] }, { tags: ['a'] }), ['you: spec.tags ["a"] > ["b"]']);
});

test('secrets are reported as different, and no more', () => {
  const [change] = changesOfNew(entry, { operator: {}, environment: {}, own: { spec: { password: 'hunter2' } } });
  assert.deepEqual(change, { path: 'spec.password', to: '[secret]', layer: 'you', secret: true });
});

test('a change says what it takes away, and what the schema gives instead', () => {
  const live = { spec: { instances: 3, storage: { size: '1Gi', className: 'fast' }, password: 'old' } };
  assert.deepEqual(changesOfLive(entry, live, { spec: { storage: { size: '2Gi' }, password: 'new' } }), [
    { path: 'spec.instances', from: 3, to: 1, layer: 'schema', secret: false },
    { path: 'spec.password', from: '[secret]', to: '[secret]', layer: 'you', secret: true },
    { path: 'spec.storage.className', from: 'fast', layer: 'you', secret: false },
    { path: 'spec.storage.size', from: '1Gi', to: '2Gi', layer: 'you', secret: false },
  ]);
});
