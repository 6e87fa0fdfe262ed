import { isScalar, type FormNode } from '../model/form-node.ts';

const counted = new WeakMap<FormNode, number>();

/** Controls in a node; the row of a list or map counts once. Forms are made once and shown often, so the number is kept. */
export function countControls(node: FormNode): number {
  const known = counted.get(node) ?? controlsIn(node);
  counted.set(node, known);
  return known;
}

function controlsIn(node: FormNode): number {
  if (node.kind === 'group') return node.children.reduce((sum, child) => sum + countControls(child), 0);
  if (node.kind === 'choice') return Math.max(...node.branches.map((branch) => countControls(branch.node)));
  return isScalar(node) || node.kind === 'yaml' ? 1 : Math.min(countControls(node.kind === 'list' ? node.item : node.value), 3);
}
