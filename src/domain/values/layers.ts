import { at, isObject } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';

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

type LeafWithValue = EffectiveLeaf & { readonly value: Json | undefined };

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
  return effectiveLeaves(layers).map(({ path, origin }) => ({ path, origin }));
}

/** The same with the values themselves, which may be secret. */
export function effectiveLeaves(layers: readonly ValuesLayer[]): LeafWithValue[] {
  const root: Members = new Map();
  for (const { origin, values } of layers) lay(root, values, origin);
  const found: LeafWithValue[] = [];
  addLeaves(root, '', found);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A map that holds one text at a path of names, dots inside of a name escaped by a backslash: `auth.password`. */
export function placeAt(targetPath: string, text: string): JsonObject {
  const [first = '', ...rest] = namesIn(targetPath);
  return { [first]: rest.reduceRight<Json>((value, name) => Object.fromEntries([[name, value]]), text) };
}

/** The value at such a path; undefined when there is none. */
export function valueAt(values: JsonObject, targetPath: string): unknown {
  return at(values, ...namesIn(targetPath));
}

function namesIn(targetPath: string): string[] {
  return targetPath.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
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

/** What was set and by which layer, or members. There are thousands of leaves, so they are as small as can be. */
type OriginNode = OriginLeaf | Members;
type Members = Map<string, OriginNode>;
interface OriginLeaf {
  readonly origin: string;
  readonly value: Json | undefined;
}

/** A leaf replaces all that was below it; a map takes the place of a leaf and is merged; an empty one changes nothing where there are members. */
function lay(members: Members, values: JsonObject, origin: string): void {
  for (const [name, value] of Object.entries(values)) {
    const known = members.get(name);
    if (isMap(value) && Object.keys(value).length > 0) {
      const below: Members = known instanceof Map ? known : new Map();
      members.set(name, below);
      lay(below, value, origin);
    } else if (!isMap(value) || !(known instanceof Map)) members.set(name, { origin, value });
  }
}

function addLeaves(members: Members, path: string, found: LeafWithValue[]): void {
  for (const [name, node] of members) {
    const plain = path === '' ? name : `${path}.${name}`;
    const at = /[.[\]"]/.test(name) ? `${path}[${JSON.stringify(name)}]` : plain;
    if (node instanceof Map) addLeaves(node, at, found);
    else found.push({ path: at, origin: node.origin, value: node.value });
  }
}

function isMap(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
