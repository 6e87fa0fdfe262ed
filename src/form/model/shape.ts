import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ScalarType } from './field.ts';
import { ELSEWHERE, type Resolver, resolveSchema } from '../../schema/resolve-schema.ts';
import { mergeBranches, SEVERAL } from '../../schema/branches.ts';
import { INFERRED } from '../../schema/inferred-members.ts';
import { withTypeOfExample } from '../../schema/structural/open-structure.ts';
import { type Conditional, liftConditions } from '../../schema/conditionals/conditionals.ts';
import { memberNames, type Work } from '../../schema/work.ts';
import { type ChartHints, expectedSchema } from '../../schema/hints/chart-hints.ts';
import { type Form, holdsObjects } from '../../schema/hints/type-by-name.ts';

/** What a schema describes, before names and help are looked at. */
export type Shape =
  | { readonly kind: 'scalar'; readonly types: readonly ScalarType[]; readonly schema: JsonObject }
  | { readonly kind: 'enum'; readonly values: readonly Json[]; readonly schema: JsonObject }
  | { readonly kind: 'group'; readonly open: boolean; readonly schema: JsonObject; readonly conditionals?: readonly Conditional[] }
  | { readonly kind: 'map'; readonly value: Json; readonly keys?: string; readonly schema: JsonObject }
  | { readonly kind: 'list'; readonly item: Json; readonly schema: JsonObject }
  | { readonly kind: 'choice'; readonly branches: readonly Json[]; readonly schema: JsonObject }
  | { readonly kind: 'yaml'; readonly reason: string; readonly schema: JsonObject };

const ANYTHING = 'any value is allowed';
const ANY_ROWS = 'a list of anything';
const FREE_FORM = 'free-form';
/** Why a node is YAML of which its schema says nothing that a value could be held against. */
const FREE: ReadonlySet<string> = new Set([ANYTHING, ANY_ROWS, FREE_FORM, ELSEWHERE, SEVERAL]);

const ANNOTATIONS = new Set(['default', 'description', 'title', INFERRED]);
const SCALARS: readonly string[] = ['string', 'integer', 'number', 'boolean'];
const MAX_OPTIONS = 1000;

/** The shape of a resolved schema. Whatever no typed control can hold is `yaml`, with the reason in a few words. */
export function shapeOf(resolved: JsonObject, resolver: Resolver): Shape {
  const lifted = liftConditions(resolved, resolver);
  if (lifted === undefined) return plainShape(resolved, resolver);
  const shape = plainShape(lifted.schema, resolver);
  return shape.kind === 'group' ? { ...shape, conditionals: lifted.conditionals } : shape;
}

/** The shape of a schema without conditions, or with conditions of what is no object with members. */
function plainShape(resolved: JsonObject, resolver: Resolver): Shape {
  const merged = mergeBranches(resolved, resolver);
  if (merged.reason !== undefined) return yamlShape(merged.reason, resolved);
  if (merged.choice !== undefined) return { kind: 'choice', branches: merged.choice, schema: resolved };
  const schema = withTypeOfExample(merged.schema);
  const values = optionsOf(schema);
  if (values !== undefined && values.length <= MAX_OPTIONS) {
    return values.every(isScalarValue) ? { kind: 'enum', values, schema } : yamlShape('a choice of whole objects', schema);
  }
  const types = typesOf(schema);
  if (types.length === 0) return isEmptyText(schema) ? { kind: 'scalar', types: ['string'], schema } : yamlShape(ANYTHING, schema);
  if (types.every((type) => SCALARS.includes(type))) return { kind: 'scalar', types: types as ScalarType[], schema };
  if (types.length > 1) return { kind: 'choice', branches: byType(schema, types), schema };
  if (types[0] === 'array') return listShape(schema);
  if (types[0] === 'object') return objectShape(schema, merged.open);
  return yamlShape(ANYTHING, schema);
}

/** Whether a schema tells nothing of a value but that it is an empty text by default: what is typed there is meant as text. */
function isEmptyText(schema: JsonObject): boolean {
  return schema['default'] === '' && Object.keys(schema).every((key) => ANNOTATIONS.has(key));
}

/** One branch for all scalars, and one for each other type. */
function byType(schema: JsonObject, types: readonly string[]): JsonObject[] {
  const { title: _title, description: _help, default: _default, enum: _enum, ...rest } = schema;
  const scalars = types.filter((type) => SCALARS.includes(type));
  const others = types.filter((type) => !SCALARS.includes(type));
  return [...(scalars.length > 0 ? [scalars] : []), ...others.map((type) => [type])].map((type) => ({ ...rest, type }));
}

