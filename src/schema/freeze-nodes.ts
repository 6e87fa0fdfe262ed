import type { FormModel, FormNode, GroupNode, YamlNode } from './form-node.ts';
import { parsePath, type FormPath } from './form-path.ts';

const MOST = 100;

/**
 * The form with some of its fields as ones that cannot be changed, for what only the cluster knows. Rows of a list or map are alike, so all of them
 * are frozen with one. Texts that are no path, and paths that lead nowhere, do nothing.
 */
export function freezeNodes(model: FormModel, paths: readonly string[]): FormModel {
  const known = paths.slice(0, MOST).flatMap((text) => [parsePath(text) ?? []]);
  const root = known.filter(([key]) => key === model.root.key).reduce((node, path) => freeze(node, path.slice(1)), model.root as FormNode);
  return { ...model, root: root as GroupNode | YamlNode };
}

function freeze(node: FormNode, path: FormPath): FormNode {
  const [step, ...rest] = path;
  if (step === undefined) return frozenWhole(node);
  if (node.kind === 'group') return { ...node, children: node.children.map((child) => (child.key === step ? freeze(child, rest) : child)) };
  if (node.kind === 'list') return { ...node, item: freeze(node.item, rest) };
  if (node.kind === 'map') return { ...node, value: freeze(node.value, rest) };
  if (node.kind !== 'choice') return node;
  return { ...node, branches: node.branches.map((branch) => ({ ...branch, node: freeze(branch.node, path) as typeof branch.node })) };
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
