import { isObject } from '../read.ts';
import type { Json, JsonObject } from '../resource.ts';

/** Values of one origin. */
export interface ValuesLayer {
  /** For people: `the chart`, `Secret db key password`, `spec.values`. */
  readonly origin: string;
  readonly values: JsonObject;
}

/** An effective value that has no members of its own. */
export interface EffectiveLeaf {
  /** `auth.password`; names with dots are quoted. A list is one leaf, because Helm takes it as a whole. */
  readonly path: string;
  /** The layer that set it. */
  readonly origin: string;
}

/**
 * Lays values over one another as Helm does: maps are merged, everything else, lists included, is replaced. A `null` is kept, because it is what
 * takes a default of the chart away.
 *
 * @param layers the lowest first.
 */
export function mergeLayers(layers: readonly ValuesLayer[]): JsonObject {
  return layers.reduce<JsonObject>((lower, { values }) => merge(lower, values), {});
}

/** Which layer set each effective leaf, sorted by path. */
export function provenanceOf(layers: readonly ValuesLayer[]): EffectiveLeaf[] {
  const origins = new Map<string, string>();
  for (const { origin, values } of layers) {
    for (const { path, kind } of nodesOf(values)) {
      if (kind === 'empty' && [...origins.keys()].some((known) => isBelow(known, path))) continue;
      for (const known of origins.keys()) if (known === path || (kind === 'leaf' && isBelow(known, path))) origins.delete(known);
      if (kind !== 'map') origins.set(path, origin);
    }
  }
  return [...origins].map(([path, origin]) => ({ path, origin })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A map that holds one text at a path of names, dots inside of a name escaped by a backslash: `auth.password`. */
export function placeAt(targetPath: string, text: string): JsonObject {
  const names = targetPath.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
  const [first = '', ...rest] = names;
  return { [first]: rest.reduceRight<Json>((value, name) => Object.fromEntries([[name, value]]), text) };
}

/** Every text in values, and numbers as text: what must not be shown when the values are secret. Keys are not. */
export function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((item) => textsIn(item));
  return isObject(value) ? Object.values(value).flatMap((member) => textsIn(member)) : [];
}

function merge(lower: JsonObject, upper: JsonObject): JsonObject {
  const laid = Object.entries(upper).map(([name, value]): [string, Json | undefined] => {
    const below = Object.hasOwn(lower, name) ? lower[name] : undefined;
    return [name, isMap(below) && isMap(value) ? merge(below, value) : value];
  });
  return Object.fromEntries([...Object.entries(lower), ...laid]);
}

interface ValuesNode {
  readonly path: string;
  /** A leaf replaces all that was below it; a map takes the place of a leaf and is merged; an empty one changes nothing where there are members. */
  readonly kind: 'leaf' | 'map' | 'empty';
}

function nodesOf(values: JsonObject, path = ''): ValuesNode[] {
  return Object.entries(values).flatMap(([name, value]): ValuesNode[] => {
    const plain = path === '' ? name : `${path}.${name}`;
    const at = /[.[\]"]/.test(name) ? `${path}[${JSON.stringify(name)}]` : plain;
    if (!isMap(value)) return [{ path: at, kind: 'leaf' }];
    return [{ path: at, kind: Object.keys(value).length === 0 ? 'empty' : 'map' }, ...nodesOf(value, at)];
  });
}

function isBelow(known: string, path: string): boolean {
  return known.startsWith(`${path}.`) || known.startsWith(`${path}[`);
}

function isMap(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
