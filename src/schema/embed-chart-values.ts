import type { Dependency, Subchart } from '../domain/chart/subcharts.ts';
import { isObject, objectAt } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';
import type { ChartHints } from './hints/chart-hints.ts';
import { inferSchema } from './infer-schema.ts';
import { withInferredMembers, withPart } from './inferred-members.ts';
import { resolveSchema, type SchemaDocument } from './resolve-schema.ts';
import { MAX_WORK } from './work.ts';

/** What a chart says about its values. */
export interface ChartValues {
  /** values.schema.json; absent: the schema is inferred. */
  readonly schema?: JsonObject;
  /** values.yaml, read and as it is written. */
  readonly values: JsonObject;
  readonly valuesText: string;
  /** What types the values that the schema leaves open; absent: nothing does. */
  readonly hints?: ChartHints;
  /** What else decides which values there are; absent: the chart has no subcharts. */
  readonly dependencies?: readonly Dependency[];
  readonly subcharts?: readonly Subchart[];
}

const PLACE = '#/properties/spec/properties/values';
/** Keywords whose content is data. */
const DATA = new Set(['default', 'const', 'enum', 'examples', 'example']);
const DEEPEST = 64;

const known = new WeakMap<JsonObject, WeakMap<JsonObject, JsonObject>>();

/**
 * The schema of a kind that an AppDefinition generated, with the chart's own schema in the place of the structural one of `spec.values`, and the chart's values as
 * defaults. For forms: conditions, choices and references stay as the chart has them. The same object for the same schema and chart, as forms are remembered by it.
 */
export function embedChartValues(schema: JsonObject, chart: ChartValues): JsonObject {
  const byChart = known.get(schema) ?? new WeakMap<JsonObject, JsonObject>();
  const made = byChart.get(chart.values) ?? embed(schema, chart);
  byChart.set(chart.values, made);
  known.set(schema, byChart);
  return made;
}

function embed(schema: JsonObject, { schema: own, values, valuesText }: ChartValues): JsonObject {
  const spec = objectAt(schema, 'properties', 'spec') as JsonObject;
  const structural = objectAt(spec, 'properties', 'values') as JsonObject;
  const help = structural['description'] === undefined ? {} : { description: structural['description'] };
  const place = (content: JsonObject): JsonObject => {
    const placed = { ...spec, properties: { ...(objectAt(spec, 'properties') as JsonObject), values: content } };
    return { ...schema, properties: { ...(objectAt(schema, 'properties') as JsonObject), spec: placed } };
  };
  if (own === undefined) return place({ ...help, ...inferSchema(valuesText), title: 'Values' });
  const moved: JsonObject = { ...help, ...(withMovedReferences(own, 0) as JsonObject), title: 'Values' };
  // References point from the root, so the defaults are found with the schema in its place.
  const document: SchemaDocument = { root: place(moved), work: { left: MAX_WORK } };
  const defaults = defaultsOf(document, { schema: moved, value: values, refs: [], depth: 0 });
  return place(withPart(withInferredMembers(document, moved, valuesText), defaults));
}

/** The schema with its local references as they are from the root of the kind. */
function withMovedReferences(schema: Json | undefined, depth: number): Json | undefined {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((part) => withMovedReferences(part, depth + 1) ?? null);
  if (!isObject(schema) || depth > DEEPEST) return schema;
  const members = Object.entries(schema).map(([key, member]): [string, Json | undefined] => {
    if (key === '$ref' && typeof member === 'string' && member.startsWith('#')) return [key, `${PLACE}${member.slice(1)}`];
    return [key, DATA.has(key) ? member : withMovedReferences(member, depth + 1)];
  });
  return Object.fromEntries(members);
}

interface Place {
  readonly schema: Json | undefined;
  readonly value: Json;
  readonly refs: readonly string[];
  readonly depth: number;
}

/** A schema that says nothing but defaults: those of single fields where the schema names the members of an object, else of the whole. */
function defaultsOf(document: SchemaDocument, { schema, value, refs, depth }: Place): JsonObject | undefined {
  if (value === null) return undefined;
  const resolved = resolveSchema(document, schema, refs);
  const properties = resolved.schema?.['properties'];
  if (!isObject(value) || !isObject(properties) || resolved.schema === undefined || depth > DEEPEST) {
    return isObject(value) && Object.keys(value).length === 0 ? undefined : { default: value };
  }
  const { refs: followed } = resolved;
  const members = Object.entries(value).flatMap(([key, member]): [string, JsonObject][] => {
    if (member === undefined || !Object.hasOwn(properties, key)) return [];
    const inner = defaultsOf(document, { schema: properties[key], value: member, refs: followed, depth: depth + 1 });
    return inner === undefined ? [] : [[key, inner]];
  });
  return members.length === 0 ? undefined : { properties: Object.fromEntries(members) };
}
