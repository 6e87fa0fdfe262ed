import { at, isObject, listAt, numberAt, objectAt } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';
import { resolveSchema, type SchemaDocument } from './resolve-schema.ts';
import { MAX_WORK } from './work.ts';

/** What a chart says about its values. */
export interface DescribedChart {
  /** values.yaml. */
  readonly values: JsonObject;
  /** values.schema.json. */
  readonly schema?: JsonObject;
}

/** Marks a map whose schema allows no other members than those it names. */
const CLOSED = 'x-closed';
const ANYTHING: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
const DEEPEST = 24;
/** Keywords that mean the same in JSON Schema and in structural schemas. */
const SAME = [
  'enum',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

/**
 * The values of a chart as a structural schema, by which two charts can be compared: the members that its schema and its values.yaml name, the latter's
 * values as defaults. Types and limits come from the schema alone; of values.yaml only what is a map, and what a list.
 */
export function chartValuesSchema({ values, schema }: DescribedChart): JsonObject {
  const document: SchemaDocument = { root: schema ?? {}, work: { left: MAX_WORK } };
  return nodeOf(document, { schema: schema ?? {}, value: values, refs: [], depth: 0 });
}

interface Place {
  readonly schema: Json | undefined;
  readonly value: Json | undefined;
  readonly refs: readonly string[];
  readonly depth: number;
}

function nodeOf(document: SchemaDocument, place: Place): JsonObject {
  const resolved = resolveSchema(document, place.schema, place.refs);
  const { schema = {}, refs } = { refs: place.refs, ...resolved };
  const { value, depth } = place;
  if (resolved.schema === undefined || depth > DEEPEST) return withDefault(ANYTHING, value);
  const fallback = value === undefined ? schema['default'] : value;
  const here = { schema, value: fallback, refs, depth: depth + 1 };
  if (isMapOf(schema, fallback)) return mapOf(document, here);
  return withDefault({ ...scalarOf(schema, fallback), ...described(schema) }, fallback);
}

function isMapOf(schema: JsonObject, value: Json | undefined): boolean {
  if (isObject(value)) return Object.keys(value).length > 0 || isObject(schema['properties']);
  return value === undefined && isObject(schema['properties']);
}

function mapOf(document: SchemaDocument, { schema, value, ...place }: Place & { readonly schema: JsonObject }): JsonObject {
  const [said, own] = [objectAt(schema, 'properties') as JsonObject, isObject(value) ? value : {}];
  const names = [...new Set([...Object.keys(said), ...Object.keys(own)])];
  const properties = names.map((name): [string, JsonObject] => [
    name,
    nodeOf(document, {
      ...place,
      schema: Object.hasOwn(said, name) ? said[name] : {},
      value: Object.hasOwn(own, name) ? own[name] : undefined,
    }),
  ]);
  const others = schema['additionalProperties'];
  return {
    type: 'object',
    nullable: true,
    properties: Object.fromEntries(properties),
    ...(Array.isArray(schema['required']) ? { required: schema['required'] } : {}),
    ...(isObject(others) ? { additionalProperties: nodeOf(document, { ...place, schema: others, value: undefined }) } : {}),
    ...(others === false && !isObject(schema['patternProperties']) ? { [CLOSED]: true } : {}),
    ...described(schema),
  };
}

/** What a value may be that is no map with known members. */
function scalarOf(schema: JsonObject, value: Json | undefined): JsonObject {
  const kept = Object.fromEntries(SAME.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])));
  const [least, most] = [numberAt(schema, 'exclusiveMinimum'), numberAt(schema, 'exclusiveMaximum')];
  const limits = {
    ...(least === undefined ? {} : { minimum: least, exclusiveMinimum: true }),
    ...(most === undefined ? {} : { maximum: most, exclusiveMaximum: true }),
  };
  return { ...ANYTHING, ...kept, ...limits, ...typeOf(schema, value) };
}

/** The type that the schema says; a list type and what is a list in values.yaml, where it says none. `null` is what takes a default away. */
function typeOf(schema: JsonObject, value: Json | undefined): JsonObject {
  const types = typeof schema['type'] === 'string' ? [schema['type']] : listAt(schema, 'type').filter((type) => typeof type === 'string');
  const [only, ...others] = types.filter((type) => type !== 'null');
  if (only !== undefined && others.length === 0) return { type: only, nullable: true };
  return only === undefined && Array.isArray(value) && value.length > 0 ? { type: 'array', nullable: true } : { nullable: true };
}

function described(schema: JsonObject): JsonObject {
  const help = schema['description'];
  return typeof help === 'string' ? { description: help } : {};
}

function withDefault(schema: JsonObject, value: Json | undefined): JsonObject {
  return value === undefined ? schema : { ...schema, default: value };
}

/**
 * The new schema with a place for whatever neither chart has ever named: templates may well look at it. Where the new chart's own schema allows no other
 * members, there is none.
 */
export function openedFor(values: Json | undefined, from: unknown, to: JsonObject): JsonObject {
  if (!isObject(values) || to['type'] !== 'object' || !isObject(to['properties'])) return to;
  const properties = to['properties'] as Readonly<Record<string, JsonObject>>;
  const known = Object.entries(properties).map(([name, schema]): [string, JsonObject] => [
    name,
    openedFor(values[name], at(from, 'properties', name), schema),
  ]);
  const isOpen = to[CLOSED] !== true && to['additionalProperties'] === undefined;
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(properties, name) && at(from, 'properties', name) === undefined);
  const free = isOpen ? unknown.map((name): [string, JsonObject] => [name, ANYTHING]) : [];
  return { ...to, properties: Object.fromEntries([...known, ...free]) };
}

/** Values with an empty map wherever the schema has a map with members, so that each of these members can be looked at. */
export function withMaps(schema: unknown, values: JsonObject): JsonObject {
  const maps = Object.entries(objectAt(schema, 'properties')).flatMap(([name, member]): [string, JsonObject][] => {
    if (!isObject(member) || member['type'] !== 'object' || !isObject(member['properties'])) return [];
    const value = Object.hasOwn(values, name) ? values[name] : {};
    return isObject(value) ? [[name, withMaps(member, value)]] : [];
  });
  return { ...values, ...Object.fromEntries(maps) };
}

/** Takes away the empty maps that `withMaps` added and nobody filled. */
export function withoutAddedMaps(values: JsonObject, before: Json | undefined): JsonObject {
  const known = isObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, Json | undefined][] => {
      if (!isObject(value)) return [[name, value]];
      const member = withoutAddedMaps(value, known[name]);
      return Object.keys(member).length === 0 && !isObject(known[name]) ? [] : [[name, member]];
    }),
  );
}
