import { isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';
import { type WrittenMember, type WrittenValue, writtenValues } from '../domain/yaml/written-values.ts';
import { inferMember } from './infer-schema.ts';
import { splitConditions } from './conditionals/split-conditions.ts';
import { resolveSchema, type SchemaDocument } from './resolve-schema.ts';
import { MAX_WORK } from './work.ts';

/** Marks a node of a schema that values.yaml describes and values.schema.json does not. */
export const INFERRED = 'x-chandlery-inferred';

const MAX_DEPTH = 40;
/**
 * The schema of a chart with the values that it leaves open: each has what `inferSchema` says of it, marked. An object that allows no other members, or says what
 * others are, leaves nothing open.
 *
 * @param schema the schema of the values, in its document.
 * @param text values.yaml, which has been parsed before: it is YAML within the bounds for charts.
 */
export function withInferredMembers(document: SchemaDocument, schema: JsonObject, text: string): JsonObject {
  return withPart(schema, membersBeside(document, { schema, refs: [], depth: 0 }, writtenValues(text)));
}

/** values.schema.json of a chart with the values that it leaves open. @param text see `withInferredMembers`. */
export function completedSchema(schema: JsonObject, text: string): JsonObject {
  return withInferredMembers({ root: schema, work: { left: MAX_WORK } }, schema, text);
}

/** The schema with one more part of its `allOf`. */
export function withPart(schema: JsonObject, part: JsonObject | undefined): JsonObject {
  if (part === undefined) return schema;
  const parts = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly Json[]) : [];
  return { ...schema, allOf: [...parts, part] };
}

interface SchemaPosition {
  readonly schema: Json | undefined;
  readonly refs: readonly string[];
  readonly depth: number;
}

function membersBeside(document: SchemaDocument, place: SchemaPosition, written: WrittenValue): JsonObject | undefined {
  const { schema, refs } = { refs: place.refs, ...resolveSchema(document, place.schema, place.refs) };
  if (schema === undefined || place.depth > MAX_DEPTH || !describesMembers(schema, place.depth)) return undefined;
  const said = isObject(schema['properties']) ? schema['properties'] : {};
  const elsewhere = isOpen(schema) ? namesInBranches(document, { schema, refs, depth: 0 }) : undefined;
  const properties = written.members().flatMap((member): [string, JsonObject][] => {
    const inner = Object.hasOwn(said, member.key)
      ? membersBeside(document, { schema: said[member.key], refs, depth: place.depth + 1 }, member)
      : elsewhere?.has(member.key) === false
        ? marked(member)
        : undefined;
    return inner === undefined ? [] : [[member.key, inner]];
  });
  return properties.length === 0 ? undefined : { properties: Object.fromEntries(properties) };
}

/** Values are an object, whether their schema says so or not. Elsewhere a schema without members is left to the hints of the chart. */
function describesMembers({ type, properties }: JsonObject, depth: number): boolean {
  const isObjectType = type === undefined || (Array.isArray(type) ? type : [type]).includes('object');
  return isObjectType && (depth === 0 || (isObject(properties) && Object.keys(properties).length > 0));
}

function isOpen(schema: JsonObject): boolean {
  const { additionalProperties: others = true, unevaluatedProperties: rest = true, patternProperties: patterns } = schema;
  return isFree(others) && isFree(rest) && (!isObject(patterns) || Object.keys(patterns).length === 0);
}

function isFree(schema: Json): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** The members that conditions and alternatives describe: they depend on other values. */
function namesInBranches(document: SchemaDocument, { schema, refs, depth }: SchemaPosition): ReadonlySet<string> {
  if (!isObject(schema) || depth > MAX_DEPTH) return new Set();
  const names = branchesOf(schema).flatMap((branch) => {
    const resolved = resolveSchema(document, branch, refs);
    if (resolved.schema === undefined) return [];
    const own = isObject(resolved.schema['properties']) ? Object.keys(resolved.schema['properties']) : [];
    return [...own, ...namesInBranches(document, { ...resolved, depth: depth + 1 })];
  });
  return new Set(names);
}

function branchesOf(schema: JsonObject): readonly Json[] {
  const alternatives = [schema['oneOf'], schema['anyOf']].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  const conditional = splitConditions(schema).conditions.flatMap(({ then: met, else: unmet, dependentSchemas, dependencies }) => [
    met,
    unmet,
    ...[dependentSchemas, dependencies].flatMap((byName) => (isObject(byName) ? Object.values(byName) : [])),
  ]);
  return [...alternatives, ...conditional.filter((branch) => isObject(branch))];
}

function marked(member: WrittenMember): JsonObject {
  return { ...inferMember(member), [INFERRED]: true };
}
