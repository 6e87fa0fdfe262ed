import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel, FormNode } from './form-node.ts';
import { resolveSchema, type SchemaDocument } from '../../schema/resolve-schema.ts';
import { splitConditions } from '../../schema/conditionals/split-conditions.ts';
import { typesOf } from './shape.ts';
import { MAX_WORK } from '../../schema/work.ts';

/** How the leaves of a schema are reached by a form. `unreachable` holds their paths and is empty for every form of ours. */
export interface Coverage {
  readonly leaves: number;
  /** Leaves with a control of their own. */
  readonly typed: number;
  /** Leaves within a YAML field. */
  readonly yaml: number;
  /** Those of them of which the schema says nothing: any value is allowed. */
  readonly freeForm: number;
  readonly unreachable: readonly string[];
}

const MAX_LEAVES = 20_000;
const DEEPEST = 64;

/** Walks the schema by itself, alternatives included, and looks each leaf up in the form. */
export function coverage(schema: JsonObject, model: FormModel): Coverage {
  const walk: Walk = { document: { root: schema, work: { left: MAX_WORK } }, leaves: [] };
  walkSchema(walk, { schema, path: [], refs: [] });
  const step = stepper();
  const reached = walk.leaves.map(({ path, free }) => ({ path, free, how: reach(step, model.root, { path, free }) }));
  return {
    leaves: reached.length,
    typed: reached.filter((leaf) => leaf.how === 'typed').length,
    yaml: reached.filter((leaf) => leaf.how === 'yaml').length,
    freeForm: reached.filter((leaf) => leaf.how === 'yaml' && leaf.free).length,
    unreachable: reached.filter((leaf) => leaf.how === 'nothing').map((leaf) => leaf.path.join('.')),
  };
}

interface Walk {
  readonly document: SchemaDocument;
  readonly leaves: Leaf[];
}
interface Leaf {
  /** Below the root; `*` is any row. */
  readonly path: readonly string[];
  readonly free: boolean;
}
interface NodeRef {
  readonly schema: Json | undefined;
  readonly path: readonly string[];
  readonly refs: readonly string[];
}

function walkSchema(walk: Walk, ref: NodeRef): void {
  if (walk.leaves.length >= MAX_LEAVES) return;
  walk.document.work.left -= ref.path.length;
  const resolved = resolveSchema(walk.document, ref.schema, ref.refs);
  if (resolved.schema === undefined || ref.path.length > DEEPEST) {
    walk.leaves.push({ path: ref.path, free: resolved.schema === undefined && resolved.reason === 'refers to another document' });
    return;
  }
  const { schema, refs } = resolved;
  const before = walk.leaves.length;
  const within = typesWithin(schema, []);
  for (const [key, member] of membersOf(schema, within)) walkSchema(walk, { schema: member, path: [...ref.path, key], refs });
  for (const branch of branchesOf(schema)) walkBranch(walk, { schema: branch, path: ref.path, refs }, within);
  if (walk.leaves.length === before) walk.leaves.push({ path: ref.path, free: isFree(schema) });
}

/** Whether the schema of a leaf lets objects or lists of any shape through. */
function isFree(schema: JsonObject): boolean {
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return false;
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => type === 'object' || type === 'array');
}

/** A branch counts only for what it describes below the node. */
function walkBranch(walk: Walk, ref: NodeRef, outside: readonly string[]): void {
  const resolved = resolveSchema(walk.document, ref.schema, ref.refs);
  if (resolved.schema === undefined || ref.path.length > DEEPEST) return;
  const { schema, refs } = resolved;
  const within = typesWithin(schema, outside);
  const members = membersOf(schema, within).filter(([, member]) => isObject(member) && Object.keys(member).length > 0);
  for (const [key, member] of members) walkSchema(walk, { schema: member, path: [...ref.path, key], refs });
  for (const branch of branchesOf(schema)) walkBranch(walk, { schema: branch, path: ref.path, refs }, within);
}

