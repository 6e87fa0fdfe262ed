import type { Branch, ChoiceNode, FormNode, GroupNode } from '../model/form-node.ts';
import { formatPath, parsePath, type FormPath } from '../../schema/form-path.ts';

/**
 * What the inputs of a form are called: a letter for what the input says about a path, a dot, the path.
 *
 * - `v` the text of a scalar; empty: the field is absent
 * - `y` YAML that stands for the whole node; where it is sent, nothing else below the path counts
 * - `r` YAML of the members that a group has beyond those of its schema
 * - `n` how many rows a list or map has
 * - `k` the key of a map's row
 * - `o` the row that this one was before it was moved or renamed: an index of the list, a key of the map
 * - `s` what an empty field means: `empty` (an empty text, list, map or object), `null`, or `unset` (a secret is taken away)
 * - `b` the number of the branch that was chosen where several shapes are possible; empty: none
 * - `x` a group that was opened although nothing is in it
 * - `c` of the root: the YAML that the form was before, whose comments and order come back when it is YAML again
 * - `p` the page of a list's or map's rows that is shown, counted from 1
 * - `m` a Secret of the name at the path is made with the instance: `generate` its value, or `type` it
 */
export type FieldLetter = 'v' | 'y' | 'r' | 'n' | 'k' | 'o' | 's' | 'x' | 'b' | 'c' | 'm' | 'p';
export type FieldMap = ReadonlyMap<string, string>;

/** Lists and maps with more rows are edited as YAML. */
export const MOST_ROWS = 2000;

/** No form is nested more deeply; longer paths are not part of one. */
const MOST_STEPS = 40;

const NAME = /^([vyrnkosxbcmp])\.(.*)$/s;

/** The name of an input. */
export function fieldName(letter: FieldLetter, path: FormPath): string {
  return `${letter}.${formatPath(path)}`;
}

/** What can be said of the root whose members are the first keys. */
const OF_ROOT = 'yrcsx';

/** What an input's name says; undefined for inputs that are not part of the form. */
export function parseFieldName(name: string): { readonly letter: FieldLetter; readonly path: FormPath } | undefined {
  const [, letter, text] = NAME.exec(name) ?? [];
  const path = text === undefined ? undefined : parsePath(text);
  if (letter === undefined || path === undefined || path.length > MOST_STEPS) return undefined;
  return path.length === 0 && !OF_ROOT.includes(letter) ? undefined : { letter: letter as FieldLetter, path };
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
  const text = fields.get(fieldName('n', path));
  if (text === undefined || !/^\d{1,4}$/.test(text)) return undefined;
  return Math.min(Number(text), MOST_ROWS);
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
  const text = fields.get(fieldName('b', path)) ?? '';
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
