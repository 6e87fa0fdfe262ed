import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { valueWords } from '../../form/view/value-words.ts';
import { sensitiveValues } from '../../schema/sensitive/sensitive-values.ts';

/** A row of the table of parameters: a leaf of the schema below `spec` or beside it. */
export interface Parameter {
  /** `storage.size`, `users[].name`, `labels.*`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** In words; empty when there is none, and for secrets. */
  readonly default: string;
  readonly description: string;
}

const DEPTH_LIMIT = 12;
const COUNT_LIMIT = 2000;
const MAX_DEFAULT_LENGTH = 80;

/**
 * The parameters that a CustomResourceDefinition's `openAPIV3Schema` describes below `spec`, in its order, and then those beside it; bounded in depth and
 * number.
 *
 * @param sensitivePaths the fields that the catalogue calls sensitive: `spec.license`.
 */
export function listParameters(schema: JsonObject, sensitivePaths: readonly string[]): readonly Parameter[] {
  const { metadata: _metadata, spec, ...beside } = objectAt(contentSchema(schema), 'properties') ?? {};
  const inSpec = isObject(spec) ? below(spec, '', { root: ['spec'], sensitivePaths, depth: 0 }) : [];
  const others = below({ properties: beside, required: schema.required ?? [] }, '', { root: [], sensitivePaths, depth: 0 });
  return [...inSpec, ...others].slice(0, COUNT_LIMIT);
}

interface Below {
  /** Where the paths begin. */
  readonly root: readonly string[];
  readonly sensitivePaths: readonly string[];
  readonly depth: number;
}

function below(schema: JsonObject, path: string, place: Below): Parameter[] {
  if (place.depth > DEPTH_LIMIT) return [];
  const properties = objectAt(schema, 'properties') ?? {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const rows = Object.entries(properties).flatMap(([name, child]) => {
    if (!isObject(child)) return [];
    const at = path === '' ? name : `${path}.${name}`;
    return [...rowOf(child, { path: at, required: required.has(name) }, place), ...nested(child, at, { ...place, depth: place.depth + 1 })];
  });
  return rows;
}

/** What stands inside a list or a map counts as nested in it. */
function nested(schema: JsonObject, path: string, place: Below): Parameter[] {
  const items = objectAt(schema, 'items');
  const values = objectAt(schema, 'additionalProperties');
  if (items !== undefined) return below(items, `${path}[]`, place);
  if (values !== undefined) return below(values, `${path}.*`, place);
  return below(schema, path, place);
}

/** An object that only groups others has no row of its own. */
function rowOf(schema: JsonObject, { path, required }: Pick<Parameter, 'path' | 'required'>, place: Below): Parameter[] {
  if (objectAt(schema, 'properties') !== undefined && schema.description === undefined) return [];
  return [
    {
      path,
      type: typeOf(schema),
      required,
      default: defaultOf(schema, path, place),
      description: typeof schema.description === 'string' ? schema.description : '',
    },
  ];
}

function defaultOf(schema: JsonObject, path: string, { root, sensitivePaths }: Below): string {
  const { default: value } = schema;
  if (value === undefined) return '';
  const steps = [...root, ...path.replaceAll('[]', '.*').split('.')];
  const isSecret = sensitiveValues({ schema, sensitivePaths }, { value, root: steps }).length > 0;
  return isSecret ? '' : valueWords(value, MAX_DEFAULT_LENGTH).words;
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  const type = typeof schema.type === 'string' ? schema.type : 'any';
  const items = objectAt(schema, 'items');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : typeOf(items)}`;
  const values = objectAt(schema, 'additionalProperties');
  if (type === 'object' && values !== undefined) return `map of ${typeOf(values)}`;
  return typeof schema.format === 'string' ? `${type} (${schema.format})` : type;
}

function objectAt(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const child = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(child) ? child : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
