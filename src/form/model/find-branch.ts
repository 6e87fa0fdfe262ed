import { isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { checkScalar, holdsText, writeScalar } from '../controls/scalar.ts';
import { isScalar, isSecret, type ChoiceNode, type FormNode, type GroupNode } from './form-node.ts';
import { STAND_IN } from '../../schema/sensitive/mask.ts';

/** Far below what any number of fitting members makes up for. */
const UNFIT = -1000;
const MAX_ROWS = 20;

/**
 * The branch that a value has: the one whose fields hold most of it; undefined when it fits none at all, and when its YAML fields would show what
 * is a secret in another branch.
 */
export function findBranch(node: ChoiceNode, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const scores = node.branches.map((branch) => fit(branch.node, value));
  const best = Math.max(...scores);
  const index = scores.indexOf(best);
  const found = node.branches[index]?.node;
  if (found === undefined || best <= UNFIT) return undefined;
  return node.branches.some((branch) => branch.node !== found && bares(found, branch.node, value)) ? undefined : index;
}

/** Whether one node shows as YAML what the other keeps as a secret. */
function bares(shown: FormNode, other: FormNode, value: Json): boolean {
  if (shown.kind !== 'group') return (shown.kind === 'yaml' || shown.kind === 'map') && holdsSecret(other, value);
  if ((other.kind !== 'group' && other.kind !== 'map') || !isObject(value)) return false;
  const known = new Map(shown.children.map((child) => [child.key, child.kind]));
  const apart = Object.keys(value).filter((key) => (known.get(key) ?? 'yaml') === 'yaml');
  const others = other.kind === 'group' ? new Map(other.children.map((child) => [child.key, child])) : undefined;
  return apart.some((key) => {
    const kept = other.kind === 'map' ? other.value : others?.get(key);
    return kept !== undefined && holdsSecret(kept, value[key]);
  });
}

function holdsSecret(node: FormNode, value: Json | undefined): boolean {
  if (isSecret(node)) return typeof value === 'string' && value !== '';
  if (node.kind === 'choice') return node.branches.some((branch) => holdsSecret(branch.node, value));
  if (node.kind === 'list') return Array.isArray(value) && (value as readonly Json[]).some((item) => holdsSecret(node.item, item));
  if (!isObject(value) || Array.isArray(value)) return false;
  if (node.kind === 'map') return Object.values(value).some((member) => holdsSecret(node.value, member));
  return node.kind === 'group' && node.children.some((child) => Object.hasOwn(value, child.key) && holdsSecret(child, value[child.key]));
}

function fit(node: FormNode, value: Json): number {
  if (node.kind === 'yaml') return 0.1;
  if (node.kind === 'choice') return Math.max(...node.branches.map((branch) => fit(branch.node, value)));
  if (value === null) return node.nullable ? 1 : -1;
  // In doubt a text is a secret; and what stands for one fits where it fits.
  if (isSecret(node)) return typeof value === 'string' ? 1.5 : UNFIT;
  if (isScalar(node)) {
    if (typeof value === 'string' && STAND_IN.test(value)) return -1;
    if (value === '' && holdsText(node)) return 1;
    if (writeScalar(node, value) === undefined) return UNFIT;
    return checkScalar(node, value) === undefined ? ('options' in node ? 3 : 1) : 0.5;
  }
  if (node.kind === 'list') return Array.isArray(value) ? 1 + least((value as readonly Json[]).map((item) => fit(node.item, item))) : UNFIT;
  if (!isObject(value) || Array.isArray(value)) return UNFIT;
  if (node.kind === 'group') return fitGroup(node, value);
  return 0.5 + least(Object.values(value).map((member) => fit(node.value, member as Json)));
}

/** Known members count for a branch; unknown ones, missing ones and constants of another branch count against it. */
function fitGroup(node: GroupNode, value: Readonly<Record<string, unknown>>): number {
  const members = new Map(Object.entries(value));
  let score = 1;
  for (const child of node.children) {
    const member = members.get(child.key);
    members.delete(child.key);
    if (member === undefined) score -= child.required ? 2 : 0;
    else score += Math.max(-10, Math.min(3, fit(child, member as Json)));
  }
  return score - members.size * (node.open ? 0.5 : 2);
}

function least(scores: readonly number[]): number {
  return scores.length === 0 ? 0 : Math.max(-10, Math.min(...scores.slice(0, MAX_ROWS)));
}
