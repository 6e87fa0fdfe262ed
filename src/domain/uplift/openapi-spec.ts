import type { KubeObject } from '../kubernetes/resource.ts';
import { type Fields, fieldsOf, isFields, listOf } from './conversion.ts';

const KEEP = { 'x-kubernetes-preserve-unknown-fields': true };
const SCALARS = new Set(['string', 'integer', 'number', 'boolean']);
const MAX_DEPTH = 20;

/**
 * Gives a CustomResourceDefinition (v1) without a schema the fields that the chart's `openapispec.json` describes (the convention of KubePlus
 * in 2018: Swagger 2.0 definitions, one of them named after the kind). The description was documentation and never enforced, so nothing
 * becomes required, unknown fields are kept, lists may be null, and `status` stays free. A definition with a schema of its own, or whose kind
 * the text does not describe, is returned as it is; so is every definition when the text cannot be read.
 */
export function describeFromOpenApiSpec(definition: KubeObject, openApiSpec: string): KubeObject {
  const definitions = definitionsOf(openApiSpec);
  const spec = fieldsOf(definition.spec);
  const kind = fieldsOf(spec['names'])['kind'];
  const root = Object.entries(definitions).find(([name]) => name.split('.').at(-1) === kind)?.[1];
  const described = fieldsOf(fieldsOf(root)['properties'])['spec'];
  if (!isFields(described) || !listOf(spec['versions']).every(isFree)) return definition;
  const schema = describe(described, { definitions, depth: MAX_DEPTH });
  const description = fieldsOf(root)['description'];
  const versions = listOf(spec['versions']).map((version) => withSpecSchema(version, schema, description));
  return { ...definition, spec: { ...spec, versions } };
}

function definitionsOf(openApiSpec: string): Fields {
  try {
    const parsed: unknown = JSON.parse(openApiSpec);
    return fieldsOf(fieldsOf(parsed)['definitions']);
  } catch {
    return {};
  }
}

function isFree(version: Fields): boolean {
  const properties = fieldsOf(fieldsOf(fieldsOf(version['schema'])['openAPIV3Schema'])['properties']);
  return !('properties' in fieldsOf(properties['spec']));
}

function withSpecSchema(version: Fields, specSchema: Fields, description: unknown): Fields {
  const schema = fieldsOf(fieldsOf(version['schema'])['openAPIV3Schema']);
  const properties = { ...fieldsOf(schema['properties']), spec: specSchema };
  const text = typeof description === 'string' ? { description } : {};
  return { ...version, schema: { openAPIV3Schema: { ...schema, ...text, properties } } };
}

interface Walk {
  readonly definitions: Fields;
  readonly depth: number;
}

function describe(node: Fields, walk: Walk): Fields {
  if (walk.depth === 0) return KEEP;
  const below = { ...walk, depth: walk.depth - 1 };
  const { $ref: reference, type, properties } = node;
  if (typeof reference === 'string') return describe(fieldsOf(walk.definitions[reference.replace('#/definitions/', '')]), below);
  const text = typeof node['description'] === 'string' ? { description: node['description'] } : {};
  if (isFields(properties)) {
    const known = Object.entries(properties).map(([name, child]) => [name, describe(fieldsOf(child), below)] as const);
    return { type: 'object', ...text, ...KEEP, properties: Object.fromEntries(known) };
  }
  if (type === 'array') return { type, ...text, nullable: true, items: describe(fieldsOf(node['items']), below) };
  if (typeof type === 'string' && SCALARS.has(type)) return { type, ...text };
  return type === 'object' ? { type, ...text, ...KEEP } : { ...text, ...KEEP };
}
