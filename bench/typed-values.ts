import { isObject } from '../src/domain/core/read.ts';
import type { Json, JsonObject } from '../src/domain/kubernetes/resource.ts';
import type { FormNode } from '../src/form/model/form-node.ts';

/** How the values of a chart are reached by its form. An empty object and a list are one value. */
export interface ValueCounts {
  readonly values: number;
  /** Values with a control of their own that holds them whole; the others are part of a YAML field. */
  readonly typed: number;
  /** The others, by their paths. */
  readonly untyped: readonly string[];
}

/** Counts the values of values.yaml by the controls that a form has for them, whatever the schema of the chart says of them. */
export function countTypedValues(root: FormNode, values: JsonObject): ValueCounts {
  const found = Object.keys(values).length === 0 ? [] : valuesBelow(root, values, []);
  const untyped = found.filter(({ isTyped }) => !isTyped).map(({ path }) => path.join('.'));
  return { values: found.length, typed: found.length - untyped.length, untyped };
}

interface FoundValue {
  readonly path: readonly string[];
  readonly isTyped: boolean;
}

function valuesBelow(node: FormNode | undefined, value: Json, path: readonly string[]): readonly FoundValue[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [{ path, isTyped: node !== undefined && holds(node, value) }];
  return Object.entries(value).flatMap(([key, member = null]) => valuesBelow(memberOf(node, key), member, [...path, key]));
}

function memberOf(node: FormNode | undefined, key: string): FormNode | undefined {
  if (node?.kind === 'group') return node.children.find((child) => child.key === key);
  if (node?.kind === 'map') return node.value;
  if (node?.kind !== 'choice') return undefined;
  const branches = node.branches.map((branch) => memberOf(branch.node, key));
  return branches.find((branch) => branch !== undefined);
}

function holds(node: FormNode, value: Json): boolean {
  if (node.kind === 'choice') return node.branches.some((branch) => holds(branch.node, value));
  if (node.kind === 'yaml') return false;
  if (Array.isArray(value))
    return node.kind === 'list' && (value.length === 0 ? isTyped(node.item) : value.every((row) => holds(node.item, row as Json)));
  if (!isObject(value)) return true;
  if (Object.keys(value).length === 0) return isTyped(node);
  return valuesBelow(node, value, []).every((one) => one.isTyped);
}

/** Whether a control for rows or members that are not there yet is more than YAML. */
function isTyped(node: FormNode): boolean {
  if (node.kind === 'group') return node.children.length > 0;
  if (node.kind === 'choice') return node.branches.every((branch) => isTyped(branch.node));
  if (node.kind === 'list') return isTyped(node.item);
  return node.kind === 'map' ? isTyped(node.value) : node.kind !== 'yaml';
}
