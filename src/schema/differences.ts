import { withDefaults } from '../domain/crd-safety/with-defaults.ts';
import { isSame } from '../domain/merge-patch.ts';
import { at, isObject, objectAt } from '../domain/read.ts';
import type { Json, JsonObject } from '../domain/resource.ts';
import { formNodesBelow } from './form-nodes-below.ts';
import type { FormNode } from './form-node.ts';
import { formatPath } from './form-path.ts';
import { textMeaning } from './heuristics.ts';
import { matchRows } from './match-rows.ts';

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
}

/**
 * Where two values of a schema differ, leaf by leaf, in the order of the new value and then of the old one. What is absent counts as its default. Rows of
 * lists are compared with those of the same key, wherever they stand. Values of secrets are in the result: mask them.
 */
export function differencesBetween({ schema, root }: Described, from: JsonObject, to: JsonObject): Difference[] {
  return compare({ path: root.key, keys: [], schema, fallback: undefined, nodes: [root], secret: false, without: undefined, from, to });
}

/** A place while two values are compared. */
interface Spot {
  readonly path: string;
  readonly keys: readonly (string | number)[];
  readonly schema: JsonObject;
  /** The default that an ancestor names for it. */
  readonly fallback: Json | undefined;
  readonly nodes: readonly FormNode[];
  readonly secret: boolean;
  /** The side that has no such row at all, and so no defaults within it. */
  readonly without: 'from' | 'to' | undefined;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

const DEEPEST = 64;

function compare(spot: Spot): Difference[] {
  const fallback = spot.fallback ?? spot.schema['default'];
  const from = isAbsent(spot, 'from') && spot.without !== 'from' ? fallback : spot.from;
  const to = isAbsent(spot, 'to') && spot.without !== 'to' ? fallback : spot.to;
  if (isSame(from, to)) return [];
  const here = { ...spot, fallback, from, to };
  if (spot.keys.length < DEEPEST) {
    if (isTree(from) && isTree(to) && (isFull(from) || isFull(to))) return compareMembers(here, from ?? {}, to ?? {});
    const rows = matchRows(from, to, spot.schema);
    if (rows !== undefined) return compareRows(here, rows);
  }
  return isSilent(here) ? [] : [differenceAt(here)];
}

/** The api-server drops a `null` of a field that is described and may not be one. */
function isAbsent({ schema, ...sides }: Spot, side: 'from' | 'to'): boolean {
  const value = sides[side];
  return value === undefined || (value === null && Object.keys(schema).length > 0 && schema['nullable'] !== true);
}

function compareMembers(spot: Spot, from: JsonObject, to: JsonObject): Difference[] {
  const names = [...new Set([...Object.keys(to), ...Object.keys(from)])];
  return names.flatMap((name) => {
    const described = objectAt(spot.schema, 'properties', name) as JsonObject;
    const isEntry = Object.keys(described).length === 0;
    const schema = isEntry ? (objectAt(spot.schema, 'additionalProperties') as JsonObject) : described;
    const sides = { from: own(from, name), to: own(to, name) };
    return compare({
      ...stepInto(spot, name, schema),
      path: `${spot.path}${formatPath(['-', name]).slice(1)}`,
      fallback: at(spot.fallback, name) as Json | undefined,
      ...(isEntry ? ofRow(spot, schema, sides) : sides),
    });
  });
}

function compareRows(spot: Spot, { rows, moved }: NonNullable<ReturnType<typeof matchRows>>): Difference[] {
  const schema = objectAt(spot.schema, 'items') as JsonObject;
  const changed = rows.flatMap((row) => {
    const step = stepInto(spot, row.index, schema);
    return compare({ ...step, path: `${spot.path}[${row.name}]`, ...ofRow(spot, schema, row) });
  });
  const order = { path: `${spot.path}[*]`, keys: spot.keys, secret: spot.secret };
  return moved === undefined ? changed : [...changed, { ...order, ...moved }];
}

/** A row that only one side has: what the api-server adds to a new one is as new as the row. */
function ofRow(spot: Spot, schema: JsonObject, { from, to }: Pick<Spot, 'from' | 'to'>): Pick<Spot, 'without' | 'from' | 'to'> {
  if (from === undefined) return { without: 'from', from, to: withDefaults(schema, to) as Json | undefined };
  return { without: to === undefined ? 'to' : spot.without, from, to };
}

function stepInto(spot: Spot, step: string | number, schema: JsonObject): Omit<Spot, 'path' | 'from' | 'to'> {
  const nodes = formNodesBelow(spot.nodes, step);
  const secret = spot.secret || isSecret(nodes, step);
  return { keys: [...spot.keys, step], schema, fallback: undefined, nodes, secret, without: spot.without };
}

/** Whether a part of a value is a secret or holds one: by its control, and by its name where no control describes it. */
export function isOrHoldsSecret(node: FormNode, key: string, value: Json): boolean {
  return isSecret([node], key) || holdsSecret([node], value);
}

/** What no control describes goes by its name. */
function isSecret(nodes: readonly FormNode[], step: string | number): boolean {
  if (nodes.some((node) => node.kind === 'secret' || (node.kind === 'list' && node.item.kind === 'secret'))) return true;
  const described = nodes.some((node) => node.kind !== 'yaml');
  return !described && typeof step === 'string' && textMeaning(step, {}).kind === 'secret';
}

/** What is told whole may hold a secret further down. */
function holdsSecret(nodes: readonly FormNode[], value: Json | undefined): boolean {
  const members: readonly [string | number, Json | undefined][] = Array.isArray(value)
    ? (value as readonly Json[]).map((item, index) => [index, item])
    : Object.entries(isObject(value) ? value : {});
  return members.some(([step, member]) => {
    const below = formNodesBelow(nodes, step);
    return isSecret(below, step) || holdsSecret(below, member);
  });
}

/** An empty object that is required says nothing: it is there to be filled with defaults. */
function isSilent({ nodes, from, to }: Spot): boolean {
  return from === undefined && isObject(to) && !isFull(to) && nodes.some((node) => node.kind === 'group' && node.required);
}

function differenceAt({ path, keys, nodes, from, to, ...spot }: Spot): Difference {
  const secret = spot.secret || holdsSecret(nodes, from) || holdsSecret(nodes, to);
  return { path, keys, secret, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
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
