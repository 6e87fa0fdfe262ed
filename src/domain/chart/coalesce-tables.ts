import { isObject } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';

/**
 * An object among values while Helm's rules are applied. Helm changes its tables in place, and several places hold the same one, so that what is added to a global of one
 * chart can show in another: to give what Helm gives, these tables are changed in place, too.
 */
export type Table = Map<string, TableValue>;
export type TableValue = Table | Json;

/** `Coalesce` drops nulls where they have taken something away; `Merge` keeps them for a later `Coalesce`. */
export type NullRule = 'Coalesce' | 'Merge';

export function tableOf(values: JsonObject): Table {
  return new Map(Object.entries(values).map(([key, value = null]) => [key, isObject(value) ? tableOf(value) : value]));
}

export function valuesOf(table: Table): JsonObject {
  return Object.fromEntries([...table].map(([key, value]): [string, Json] => [key, isTable(value) ? valuesOf(value) : value]));
}

export function copyTable(table: Table): Table {
  return new Map([...table].map(([key, value]) => [key, isTable(value) ? copyTable(value) : value]));
}

export function isTable(value: TableValue | undefined): value is Table {
  return value instanceof Map;
}

/** Adds to the upper table what it lacks of the lower one. Both are changed. */
export function layTable(upper: Table, lower: Table, rule: NullRule): Table {
  const given = new Set([...lower].flatMap(([key, value]) => (value === null ? [] : [key])));
  for (const [key, value] of upper) if (value === null) lower.set(key, null);
  for (const [key, value] of lower) {
    const own = upper.get(key);
    if (own === undefined) upper.set(key, value);
    else if (own === null && rule === 'Coalesce' && given.has(key)) upper.delete(key);
    else if (isTable(own) && isTable(value)) layTable(own, value, rule);
  }
  return upper;
}

/** Removes what is null, also within. */
export function dropNulls(table: Table): void {
  for (const [key, value] of table) {
    if (value === null) table.delete(key);
    else if (isTable(value)) dropNulls(value);
  }
}

/** The table at a path; undefined where there is none. */
export function tableAt(table: Table, path: readonly string[]): Table | undefined {
  return path.reduce<Table | undefined>((at, key) => {
    const next = at?.get(key);
    return isTable(next) ? next : undefined;
  }, table);
}
