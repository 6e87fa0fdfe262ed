import { at } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { isScalar, type FormNode, type ListNode, type MapNode } from '../model/form-node.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { holdsText } from '../controls/scalar.ts';
import { sizeOf, spend } from './form-budget.ts';
import { rowCount } from './form-fields.ts';
import { fault, emptyValue, take, type Reading } from './reading.ts';
import { rowRef, type NodeRef } from '../view/node-ref.ts';

/** The values of a list, in the order of its rows. */
export function readList(reading: Reading, node: ListNode, ref: NodeRef): Json | undefined {
  const count = countRows(reading, ref);
  if (count === undefined) return ref.base;
  if (count === 0) return emptyValue(reading, ref.path, []);
  const items = rowNumbers(count).map((row) => readRow(reading, node.item, rowRef(reading.fields, ref, row)) ?? null);
  const { minItems, maxItems } = node.constraints;
  if (minItems !== undefined && count < minItems) fault(reading, ref.path, `Add at least ${rowsText(minItems)}; there ${isAre(count)}`);
  if (maxItems !== undefined && count > maxItems) fault(reading, ref.path, `Keep at most ${rowsText(maxItems)}; there ${isAre(count)}`);
  return items;
}

/** The values of a map by the keys of its rows. */
export function readMap(reading: Reading, node: MapNode, ref: NodeRef): Json | undefined {
  const count = countRows(reading, ref);
  if (count === undefined) return ref.base;
  if (count === 0) return emptyValue(reading, ref.path, {});
  const members = new Map<string, Json>();
  for (const row of rowNumbers(count)) {
    const here = rowRef(reading.fields, ref, row);
    const key = take(reading, 'key', here.path) ?? '';
    const value = readRow(reading, node.value, here, 'map');
    if (key === '') fault(reading, here.path, 'Enter a key, or remove this row');
    else if (!mayBeKey(reading, node, { key, live: ref.base }))
      fault(reading, here.path, `The key "${key}" has not the form ${shortPattern(node)}`);
    if (members.has(key)) fault(reading, here.path, `The key "${key}" is used twice`);
    if (value !== undefined) members.set(key, value);
  }
  return Object.fromEntries(members);
}

/** What lives already is not rejected for being as it is. */
function mayBeKey(
  { budget }: Reading,
  { keys }: MapNode,
  { key, live }: { readonly key: string; readonly live: Json | undefined },
): boolean {
  if (keys === undefined || at(live, key) !== undefined) return true;
  budget.patterns -= keys.length * key.length;
  return budget.patterns < 0 || matchesPattern(keys, key);
}

function shortPattern({ keys = '' }: MapNode): string {
  return keys.slice(0, 200);
}

function countRows(reading: Reading, ref: NodeRef): number | undefined {
  const count = rowCount(reading.fields, ref.path);
  if (count !== undefined) {
    spend(reading.budget, 'rows', { amount: count, path: ref.path });
    reading.seen += 1;
  }
  return count;
}

/** A row always has a value: it is there because somebody added it. The empty text is one in maps, where `key:` is common. */
function readRow(reading: Reading, node: FormNode, ref: NodeRef, parent?: 'map'): Json | undefined {
  const faults = reading.faults.length;
  // Rows of a form that was made by hand may all come from the same live row.
  spend(reading.budget, 'characters', { amount: sizeOf(ref.base), path: ref.path });
  const value = reading.read(reading, node, ref);
  if (value !== undefined || reading.faults.length > faults) return value;
  if (node.kind === 'list') return [];
  if (node.kind === 'map' || node.kind === 'group') return {};
  if (parent === 'map' && isScalar(node) && holdsText(node)) return '';
  fault(reading, ref.path, 'Enter a value, or remove this row');
  return undefined;
}

function rowNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row);
}

/** `1 row`, `2 rows`. */
export function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

function isAre(count: number): string {
  return count === 1 ? 'is 1' : `are ${count}`;
}
