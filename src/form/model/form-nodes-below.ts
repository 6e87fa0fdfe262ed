import type { FormNode } from './form-node.ts';

/** Every node that may stand one step below any of some nodes, whichever branches are chosen: the member of a group, the row of a list or map. */
export function formNodesBelow(nodes: readonly FormNode[], step: string | number): readonly FormNode[] {
  return nodes.flatMap(shapesOf).flatMap((node) => {
    if (node.kind === 'group') return node.children.filter((child) => child.key === step).flatMap(shapesOf);
    if (node.kind === 'list') return shapesOf(node.item);
    return node.kind === 'map' ? shapesOf(node.value) : [];
  });
}

function shapesOf(node: FormNode): readonly FormNode[] {
  return node.kind === 'choice' ? node.branches.map((branch) => branch.node) : [node];
}