/** Whether the schema allows `null`. */
export function isNullable(schema: JsonObject): boolean {
  const { type } = schema;
  if (schema['nullable'] === true || type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return Array.isArray(schema['enum']) && schema['enum'].includes(null);
}

/** The types of a schema without `null`; what its other keywords tell when it names none. */
export function typesOf(schema: JsonObject): string[] {
  if (schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string') return ['integer', 'string'];
  const { type } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string' && name !== 'null') as string[];
  const types = named.includes('number') ? named.filter((name) => name !== 'integer') : named;
  if (types.length > 0) return [...new Set(types)];
  if (['properties', 'additionalProperties', 'patternProperties'].some((key) => isObject(schema[key]))) return ['object'];
  return isObject(schema['items']) ? ['array'] : [];
}

function optionsOf(schema: JsonObject): readonly Json[] | undefined {
  const { const: only, enum: options } = schema;
  if (only !== undefined) return [only];
  if (!Array.isArray(options) || options.length === 0) return undefined;
  return (options as readonly Json[]).filter((value) => value !== null);
}

function isScalarValue(value: Json): boolean {
  return value === null || typeof value !== 'object';
}

function listShape(schema: JsonObject): Shape {
  const { items } = schema;
  if (Array.isArray(items) || schema['prefixItems'] !== undefined) return yamlShape('each place of the list has its own shape', schema);
  return isObject(items) ? { kind: 'list', item: items, schema } : yamlShape(ANY_ROWS, schema);
}

function objectShape(schema: JsonObject, open: boolean): Shape {
  const { properties, additionalProperties: more, patternProperties: patterns } = schema;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-embedded-resource'] === true;
  const byPattern = isObject(patterns) ? Object.values(patterns) : [];
  if (isObject(properties) && memberNames(properties).length > 0) {
    const allowsMore = more === true || (isObject(more) && !Array.isArray(more));
    return { kind: 'group', open: open || preserves || allowsMore || byPattern.length > 0, schema };
  }
  const [onlyPattern] = isObject(patterns) ? Object.entries(patterns) : [];
  if (preserves || open) return yamlShape(FREE_FORM, schema);
  if (isObject(more) && byPattern.length === 0) return { kind: 'map', value: more, schema };
  if (byPattern.length === 1 && onlyPattern !== undefined && !isObject(more)) {
    const [keys, value] = onlyPattern;
    return { kind: 'map', value: value as Json, keys, schema };
  }
  return yamlShape(byPattern.length > 0 ? 'the shape depends on the key' : FREE_FORM, schema);
}

/** What no typed control can hold. */
export function yamlShape(reason: string, schema: JsonObject): Shape & { readonly kind: 'yaml' } {
  return { kind: 'yaml', reason, schema };
}

/** Why a list of whatever a chart installs beside its own objects is YAML, which is the best control for it. */
export const WHOLE_OBJECTS = 'whole objects of Kubernetes';

/** A node of the values of a chart. */
interface ChartNode {
  /** Below the root. */
  readonly path: readonly string[];
  readonly schema: Json | undefined;
  readonly fallback: Json | undefined;
  readonly shape: Shape;
}

/**
 * The shape of a node of which the schema of a chart says nothing, as far as the chart or its name tell. It is a better control and no limit: the schema
 * alone judges values, and what the control cannot hold is YAML as before. What is an empty text by default stays one, unless it stands for an object or a list.
 */
export function expectedShape(hints: ChartHints, node: ChartNode, work: Work): Shape {
  const { path, shape } = node;
  if (shape.kind === 'scalar') {
    const other = isEmptyText(shape.schema) ? hintedShape(hints, node, work) : undefined;
    return other === undefined || (other.kind === 'scalar' && other.types.some((type) => type !== 'string')) ? shape : other;
  }
  if (shape.kind !== 'yaml' || !FREE.has(shape.reason)) return shape;
  if (holdsObjects(path)) return yamlShape(WHOLE_OBJECTS, shape.schema);
  return hintedShape(hints, node, work) ?? shape;
}

function hintedShape(hints: ChartHints, { path, schema, fallback, shape }: ChartNode, work: Work): Shape | undefined {
  const said = Object.keys(shape.schema).length > 0 ? shape.schema : isObject(schema) ? schema : {};
  const description = typeof said['description'] === 'string' ? said['description'] : '';
  const expected = expectedSchema(hints, { path, form: formOf(said), fallback, description, schema: said });
  return expected === undefined ? undefined : shapeOf(expected, (part) => resolveSchema({ root: {}, work }, part, []));
}

function formOf(schema: JsonObject): Form {
  const [type, ...more] = typesOf(schema);
  if (more.length > 0) return 'any';
  if (type === 'object') return 'object';
  return type === 'array' ? 'list' : 'any';
}
