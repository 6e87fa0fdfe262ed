import type { FormModel, FormNode, GroupNode, YamlNode } from './form-node.ts';
import { type FormPath, parsePath } from '../../schema/form-path.ts';

const MAX_ITEMS = 100;

/**
 * The form with some of its fields as ones that cannot be changed, for what only the cluster knows. Rows of a list or map are alike, so all of them
 * are frozen with one. Texts that are no path, and paths that lead nowhere, do nothing.
 */
export function freezeNodes(model: FormModel, paths: readonly string[]): FormModel {
  const known = paths.slice(0, MAX_ITEMS).flatMap((text) => [parsePath(text) ?? []]);
  const { path: top } = model.root;
  const inside = known.filter((path) => top.every((step, index) => path[index] === step)).map((path) => path.slice(top.length));
  const root = inside.length === 0 ? model.root : freeze(model.root, inside);
  return { ...model, root: root as GroupNode | YamlNode };
}

/** All paths at once, so that no node is frozen twice. */
function freeze(node: FormNode, paths: readonly FormPath[]): FormNode {
  if (paths.some((path) => path.length === 0)) return frozenWhole(node);
  const rest = paths.map((path) => path.slice(1));
  if (node.kind === 'group') {
    const below = Map.groupBy(paths, ([step]) => String(step));
    return { ...node, children: node.children.map((child) => freezeChild(child, below.get(child.key))) };
  }
  if (node.kind === 'list') return { ...node, item: freeze(node.item, rest) };
  if (node.kind === 'map') return { ...node, value: freeze(node.value, rest) };
  if (node.kind !== 'choice') return node;
  return { ...node, branches: node.branches.map((branch) => ({ ...branch, node: freeze(branch.node, paths) as typeof branch.node })) };
}

function freezeChild(child: FormNode, paths: readonly FormPath[] | undefined): FormNode {
  return paths === undefined
    ? child
    : freeze(
        child,
        paths.map((path) => path.slice(1)),
      );
}

function frozenWhole(node: FormNode): FormNode {
  if (node.kind === 'group') return { ...node, immutable: true, children: node.children.map(frozenWhole) };
  if (node.kind === 'list') return { ...node, immutable: true, item: frozenWhole(node.item) };
  if (node.kind === 'map') return { ...node, immutable: true, value: frozenWhole(node.value) };
  if (node.kind !== 'choice') return { ...node, immutable: true };
  return {
    ...node,
    immutable: true,
    branches: node.branches.map((branch) => ({ ...branch, node: frozenWhole(branch.node) as typeof branch.node })),
  };
}
