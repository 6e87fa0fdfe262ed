import type { Json } from '../../domain/kubernetes/resource.ts';
import { findBranch } from '../model/find-branch.ts';
import type { ChoiceNode } from '../model/form-node.ts';
import { chosenBranch } from './form-fields.ts';
import { reportMissing } from './read-group.ts';
import { keptEmpty, take, type Reading } from './reading.ts';
import type { NodeRef } from '../view/node-ref.ts';

/** The value of the branch that was chosen. Choosing one is meant: a branch of fields that all stay empty is an empty object. */
export function readChoice(reading: Reading, node: ChoiceNode, ref: NodeRef): Json | undefined {
  if (take(reading, 'branch', ref.path) === undefined) return ref.base;
  const branch = chosenBranch(node, reading.fields, ref.path);
  if (branch === undefined) return keptEmpty(reading, ref.path, {}) === null ? null : undefined;
  const faults = reading.faults.length;
  const value = reading.read(reading, branch, branchRef(node, branch, ref));
  if (value !== undefined || branch.kind !== 'group' || reading.faults.length > faults) return value;
  for (const child of branch.children.filter((one) => one.required)) reportMissing(reading, child, [...ref.path, child.key]);
  return {};
}

/** A live value of another branch is no base for this one. */
export function branchRef<T extends NodeRef>(node: ChoiceNode, branch: ChoiceNode['branches'][number]['node'], ref: T): T {
  const live = findBranch(node, ref.base);
  return live !== undefined && node.branches[live]?.node === branch ? ref : { ...ref, base: undefined };
}
