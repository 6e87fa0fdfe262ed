import { isObject, listAt, objectAt, textsAt } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';

/**
 * Lays a person's own values over those of the catalogue and the environment: maps are merged, everything else replaces what is there. A `null` stays one where the
 * schema allows it; where it does not, it takes a value below away. Who chooses one member of a `oneOf` takes
 * the others away.
 *
 * @param schema the structural schema of the values.
 */
export function layOwnValues(lower: JsonObject, own: JsonObject, schema: unknown): JsonObject {
  const laid = Object.entries(own).flatMap(([key, value]): [string, Json | undefined][] => {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    const described = schemaAt(schema, key);
    if (value === null && below !== undefined && !allowsNull(described)) return [];
    return [[key, isObject(below) && isObject(value) ? layOwnValues(below, value, described) : value]];
  });
  const rivals = rivalsOf(schema, own);
  const kept = Object.entries(lower).filter(([key]) => !Object.hasOwn(own, key) && !rivals.has(key));
  return Object.fromEntries([...kept, ...laid]);
}

/** The members that stand for the other alternatives of a `oneOf`, when one of them is chosen. */
function rivalsOf(schema: unknown, own: JsonObject): ReadonlySet<string> {
  const wanted = listAt(schema, 'oneOf').flatMap((one) => textsAt(one, 'required'));
  const telling = wanted.filter((key) => wanted.indexOf(key) === wanted.lastIndexOf(key));
  return new Set(telling.some((key) => Object.hasOwn(own, key)) ? telling : []);
}

/** The schema of the entries of a map: of all keys that nothing describes by name, or of those that have the first pattern. */
export function entrySchema(schema: unknown): unknown {
  const { additionalProperties, patternProperties } = objectAt(schema);
  return isObject(additionalProperties) ? additionalProperties : (Object.values(objectAt(patternProperties))[0] ?? additionalProperties);
}

function schemaAt(schema: unknown, key: string): unknown {
  const properties = objectAt(schema, 'properties');
  return Object.hasOwn(properties, key) ? properties[key] : entrySchema(schema);
}

/** The api-server drops a `null` of what is described otherwise, and keeps one of what nothing describes. */
function allowsNull(schema: unknown): boolean {
  return !isObject(schema) || schema['nullable'] === true;
}
