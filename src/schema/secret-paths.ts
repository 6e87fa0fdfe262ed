import { isObject } from '../domain/read.ts';
import type { Json, JsonObject } from '../domain/resource.ts';
import type { FormModel, FormNode } from './form-node.ts';
import { textMeaning } from './heuristics.ts';

interface Spot {
  readonly path: string;
  /** The member's name; empty for rows of a list. */
  readonly key: string;
  /** What the form knows of this place: several in the branches of a choice, none where it knows nothing. */
  readonly nodes: readonly FormNode[];
  readonly value: Json | undefined;
}

/** The paths of the values that are secrets, by the form or, where it says nothing of them, by their names: `spec.users[0].password`. */
export function secretPaths({ root }: Pick<FormModel, 'root'>, spec: JsonObject): readonly string[] {
  return within({ path: root.key, key: root.key, nodes: unfold([root]), value: spec });
}

function within(spot: Spot): string[] {
  const { value, path, nodes } = spot;
  if (typeof value === 'string' && value !== '') return isSecret(spot) ? [path] : [];
  if (Array.isArray(value)) {
    const rows = unfold(nodes.flatMap((node) => (node.kind === 'list' ? [node.item] : [])));
    const key = rows.length > 0 ? '' : spot.key;
    return value.flatMap((item: Json, index) => within({ path: `${path}[${index}]`, key, nodes: rows, value: item }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    within({ path: `${path}.${key}`, key, nodes: unfold(nodes.flatMap((node) => memberOf(node, key))), value: member }),
  );
}

function memberOf(node: FormNode, key: string): FormNode[] {
  if (node.kind === 'map') return [node.value];
  return node.kind === 'group' ? node.children.filter((child) => child.key === key) : [];
}

/** Every branch of a choice counts. */
function unfold(nodes: readonly FormNode[]): FormNode[] {
  return nodes.flatMap((node) => (node.kind === 'choice' ? unfold(node.branches.map((branch) => branch.node)) : [node]));
}

function isSecret({ nodes, key }: Spot): boolean {
  if (nodes.some(({ kind }) => kind === 'secret')) return true;
  const described = nodes.some(({ kind }) => kind !== 'yaml' && kind !== 'map' && kind !== 'group');
  return !described && textMeaning(key, {}).kind === 'secret';
}
