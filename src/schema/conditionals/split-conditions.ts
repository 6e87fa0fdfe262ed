import type { JsonObject } from '../../domain/kubernetes/resource.ts';

/** Where `allOf` leaves the conditions of its parts, of which only one could stand under `if`. */
export const CONDITIONS = 'x-conditions';
const KEYWORDS = ['if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies', CONDITIONS] as const;

/** Whether a schema has conditions of its own. */
export function hasConditions(schema: JsonObject): boolean {
  return KEYWORDS.some((keyword) => keyword !== 'then' && keyword !== 'else' && schema[keyword] !== undefined);
}

/** The conditions of a schema as a list of schemas that have nothing else, and the schema without them. */
export function splitConditions(schema: JsonObject): { readonly rest: JsonObject; readonly conditions: readonly JsonObject[] } {
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !KEYWORDS.some((keyword) => keyword === key)));
  const own = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== CONDITIONS && KEYWORDS.some((keyword) => keyword === key)),
  );
  const merged = schema[CONDITIONS];
  return {
    rest,
    conditions: [...(Object.keys(own).length === 0 ? [] : [own]), ...(Array.isArray(merged) ? (merged as readonly JsonObject[]) : [])],
  };
}
