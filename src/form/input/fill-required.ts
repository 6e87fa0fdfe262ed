import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel, FormNode, ListNode } from '../model/form-node.ts';
import { matchRows } from '../migration/match-rows.ts';

/** Whether a required group wants nothing from a person: all that it must hold are such groups. */
export function fillsItself(node: FormNode): boolean {
  return node.kind === 'group' && node.required && node.children.every((child) => !child.required || fillsItself(child));
}

/**
 * The values with the required groups that were left out as empty objects, which the api-server fills with defaults. It wants them to be
 * there, and nobody should have to ask for an empty object.
 *
 * @param live what is there already: an object that has lived without such a group is left as it is. Rows are paired by what tells them apart.
 */
export function fillRequired({ root }: FormModel, values: JsonObject, live?: JsonObject): JsonObject {
  const filled = fill(root, values, live);
  return isObject(filled) ? filled : values;
}

function fill(node: FormNode, value: Json, live: Json | undefined): Json {
  if (node.kind === 'list') return Array.isArray(value) ? fillRows(node, value as readonly Json[], live) : value;
  if (!isObject(value)) return value;
  const before = isObject(live) ? live : undefined;
  if (node.kind === 'map') return mapValues(value, (member, key) => fill(node.value, member, before?.[key]));
  if (node.kind !== 'group') return value;
  const children = new Map(node.children.map((child) => [child.key, child]));
  const given = mapValues(value, (member, key) => {
    const child = children.get(key);
    return child === undefined ? member : fill(child, member, before?.[key]);
  });
  const isLeftOut = (child: FormNode): boolean =>
    !Object.hasOwn(value, child.key) && (before === undefined || Object.hasOwn(before, child.key));
  const absent = node.children.filter((child) => isLeftOut(child) && fillsItself(child));
  return absent.length === 0
    ? given
    : Object.fromEntries([...Object.entries(given), ...absent.map((child) => [child.key, fill(child, {}, undefined)])]);
}

function fillRows({ item }: ListNode, rows: readonly Json[], live: Json | undefined): Json {
  const before = Array.isArray(live) ? (live as readonly Json[]) : undefined;
  const matched = (matchRows(before, rows as Json, {})?.rows ?? []).filter(({ to }) => to !== undefined);
  const pairs = new Map(matched.map(({ index, from }) => [index, from]));
  return rows.map((row, index) => fill(item, row, pairs.get(index)));
}

function mapValues(value: JsonObject, change: (member: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, member === undefined ? member : change(member, key)]));
}
