import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject, textsAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';

/** A row of one list or of both. */
export interface MatchedRow {
  /** What tells it from the others: `name=anna`, else its number. */
  readonly name: string;
  /** In the new list; in the old one where the new one does not have it. */
  readonly index: number;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

export interface MatchedRows {
  readonly rows: readonly MatchedRow[];
  /** The keys in both orders, when rows that stayed changed places and their order may matter. */
  readonly moved?: { readonly from: readonly string[]; readonly to: readonly string[] };
}

/** By what people tell rows apart where the schema does not say it. */
const USUAL_KEYS = ['name', 'id', 'key', 'host', 'path'];
const PLAIN = /^[\w.:/@-]{1,80}$/;

/**
 * Pairs the rows of two lists of objects: by the keys of the schema (`x-kubernetes-list-map-keys`, with their defaults), else by a usual key that all rows have
 * and none shares, else by their place. Undefined where there is nothing to pair: other values, and lists of scalars, which count whole.
 */
export function matchRows(from: Json | undefined, to: Json | undefined, schema: JsonObject): MatchedRows | undefined {
  if (!isRows(from) || !isRows(to)) return undefined;
  const [before, after] = [from ?? [], to ?? []];
  if (before.length + after.length === 0) return undefined;
  const defaults = defaultKeys(schema);
  const keys = keysFor([before, after], { schema, defaults });
  if (keys === undefined) return byPlace(before, after);
  const matched = byKey(before, after, (row) => nameOf({ ...defaults, ...row }, keys));
  return schema['x-kubernetes-list-type'] === 'map' ? { rows: matched.rows } : matched;
}

type Rows = readonly JsonObject[];

function byPlace(before: Rows, after: Rows): MatchedRows {
  const longest = before.length > after.length ? before : after;
  return { rows: longest.map((_, index) => ({ name: String(index), index, from: before[index], to: after[index] })) };
}

function byKey(before: Rows, after: Rows, name: (row: JsonObject) => string): MatchedRows {
  const old = new Map(before.map((row) => [name(row), row]));
  const now = after.map(name);
  const known = new Set(now);
  const gone = before.flatMap((row, index) => (known.has(name(row)) ? [] : [{ name: name(row), index, from: row, to: undefined }]));
  const rows = [...after.map((row, index) => ({ name: name(row), index, from: old.get(name(row)), to: row })), ...gone];
  const stayed = [before.map(name).filter((one) => known.has(one)), now.filter((one) => old.has(one))] as const;
  return isSame(stayed[0], stayed[1]) ? { rows } : { rows, moved: { from: stayed[0], to: stayed[1] } };
}

/** The keys of the schema that a row need not spell out. */
function defaultKeys(schema: JsonObject): JsonObject {
  const described = textsAt(schema, 'x-kubernetes-list-map-keys').map((key) => [key, at(schema, 'items', 'properties', key, 'default')]);
  return Object.fromEntries(described.filter(([, value]) => value !== undefined)) as JsonObject;
}

function keysFor(
  lists: readonly Rows[],
  { schema, defaults }: { readonly schema: JsonObject; readonly defaults: JsonObject },
): readonly string[] | undefined {
  const declared = textsAt(schema, 'x-kubernetes-list-map-keys');
  const candidates = [...(declared.length > 0 ? [declared] : []), ...USUAL_KEYS.map((key) => [key])];
  return candidates.find((keys) =>
    lists.every((rows) =>
      tellApart(
        rows.map((row) => ({ ...defaults, ...row })),
        keys,
      ),
    ),
  );
}

function tellApart(rows: Rows, keys: readonly string[]): boolean {
  const names = rows.map((row) => nameOf(row, keys));
  return new Set(names).size === rows.length && rows.every((row) => keys.some((key) => isKey(row[key])));
}

function nameOf(row: JsonObject, keys: readonly string[]): string {
  return keys
    .flatMap((key) => {
      const value = row[key];
      return isKey(value) ? [`${key}=${shown(value)}`] : [];
    })
    .join(',');
}

function shown(value: string | number | bigint): string {
  const text = String(value);
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

function isKey(value: Json | undefined): value is string | number | bigint {
  return (typeof value === 'string' && value !== '' && value.length <= 200) || typeof value === 'number' || typeof value === 'bigint';
}

function isRows(value: Json | undefined): value is Rows | undefined {
  return value === undefined || (Array.isArray(value) && value.every((row) => isObject(row)));
}
