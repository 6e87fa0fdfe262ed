import type { Branch, ChoiceNode, FormNode, GroupNode } from '../model/form-node.ts';
import { formatPath, type FormPath, parsePath } from '../../schema/form-path.ts';

/**
 * The prefix of the name of a form input, by what the input holds about the field at a path: `v.spec.size` is the value of `spec.size`. The prefix `v` is part of
 * the URL contract of form links; the others are internal.
 */
const PREFIXES = {
  /** The text of a scalar; empty: the field is absent. */
  value: 'v',
  /** YAML of the whole node. When it is sent, all other inputs below the path are ignored. */
  yaml: 'y',
  /** YAML of the members of a group that are not in its schema. */
  rest: 'r',
  /** The number of rows of a list or map. */
  count: 'n',
  /** The key of a row of a map. */
  key: 'k',
  /** The row before it was moved or renamed: an index of the list, or a key of the map. */
  original: 'o',
  /** The meaning of an empty field: `empty` (an empty text, list, map or object), `null`, or `unset` (a secret is removed). */
  state: 's',
  /** The index of the selected branch of a choice; empty: none. */
  branch: 'b',
  /** A group that was opened although it is empty. */
  opened: 'x',
  /** On the root: the YAML before the switch to the form, whose comments and order are restored on the way back. */
  source: 'c',
  /** The page of rows of a list or map that is shown, counted from 1. */
  page: 'p',
  /** How the Secret at the path is created with the instance: `generate` its value, or `type` it. */
  secret: 'm',
} as const;
export type FieldPart = keyof typeof PREFIXES;

const PARTS = new Map<string, FieldPart>(Object.entries(PREFIXES).map(([part, prefix]) => [prefix, part as FieldPart]));
export type FieldMap = ReadonlyMap<string, string>;

/** Lists and maps with more rows are edited as YAML. */
export const MAX_ROWS = 2000;

/** No form is nested more deeply; longer paths are not part of one. */
const MAX_STEPS = 40;

const NAME = new RegExp(`^([${Object.values(PREFIXES).join('')}])\\.(.*)$`, 's');

/** The name of an input. */
export function fieldName(part: FieldPart, path: FormPath): string {
  return `${PREFIXES[part]}.${formatPath(path)}`;
}

/** The parts that the root can have when its members are the first keys. */
const OF_ROOT: readonly FieldPart[] = ['yaml', 'rest', 'source', 'state', 'opened'];

/** What an input's name says; undefined for inputs that are not part of the form. */
export function parseFieldName(name: string): { readonly part: FieldPart; readonly path: FormPath } | undefined {
  const [, prefix = '', text] = NAME.exec(name) ?? [];
  const part = PARTS.get(prefix);
  const path = text === undefined ? undefined : parsePath(text);
  if (part === undefined || path === undefined || path.length > MAX_STEPS) return undefined;
  return path.length === 0 && !OF_ROOT.includes(part) ? undefined : { part, path };
}

/** The inputs of the form by name, with the line ends that the user typed rather than those that browsers send. The first of a name counts. */
export function fieldMap(fields: URLSearchParams): FieldMap {
  const map = new Map<string, string>();
  for (const [name, value] of fields) {
    if (NAME.test(name) && !map.has(name)) map.set(name, value.replaceAll('\r\n', '\n'));
  }
  return map;
}

/** The form with some of its inputs set, each where it stands first, all others as they were. */
export function withFields(fields: URLSearchParams, set: ReadonlyMap<string, string>): URLSearchParams {
  const left = new Map(set);
  const changed = [...fields].flatMap(([name, value]): [string, string][] => {
    if (!set.has(name)) return [[name, value]];
    const text = left.get(name);
    left.delete(name);
    return text === undefined ? [] : [[name, text]];
  });
  return new URLSearchParams([...changed, ...left]);
}

/** The number of rows at a path; undefined when the form did not show the list or map. */
export function rowCount(fields: FieldMap, path: FormPath): number | undefined {
  const text = fields.get(fieldName('count', path));
  if (text === undefined || !/^\d{1,4}$/.test(text)) return undefined;
  return Math.min(Number(text), MAX_ROWS);
}

/** The node at a concrete path, rows and map keys included, through the branches that the fields chose; undefined when the form has none there. */
export function nodeAt(root: FormNode, path: FormPath, fields: FieldMap): FormNode | undefined {
  let node: FormNode | undefined = startsAt(root, path) ? root : undefined;
  const top = root.path.length;
  path.slice(top).forEach((step, index) => {
    const inside: FormNode | undefined = node?.kind === 'choice' ? chosenBranch(node, fields, path.slice(0, index + top)) : node;
    node = inside === undefined ? undefined : childOf(inside, step);
  });
  return node;
}

/** Every node that may stand at a path, whichever branches are chosen. */
export function nodesAt(root: FormNode, path: FormPath): readonly FormNode[] {
  let nodes: readonly FormNode[] = startsAt(root, path) ? branchNodes(root) : [];
  for (const step of path.slice(root.path.length))
    nodes = nodes.map((node) => childOf(node, step)).flatMap((node) => (node === undefined ? [] : branchNodes(node)));
  return nodes;
}

/** Whether a path is that of the root of a form, or below it. */
export function startsAt(root: Pick<FormNode, 'path'>, path: FormPath): boolean {
  return root.path.every((step, index) => path[index] === step);
}

/** The node of the branch that was chosen. */
export function chosenBranch(node: ChoiceNode, fields: FieldMap, path: FormPath): Branch['node'] | undefined {
  const text = fields.get(fieldName('branch', path)) ?? '';
  return /^\d{1,2}$/.test(text) ? node.branches[Number(text)]?.node : undefined;
}

function branchNodes(node: FormNode): readonly FormNode[] {
  return node.kind === 'choice' ? node.branches.map((branch) => branch.node) : [node];
}

/** One step down: the member of a group, the row of a list or map; of the first branch that has it. */
export function childOf(node: FormNode, step: string | number): FormNode | undefined {
  if (node.kind === 'group') return memberOf(node, String(step));
  if (node.kind === 'map') return node.value;
  if (node.kind === 'choice') return node.branches.map((branch) => childOf(branch.node, step)).find((child) => child !== undefined);
  return node.kind === 'list' && (typeof step === 'number' || /^\d+$/.test(step)) ? node.item : undefined;
}

const members = new WeakMap<GroupNode, ReadonlyMap<string, FormNode>>();

/** A member of a group by its key. Groups may have thousands, and are asked once for every input. */
function memberOf(node: GroupNode, key: string): FormNode | undefined {
  const known = members.get(node) ?? new Map(node.children.map((child) => [child.key, child]));
  members.set(node, known);
  return known.get(key);
}
