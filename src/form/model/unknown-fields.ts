import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { findBranch } from './find-branch.ts';
import type { FormModel, FormNode } from './form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';

/** The paths of values that a form has no place for, since its schema closes the object that they are in: `spec.storage.oldName`. */
export function unknownFields({ root }: Pick<FormModel, 'root'>, values: JsonObject): readonly string[] {
  return unknownIn(root, values, root.path).map(formatPath);
}

function unknownIn(node: FormNode, value: Json | undefined, path: FormPath): FormPath[] {
  if (node.kind === 'choice') {
    const branch = node.branches[findBranch(node, value ?? null) ?? -1];
    return branch === undefined ? [] : unknownIn(branch.node, value, path);
  }
  if (node.kind === 'list')
    return Array.isArray(value) ? value.flatMap((item: Json, row) => unknownIn(node.item, item, [...path, row])) : [];
  if (!isObject(value)) return [];
  if (node.kind === 'map') return Object.entries(value).flatMap(([key, member]) => unknownIn(node.value, member as Json, [...path, key]));
  if (node.kind !== 'group') return [];
  const children = new Map(node.children.map((child) => [child.key, child]));
  return Object.entries(value).flatMap(([key, member]) => {
    const child = children.get(key);
    if (child !== undefined) return unknownIn(child, member, [...path, key]);
    return node.open ? [] : [[...path, key]];
  });
}
