import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { fieldName, parseFieldName } from '../../form/input/form-fields.ts';
import { digest } from './three-way.ts';

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
