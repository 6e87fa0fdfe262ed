import { createHash } from 'node:crypto';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { fieldName, parseFieldName } from '../../form/input/form-fields.ts';
import { formatPath, type FormPath, parsePath } from '../../schema/form-path.ts';

/** What somebody saw when they opened a form: a digest of each leaf, so that the page repeats no value and no secret. */
export type Seen = ReadonlyMap<string, string>;

/** A leaf that is not any more what the person saw. */
export interface ForeignChange {
  /** `storage.size`; keys with other characters are quoted, `labels["a.b/c"]`. */
  readonly path: string;
  readonly keys: readonly string[];
  /** What it is now; undefined: it is gone. */
  readonly now: Json | undefined;
  /** Whether the person changed the same leaf to something else. */
  readonly clash: boolean;
}

export interface Merge {
  readonly values: JsonObject;
  readonly foreign: readonly ForeignChange[];
}

type Leaves = ReadonlyMap<string, { readonly keys: readonly string[]; readonly value: Json }>;

/** @param salt the uid of the object, so that equal values of two objects have different digests. */
export function seenOf(values: JsonObject, salt: string): Seen {
  return new Map([...leavesOf(values)].map(([path, leaf]) => [path, digest(leaf.value, salt)]));
}

export function formatSeen(seen: Seen): string {
  return JSON.stringify(Object.fromEntries(seen));
}

/** The text of `formatSeen`; empty when somebody tampered with it, which makes every leaf look new. */
export function parseSeen(text: string): Seen {
  try {
    const parsed: unknown = JSON.parse(text);
    return new Map(
      isObject(parsed) ? Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [],
    );
  } catch {
    return new Map();
  }
}

/** Lays what a person changed over what others changed meanwhile; where both did, the person's value stays and is reported as a clash. Lists count whole. */
export function mergeChanges(seen: Seen, sides: { readonly mine: JsonObject; readonly live: JsonObject }, salt: string): Merge {
  const mine = leavesOf(sides.mine);
  const live = leavesOf(sides.live);
  const merged: Leaves[] = [];
  const foreign: ForeignChange[] = [];
  for (const path of new Set([...mine.keys(), ...live.keys(), ...seen.keys()])) {
    const [wanted, now] = [digestAt(mine, path, salt), digestAt(live, path, salt)];
    const touched = wanted !== seen.get(path);
    const leaf = (touched ? mine : live).get(path);
    if (leaf !== undefined) merged.push(new Map([[path, leaf]]));
    const keys = (live.get(path) ?? mine.get(path))?.keys ?? keysOf(path);
    if (now !== seen.get(path)) foreign.push({ path, keys, now: live.get(path)?.value, clash: touched && wanted !== now });
  }
  return {
    values: objectOf(merged.flatMap((leaves) => [...leaves.values()])),
    foreign: foreign.toSorted((a, b) => a.path.localeCompare(b.path)),
  };
}

function leavesOf(values: JsonObject): Leaves {
  const leaves = new Map<string, { keys: string[]; value: Json }>();
  const visit = (value: Json | undefined, keys: string[]): void => {
    if (value === undefined) return;
    if (isPlainObject(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value)) visit(member, [...keys, key]);
    } else if (keys.length > 0) leaves.set(textOf(keys), { keys, value });
  };
  visit(values, []);
  return leaves;
}

/** A key with a dot is not two keys. */
function textOf(keys: readonly string[]): string {
  return formatPath(['-', ...keys]).replace(/^-\.?/, '');
}

/** Of a leaf that neither side has any more; the text comes from the page. */
function keysOf(text: string): readonly string[] {
  return (parsePath(text.startsWith('[') ? `-${text}` : `-.${text}`) ?? []).slice(1).map(String);
}

function objectOf(leaves: readonly { readonly keys: readonly string[]; readonly value: Json }[]): JsonObject {
  const root = new Map<string, unknown>();
  for (const { keys, value } of leaves) {
    let at = root;
    for (const key of keys.slice(0, -1)) {
      const known = at.get(key);
      const next = known instanceof Map ? (known as Map<string, unknown>) : new Map<string, unknown>();
      at.set(key, next);
      at = next;
    }
    at.set(keys.at(-1) ?? '', value);
  }
  return plain(root);
}

function plain(map: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries([...map].map(([key, value]) => [key, value instanceof Map ? plain(value) : (value as Json)]));
}

function isPlainObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function digestAt(leaves: Leaves, path: string, salt: string): string | undefined {
  const leaf = leaves.get(path);
  return leaf === undefined ? undefined : digest(leaf.value, salt);
}

/** Tells values apart, and says nothing about them. */
function digest(value: Json, salt: string): string {
  return createHash('sha256')
    .update(`${salt}\0${stringifyJson(value)}`)
    .digest('base64url')
    .slice(0, 12);
}

/** The rows of each list by its path: a digest of each, so that the page repeats no value. */
type Rows = Readonly<Record<string, readonly string[]>>;

/**
 * What a form remembers of the lists that its rows came from, as the text of a hidden input.
 *
 * @param values the live ones. @param salt as in `seenOf`.
 */
export function formatRows(values: JsonObject, salt: string): string {
  return JSON.stringify(rowsOf(values, salt));
}

/**
 * The form with each row pointing to where it stands in the live object now: others may have put rows before it, moved it or taken it away. What a row has beyond its
 * inputs, secrets among it, comes from there, so a row that cannot be found points nowhere.
 *
 * @param live the values now.
 */
export function followRows(fields: URLSearchParams, { live, salt }: { readonly live: JsonObject; readonly salt: string }): URLSearchParams {
  const before = parseRows(fields.get('rows') ?? '');
  const now = rowsOf(live, salt);
  const places = new Map<string, readonly (number | undefined)[]>();
  for (const [path, rows] of Object.entries(before)) {
    const there = Object.hasOwn(now, path) ? (now[path] ?? []) : [];
    if (rows.join() !== there.join()) places.set(path, placesIn(rows, there));
  }
  const followed = new URLSearchParams([...fields].flatMap(([name, value]) => follow(places, name, value)));
  followed.set('rows', JSON.stringify(now));
  return followed;
}

/** The inputs of merged values, in which the rows of lists that a person changed point to where those in their form did. */
export function keepPlaces(
  fields: URLSearchParams,
  sent: URLSearchParams,
  { merged, live }: { readonly merged: JsonObject; readonly live: JsonObject },
): URLSearchParams {
  return new URLSearchParams(
    [...fields].flatMap(([name, value]): [string, string][] => {
      const path = name.startsWith('o.') ? parseFieldName(name)?.path : undefined;
      const list = (path ?? [])
        .slice(
          0,
          path?.findIndex((step) => typeof step === 'number'),
        )
        .map(String);
      const mine = at(merged, ...list);
      if (path === undefined || !Array.isArray(mine) || isSame(mine, at(live, ...list))) return [[name, value]];
      const place = sent.get(name);
      return place === null ? [] : [[name, place]];
    }),
  );
}

function follow(places: ReadonlyMap<string, readonly (number | undefined)[]>, name: string, value: string): [string, string][] {
  const parsed = name.startsWith('o.') ? parseFieldName(name) : undefined;
  const there = typeof parsed?.path.at(-1) === 'number' ? places.get(formatPath(parsed.path.slice(0, -1))) : undefined;
  if (parsed === undefined || there === undefined) return [[name, value]];
  const place = there[Number(value)];
  return place === undefined ? [] : [[fieldName('original', parsed.path), String(place)]];
}

/** Where each row of a list stands in another one: the same row wherever it is, else the one at its place if that is no other row of old. */
function placesIn(before: readonly string[], now: readonly string[]): (number | undefined)[] {
  const free = Map.groupBy(
    now.map((_, index) => now.length - 1 - index),
    (index) => now[index],
  );
  const known = new Set(before);
  return before.map((row, index) => {
    const same = free.get(row)?.pop();
    if (same !== undefined) return same;
    const other = now[index];
    return other === undefined || known.has(other) || now.length !== before.length ? undefined : index;
  });
}

function rowsOf(values: JsonObject, salt: string): Rows {
  const rows: Record<string, readonly string[]> = {};
  const visit = (value: Json | undefined, path: FormPath): void => {
    if (Array.isArray(value)) {
      const items = value as readonly Json[];
      if (items.some((item) => typeof item === 'object')) rows[formatPath(path)] = items.map((item) => digest(item, salt));
    } else if (isObject(value)) for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
  };
  visit(values, []);
  return rows;
}

/** Whatever somebody made of the text. */
function parseRows(text: string): Rows {
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text);
    const entries = Object.entries(isObject(parsed) ? parsed : {});
    return Object.fromEntries(entries.flatMap(([path, rows]) => (Array.isArray(rows) ? [[path, rows.map(String)]] : [])));
  } catch {
    return {};
  }
}
