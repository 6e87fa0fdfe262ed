import { isObject } from '../../domain/read.ts';
import type { Json, JsonObject } from '../../domain/resource.ts';
import type { FormModel, FormNode } from '../../schema/form-node.ts';

/** Whether a required group wants nothing from a person: all that it must hold are such groups. */
export function fillsItself(node: FormNode): boolean {
  return node.kind === 'group' && node.required && node.children.every((child) => !child.required || fillsItself(child));
}

/**
 * The values with the required groups that were left out as empty objects, which the api-server fills with defaults. It wants them to be
 * there, and nobody should have to ask for an empty object.
 */
export function fillRequired({ root }: FormModel, values: JsonObject): JsonObject {
  const filled = fill(root, values);
  return isObject(filled) ? filled : values;
}

function fill(node: FormNode, value: Json): Json {
  if (node.kind === 'list') return Array.isArray(value) ? value.map((item) => fill(node.item, item)) : value;
  if (!isObject(value)) return value;
  if (node.kind === 'map') return mapValues(value, (member) => fill(node.value, member));
  if (node.kind !== 'group') return value;
  const children = new Map(node.children.map((child) => [child.key, child]));
  const given = mapValues(value, (member, key) => {
    const child = children.get(key);
    return child === undefined ? member : fill(child, member);
  });
  const absent = node.children.filter((child) => !Object.hasOwn(value, child.key) && fillsItself(child));
  return absent.length === 0
    ? given
    : Object.fromEntries([...Object.entries(given), ...absent.map((child) => [child.key, fill(child, {})])]);
}

function mapValues(value: JsonObject, change: (member: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, member === undefined ? member : change(member, key)]));
}
