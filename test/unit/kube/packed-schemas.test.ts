import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaOf } from '../../../src/domain/catalog/app-catalog.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject, KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createSchemaPacker } from '../../../src/kube/watch/packed-schemas.ts';

const PROPERTIES = { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 9223372036854775807n } } } };
const ROOT = { description: 'A thing.', properties: PROPERTIES, required: ['spec'], type: 'object' };

function crd(name: string, schema: JsonObject = ROOT): KubeObject {
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
    {
      name: 'v2',
      served: true,
      storage: false,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
    { name: 'v0', served: false, storage: false },
  ];
  const spec = { group: 'example.com', scope: 'Namespaced', versions };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec, status: { conditions: [] } };
}

const propertiesOf = (object: KubeObject): unknown => schemaOf(object, 'v1')['properties'];

test('a packed CRD reads, and is written, as the CRD itself, large numbers and the order of members included', () => {
  const packed = createSchemaPacker()(crd('things.example.com'));
  assert.deepEqual(propertiesOf(packed), PROPERTIES);
  assert.equal(stringifyJson(packed), stringifyJson(crd('things.example.com')));
  assert.deepEqual(structuredClone(packed), crd('things.example.com'));
});

test('a CRD without versions or schemas stays what it is', () => {
  const bare = { ...crd('bare.example.com'), spec: { group: 'example.com' } };
  assert.equal(createSchemaPacker()(bare), bare);
});

test('only the schemas that were read last stay parsed', () => {
  const size = stringifyJson(PROPERTIES).length;
  const pack = createSchemaPacker(2 * size);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => pack(crd(`${name}.example.com`))) as [KubeObject, KubeObject, KubeObject];
  const first = propertiesOf(a);
  const second = propertiesOf(b);
  assert.equal(propertiesOf(a), first, 'two of them fit');
  propertiesOf(c);
  assert.equal(propertiesOf(a), first, 'read again since');
  assert.notEqual(propertiesOf(b), second);
});

test('a schema that alone is larger than the limit is parsed once for those who read it in a row', () => {
  const packed = createSchemaPacker(1)(crd('large.example.com'));
  assert.equal(propertiesOf(packed), propertiesOf(packed));
});