/** What a value here can be at all, where its branches say one thing and what stands outside of them another; empty: anything. */
function typesWithin(schema: JsonObject, outside: readonly string[]): readonly string[] {
  const own = hasScalarsOnly(schema) ? ['nothing'] : typesOf(schema);
  if (own.length === 0 || outside.length === 0) return [...own, ...outside];
  const both = own.filter((type) => outside.includes(type));
  return both.length === 0 ? ['nothing'] : both;
}

/** Whether the schema lists its values, and none of them has members. */
function hasScalarsOnly({ const: only, enum: options }: JsonObject): boolean {
  if (only !== undefined) return typeof only !== 'object' || only === null;
  return Array.isArray(options) && options.every((value) => typeof value !== 'object' || value === null);
}

function membersOf(schema: JsonObject, types: readonly string[]): [string, Json][] {
  const can = (type: string): boolean => types.length === 0 || types.includes(type);
  const { additionalProperties, patternProperties } = schema;
  const [properties, items] = [can('object') ? schema['properties'] : undefined, can('array') ? schema['items'] : undefined];
  const open = can('object') ? [additionalProperties, ...(isObject(patternProperties) ? Object.values(patternProperties) : [])] : [];
  const rows = [items, ...open];
  const members = isObject(properties) ? Object.entries(properties) : [];
  return [...members, ...rows.filter((row) => isObject(row)).map((row): [string, Json] => ['*', row])] as [string, Json][];
}

function branchesOf(schema: JsonObject): Json[] {
  const lists = [schema['oneOf'], schema['anyOf']].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  return [...lists, ...splitConditions(schema).conditions.flatMap(conditionalBranches)];
}

/** What holds under conditions; a list of names of required members describes nothing. */
function conditionalBranches({ then: met, else: unmet, dependentSchemas, dependencies }: JsonObject): Json[] {
  const byMember = [dependentSchemas, dependencies].flatMap((schemas) => (isObject(schemas) ? Object.values(schemas) : []));
  return [met, unmet, ...byMember].filter((branch) => isObject(branch));
}

/** Where branches differ, a leaf counts as typed when one of them has a control for it; a choice is typed when all its branches are. */
function reach(step: Step, root: FormNode, { path, free }: Leaf): 'typed' | 'yaml' | 'nothing' {
  let nodes: readonly FormNode[] = [root];
  let open = false;
  for (const key of path) {
    const steps = nodes.flatMap(branchNodes).map((node) => step(node, key));
    open ||= steps.includes('open');
    nodes = steps.filter((next) => next !== undefined && next !== 'open');
  }
  const controls = nodes.map((node) => branchNodes(node).every(free ? isTyped : (one) => one.kind !== 'yaml'));
  if (controls.includes(true)) return 'typed';
  return controls.length > 0 || open ? 'yaml' : 'nothing';
}

/** A control for what the schema only calls an object or a list counts where each field below it has one, too. */
function isTyped(node: FormNode): boolean {
  if (node.kind === 'group') return node.children.every(isTyped);
  if (node.kind === 'choice') return node.branches.every((branch) => isTyped(branch.node));
  if (node.kind === 'list') return isTyped(node.item);
  return node.kind === 'map' ? isTyped(node.value) : node.kind !== 'yaml';
}

function branchNodes(node: FormNode): readonly FormNode[] {
  return node.kind === 'choice' ? node.branches.map((branch) => branch.node) : [node];
}

type Step = (node: FormNode, key: string) => FormNode | 'open' | undefined;

/** Steps from a node to a member; groups are looked through once, however many leaves they have. */
function stepper(): Step {
  const known = new Map<FormNode, ReadonlyMap<string, FormNode>>();
  return (node, key) => {
    if (node.kind === 'yaml') return 'open';
    if (node.kind === 'list') return key === '*' ? node.item : undefined;
    if (node.kind !== 'group') return node.kind === 'map' ? node.value : undefined;
    const members = known.get(node) ?? new Map(node.children.map((child) => [child.key, child]));
    known.set(node, members);
    return members.get(key) ?? (node.open ? 'open' : undefined);
  };
}
