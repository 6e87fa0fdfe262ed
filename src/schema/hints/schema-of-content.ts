import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';

const DEEPEST = 8;
const MOST_MEMBERS = 100;
const MOST_ROWS = 20;

/**
 * What a value may be, from what somebody has put there: widened, and never a restriction. Numbers may be texts, objects have more members, a list
 * has rows like those that are there.
 *
 * @returns undefined where the content tells nothing: an empty object, a list of different things.
 */
export function schemaOfContent(contents: readonly Json[], depth = 0): JsonObject | undefined {
  const solid = contents.filter((content) => content !== null).slice(0, MOST_ROWS);
  const [first] = solid;
  if (first === undefined || depth > DEEPEST) return undefined;
  if (solid.every((content) => isObject(content))) return objectSchema(solid, depth);
  if (solid.every((content) => Array.isArray(content))) return listSchema((solid as readonly (readonly Json[])[]).flat(), depth);
  return solid.some((content) => typeof content === 'object') ? undefined : scalarSchema(solid);
}

function listSchema(rows: readonly Json[], depth: number): JsonObject | undefined {
  const items = schemaOfContent(rows, depth + 1);
  return items === undefined ? undefined : { type: 'array', items };
}

/** Texts under names that are no names of members, or many of them, are entries of a map. */
function objectSchema(objects: readonly JsonObject[], depth: number): JsonObject | undefined {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))].slice(0, MOST_MEMBERS);
  const members = names.map((name) => ({ name, contents: objects.flatMap((one) => (one[name] === undefined ? [] : [one[name]])) }));
  if (members.length === 0) return undefined;
  const all = members.flatMap(({ contents }) => contents);
  if (depth === 0 && all.every((content) => typeof content === 'string'))
    return { type: 'object', additionalProperties: { type: 'string' } };
  const properties = members.map(({ name, contents }): [string, JsonObject] => [name, schemaOfContent(contents, depth + 1) ?? {}]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

function scalarSchema(contents: readonly Json[]): JsonObject {
  const types = new Set(contents.map((content) => (typeof content === 'bigint' ? 'number' : typeof content)));
  if (types.size === 1 && types.has('boolean')) return { type: 'boolean' };
  return types.size === 1 && types.has('string')
    ? { type: 'string' }
    : { type: ['number', 'string', ...(types.has('boolean') ? ['boolean'] : [])] };
}

/**
 * Whether a schema that only describes has a place for a content: the types are right, and of an object at least half the members are known.
 */
export function describes(schema: JsonObject, content: Json, depth = 0): boolean {
  if (content === null || depth > DEEPEST) return true;
  const { type, properties, additionalProperties: more, items } = schema;
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  if (Array.isArray(content)) {
    const row = isObject(items) ? items : {};
    return types.includes('array') && (content as readonly Json[]).slice(0, MOST_ROWS).every((one) => describes(row, one, depth + 1));
  }
  if (!isObject(content)) return isScalarOf(types, content);
  if (!types.includes('object')) return false;
  const entries = Object.entries(content).slice(0, MOST_MEMBERS) as [string, Json][];
  if (isObject(properties)) {
    const known = entries.filter(([name]) => Object.hasOwn(properties, name));
    return (
      known.length * 2 >= entries.length && known.every(([name, value]) => describes(properties[name] as JsonObject, value, depth + 1))
    );
  }
  return !isObject(more) || entries.every(([, value]) => describes(more, value, depth + 1));
}

function isScalarOf(types: readonly Json[], content: Json): boolean {
  if (typeof content === 'boolean') return types.includes('boolean');
  if (typeof content === 'string') return types.includes('string');
  return types.includes('number') || types.includes('integer');
}
