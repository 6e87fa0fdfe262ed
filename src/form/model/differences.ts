import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject, objectAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { withDefaults } from '../../domain/upgrade/crd-safety/schema-shape.ts';
import { entrySchema } from '../../domain/values/own-values.ts';
import { matchRows } from '../migration/match-rows.ts';
import type { FormNode } from './form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { placesAt, sensitivePlaces, type SensitivePlaces } from '../../schema/sensitive/sensitive-values.ts';

/** A place where two values differ. */
export interface Difference {
  /** See `ValueChange.path`. */
  readonly path: string;
  /** From the root, without its key, in the new value; in the old one where the new one has nothing there. */
  readonly keys: readonly (string | number)[];
  readonly from?: Json;
  readonly to?: Json;
  readonly secret: boolean;
}

/** What values are compared by: the schema of the root, as CustomResourceDefinitions have it, and the form of that schema. */
export interface Described {
  readonly schema: JsonObject;
  readonly root: FormNode;
  /** Paths that the catalogue calls sensitive. */
  readonly sensitivePaths?: readonly string[];
}

/**
 * Where two values of a schema differ, leaf by leaf, in the order of the new value and then of the old one. What is absent counts as its default. Rows of
 * lists are compared with those of the same key, wherever they stand. Values of secrets are in the result: mask them.
 */
export function differencesBetween({ schema, root, sensitivePaths = [] }: Described, from: JsonObject, to: JsonObject): Difference[] {
  const places = sensitivePlaces({ schema, sensitivePaths }, { value: from, root: root.path }, { value: to, root: root.path });
  return compare({
    path: formatPath(root.path),
    keys: [],
    schema,
    fallback: undefined,
    nodes: [root],
    places: placesAt(places, root.path),
    without: undefined,
    from,
    to,
  });
}

/** A place while two values are compared. */
interface NodeRef {
  readonly path: string;
  readonly keys: readonly (string | number)[];
  readonly schema: JsonObject;
  /** The default that an ancestor names for it. */
  readonly fallback: Json | undefined;
  readonly nodes: readonly FormNode[];
  /** Where either side is or holds something sensitive: undefined where neither does. */
  readonly places: SensitivePlaces | undefined;
  /** The side that has no such row at all, and so no defaults within it. */
  readonly without: 'from' | 'to' | undefined;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

const DEEPEST = 64;

function compare(ref: NodeRef): Difference[] {
  const fallback = ref.fallback ?? ref.schema['default'];
  const from = isAbsent(ref, 'from') && ref.without !== 'from' ? fallback : ref.from;
  const to = isAbsent(ref, 'to') && ref.without !== 'to' ? fallback : ref.to;
  if (isSame(from, to)) return [];
  const here = { ...ref, fallback, from, to };
  if (ref.keys.length < DEEPEST) {
    if (isTree(from) && isTree(to) && (isFull(from) || isFull(to))) return compareMembers(here, from ?? {}, to ?? {});
    const rows = matchRows(from, to, ref.schema);
    if (rows !== undefined) return compareRows(here, rows);
  }
  return isSilent(here) ? [] : [differenceAt(here)];
}

/** The api-server drops a `null` of a field that is described and may not be one. */
function isAbsent({ schema, ...sides }: NodeRef, side: 'from' | 'to'): boolean {
  const value = sides[side];
  return value === undefined || (value === null && Object.keys(schema).length > 0 && schema['nullable'] !== true);
}

function compareMembers(ref: NodeRef, from: JsonObject, to: JsonObject): Difference[] {
  const names = [...new Set([...Object.keys(to), ...Object.keys(from)])];
  return names.flatMap((name) => {
    const described = objectAt(ref.schema, 'properties', name) as JsonObject;
    const isEntry = Object.keys(described).length === 0;
    const schema = isEntry ? (objectAt(entrySchema(ref.schema)) as JsonObject) : described;
    const sides = { from: own(from, name), to: own(to, name) };
    return compare({
      ...stepInto(ref, name, schema),
      path: ref.path === '' ? formatPath([name]) : `${ref.path}${formatPath(['-', name]).slice(1)}`,
      fallback: at(ref.fallback, name) as Json | undefined,
      ...(isEntry ? ofRow(ref, schema, sides) : sides),
    });
  });
}

function compareRows(ref: NodeRef, { rows, moved }: NonNullable<ReturnType<typeof matchRows>>): Difference[] {
  const schema = objectAt(ref.schema, 'items') as JsonObject;
  const changed = rows.flatMap((row) => {
    const step = stepInto(ref, row.index, schema);
    return compare({ ...step, path: `${ref.path}[${row.name}]`, ...ofRow(ref, schema, row) });
  });
  const order = { path: `${ref.path}[*]`, keys: ref.keys, secret: false };
  return moved === undefined ? changed : [...changed, { ...order, ...moved }];
}

/** A row that only one side has: what the api-server adds to a new one is as new as the row. */
function ofRow(ref: NodeRef, schema: JsonObject, { from, to }: Pick<NodeRef, 'from' | 'to'>): Pick<NodeRef, 'without' | 'from' | 'to'> {
  if (from === undefined) return { without: 'from', from, to: withDefaults(schema, to) as Json | undefined };
  return { without: to === undefined ? 'to' : ref.without, from, to };
}

function stepInto(ref: NodeRef, step: string | number, schema: JsonObject): Omit<NodeRef, 'path' | 'from' | 'to'> {
  const nodes = formNodesBelow(ref.nodes, step);
  const { places, without } = ref;
  return { keys: [...ref.keys, step], schema, fallback: undefined, nodes, places: places?.below.get(step), without };
}

/** An empty object that is required says nothing: it is there to be filled with defaults. */
function isSilent({ nodes, from, to }: NodeRef): boolean {
  return from === undefined && isObject(to) && !isFull(to) && nodes.some((node) => node.kind === 'group' && node.required);
}

function differenceAt({ path, keys, places, from, to }: NodeRef): Difference {
  return {
    path,
    keys,
    secret: places !== undefined,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function isTree(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function isFull(value: JsonObject | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}

function own(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Every node that may stand one step below any of some nodes, whichever branches are chosen: the member of a group, the row of a list or map. */
function formNodesBelow(nodes: readonly FormNode[], step: string | number): readonly FormNode[] {
  return nodes.flatMap(shapesOf).flatMap((node) => {
    if (node.kind === 'group') return node.children.filter((child) => child.key === step).flatMap(shapesOf);
    if (node.kind === 'list') return shapesOf(node.item);
    return node.kind === 'map' ? shapesOf(node.value) : [];
  });
}

function shapesOf(node: FormNode): readonly FormNode[] {
  return node.kind === 'choice' ? node.branches.map((branch) => branch.node) : [node];
}
