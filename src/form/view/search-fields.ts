import type { FormNode, GroupNode } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';

const LONGEST_QUERY = 200;

/** The words of a search, in lower case. */
export function searchWords(query: string): readonly string[] {
  return query
    .slice(0, LONGEST_QUERY)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * The members of a group in whose names, paths or descriptions every word occurs. A group that matches itself keeps all its fields, any other only
 * those that match; lists, maps and choices stay whole.
 */
export function matchingChildren(group: GroupNode, words: readonly string[]): readonly FormNode[] {
  return group.children.flatMap((child): FormNode[] => {
    if (matches(child, words)) return [child];
    if (child.kind !== 'group') return below(child).some((node) => holdsMatch(node, words)) ? [child] : [];
    const children = matchingChildren(child, words);
    return children.length === 0 ? [] : [{ ...child, children, open: false }];
  });
}

function holdsMatch(node: FormNode, words: readonly string[]): boolean {
  return matches(node, words) || below(node).some((inner) => holdsMatch(inner, words));
}

function below(node: FormNode): readonly FormNode[] {
  if (node.kind === 'group') return node.children;
  if (node.kind === 'list') return [node.item];
  if (node.kind === 'map') return [node.value];
  return node.kind === 'choice' ? node.branches.flatMap((branch) => below(branch.node)) : [];
}

function matches(node: FormNode, words: readonly string[]): boolean {
  if (node.key === '') return false;
  const text = `${node.label} ${formatPath(node.path)} ${node.help.summary} ${node.help.more}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
