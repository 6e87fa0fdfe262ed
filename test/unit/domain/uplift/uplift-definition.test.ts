import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { describeFromOpenApiSpec } from '../../../../src/domain/uplift/openapi-spec.ts';
import { uplift } from '../../../../src/domain/uplift/uplift.ts';

const KEEP = { 'x-kubernetes-preserve-unknown-fields': true };
const META = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
const FREE = { type: 'object', ...KEEP };

function definition(spec: Readonly<Record<string, unknown>>): KubeObject {
  const names = { kind: 'Ship', plural: 'ships' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ships.example.com' },
    spec: { group: 'example.com', names, ...spec },
  };
}

function lifted(spec: Readonly<Record<string, unknown>>): { spec: Record<string, unknown>; note: string; object: KubeObject } {
  const { objects, conversions } = uplift([definition(spec)]);
  const [object] = objects;
  assert.ok(object);
  return { spec: object.spec as Record<string, unknown>, note: conversions[0]?.note ?? '', object };
}

function schemaOf(
  validation: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = { preserveUnknownFields: false },
): { schema: unknown; note: string } {
  const { spec, note } = lifted({ version: 'v1', validation: { openAPIV3Schema: validation }, ...more });
  const [version] = spec['versions'] as { schema: { openAPIV3Schema: unknown } }[];
  return { schema: version?.schema.openAPIV3Schema, note };
}

test('a CRD without a schema gets one that holds anything, and becomes namespaced as it was by default', () => {
  const { spec, note } = lifted({
    version: 'v1',
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Size', type: 'string', JSONPath: '.spec.size' }],
  });
  assert.deepEqual(spec, {
    scope: 'Namespaced',
    group: 'example.com',
    names: { kind: 'Ship', plural: 'ships' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', ...KEEP, properties: { ...META, spec: FREE, status: FREE } } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
      },
    ],
  });
  assert.match(note, /there was no schema/);
});

test('each version keeps what is its own, and takes from the top what it does not say', () => {
  const { spec } = lifted({
    scope: 'Cluster',
    versions: [
      { name: 'v1', served: true, storage: true, subresources: { status: {} } },
      { name: 'v0', served: false, storage: false, schema: { openAPIV3Schema: { properties: { spec: { type: 'string' } } } } },
    ],
    validation: { openAPIV3Schema: { properties: { spec: { type: 'integer' } } } },
    conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://example.com' } },
    preserveUnknownFields: false,
  });
  assert.equal(spec['scope'], 'Cluster');
  const versions = spec['versions'] as {
    name: string;
    subresources?: unknown;
    schema: { openAPIV3Schema: { properties: { spec: unknown } } };
  }[];
  assert.deepEqual(
    versions.map((version) => [version.name, version.subresources, version.schema.openAPIV3Schema.properties.spec]),
    [
      ['v1', { status: {} }, { type: 'integer' }],
      ['v0', undefined, { type: 'string' }],
    ],
  );
  assert.deepEqual(spec['conversion'], {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1beta1'] },
  });
});

test('a schema becomes structural: types that follow are written, what is forbidden is left out and named', () => {
  const { schema, note } = schemaOf({
    required: ['spec'],
    properties: {
      spec: {
        properties: {
          size: { type: 'integer', minimum: 1, description: 'How many' },
          mode: { enum: ['a', 'b'] },
          port: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
          tags: { type: 'array', uniqueItems: true, items: { pattern: '^a' } },
          extra: {},
          labels: { additionalProperties: { type: 'string' } },
          free: { additionalProperties: true },
          ref: { $ref: '#/definitions/x' },
        },
        oneOf: [{ required: ['size'] }, { required: ['mode'] }],
        anyOf: [{ properties: { mode: { enum: ['a'] } } }],
      },
    },
  });
  assert.deepEqual(schema, {
    type: 'object',
    required: ['spec'],
    properties: {
      ...META,
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', minimum: 1, description: 'How many' },
          mode: { type: 'string', enum: ['a', 'b'] },
          port: { 'x-kubernetes-int-or-string': true },
          tags: { type: 'array', items: { type: 'string', pattern: '^a' } },
          extra: KEEP,
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          free: FREE,
          ref: KEEP,
        },
        oneOf: [{ required: ['size'] }, { required: ['mode'] }],
      },
    },
  });
  assert.match(note, /uniqueItems is no longer validated/);
  assert.match(note, /\$ref is no longer validated/);
  assert.match(note, /condition \(anyOf\)/);
});

test('unknown fields stay where v1beta1 kept them: at every level of the schema', () => {
  const { schema } = schemaOf({ properties: { spec: { type: 'object', properties: { inner: { type: 'object' } } } } }, {});
  assert.deepEqual(schema, { type: 'object', ...KEEP, properties: { ...META, spec: { ...FREE, properties: { inner: FREE } } } });
});

test('a kind in a group of the Kubernetes project is marked as unapproved', () => {
  const { objects } = uplift([definition({ group: 'apps.k8s.io', version: 'v1' })]);
  assert.match(objects[0]?.metadata.annotations?.['api-approved.kubernetes.io'] ?? '', /^unapproved/);
});

const OPEN_API = JSON.stringify({
  definitions: {
    'typedir.Ship': {
      description: 'A ship',
      required: ['spec', 'status'],
      properties: { spec: { $ref: '#/definitions/typedir.ShipSpec' }, status: { $ref: '#/definitions/typedir.Nothing' } },
    },
    'typedir.ShipSpec': {
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'Its name' },
        crew: { type: 'array', items: { $ref: '#/definitions/typedir.Sailor' } },
        weight: { type: 'integer', format: 'int32' },
      },
    },
    'typedir.Sailor': { properties: { name: { type: 'string' }, boss: { $ref: '#/definitions/typedir.Sailor' } } },
  },
});

test('the openapispec.json of 2018 describes a kind without schema; it requires nothing and loses nothing', () => {
  const described = describeFromOpenApiSpec(lifted({ version: 'v1' }).object, OPEN_API);
  const [version] = (described.spec as { versions: { schema: { openAPIV3Schema: Record<string, unknown> } }[] }).versions;
  const root = version?.schema.openAPIV3Schema;
  assert.equal(root?.['description'], 'A ship');
  const properties = root?.['properties'] as Record<string, { required?: unknown; properties: Record<string, Record<string, unknown>> }>;
  assert.deepEqual(properties['status'], FREE);
  assert.equal(properties['spec']?.required, undefined);
  assert.deepEqual(properties['spec']?.properties['name'], { type: 'string', description: 'Its name' });
  assert.equal(properties['spec']?.properties['crew']?.['nullable'], true);
  assert.ok(stringifyJson(root).length < 5000, 'a definition that refers to itself ends');
});

test('a CRD with a schema of its own, another kind, and a text that cannot be read change nothing', () => {
  const own = lifted({
    version: 'v1',
    validation: { openAPIV3Schema: { properties: { spec: { properties: { a: { type: 'string' } } } } } },
  }).object;
  const bare = lifted({ version: 'v1' }).object;
  assert.equal(describeFromOpenApiSpec(own, OPEN_API), own);
  assert.equal(describeFromOpenApiSpec(bare, OPEN_API.replaceAll('Ship', 'Boat')), bare);
  assert.equal(describeFromOpenApiSpec(bare, '{'), bare);
});
