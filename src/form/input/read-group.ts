import { controlOf } from '../controls/controls.ts';
import { at, isObject, objectAt } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { type ChoiceNode, type FormNode, type GroupNode, isScalar } from '../model/form-node.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { fillsItself } from './fill-required.ts';
import { unsealSecrets } from './sealed-secrets.ts';
import { rowsText } from './read-rows.ts';
import { chosenBranch, fieldName } from './form-fields.ts';
import { fault, emptyValue, type Reading, readYamlText, standsAlone, take } from './reading.ts';
import { memberRef, type NodeRef } from '../view/node-ref.ts';
import { findBranch } from '../model/find-branch.ts';

/** The object of a group: absent when nothing is in it. A group none of whose inputs was sent keeps its live value. */
export function readGroup(reading: Reading, node: GroupNode, ref: NodeRef): Json | undefined {
  const before = reading.seen;
  const members = new Map<string, Json>();
  const missing: FormNode[] = [];
  for (const child of node.children) {
    const faults = reading.faults.length;
    const value = reading.read(reading, child, memberRef(ref, child.key));
    if (value !== undefined) members.set(child.key, value);
    else if (child.required && !fillsItself(child) && reading.faults.length === faults) missing.push(child);
  }
  const others = readOthers(reading, node, ref);
  for (const [key, value] of others) members.set(key, value);
  const kept = members.size === 0 ? emptyValue(reading, ref.path, {}) : undefined;
  const untouched = reading.seen === before;
  if (!standsAlone(reading, ref.path) && untouched) return ref.base;
  const value = members.size > 0 ? inBaseOrder(members, ref.base) : kept;
  if (value !== undefined || standsAlone(reading, ref.path))
    for (const child of missing) reportMissing(reading, child, [...ref.path, child.key]);
  if (untouched && ref.base !== undefined) return ref.base;
  return value === undefined && standsAlone(reading, ref.path) ? {} : value;
}

/** The members that the schema does not know: from their YAML field, else as they are live. */
function readOthers(reading: Reading, node: GroupNode, ref: NodeRef): [string, Json][] {
  const known = new Set(node.children.map((child) => child.key));
  const text = take(reading, 'rest', ref.path);
  if (text === undefined) return isObject(ref.base) ? entriesOf(ref.base).filter(([key]) => !known.has(key)) : [];
  const read = readYamlText(reading, text);
  if (read.fault !== undefined) {
    fault(reading, ref.path, `Other fields, line ${read.line}: ${read.fault}`, read);
    return [];
  }
  if (read.value === undefined || read.value === null) return [];
  const twice = isObject(read.value) ? Object.keys(read.value).find((key) => known.has(key)) : undefined;
  if (twice !== undefined) fault(reading, ref.path, `Other fields: "${twice}" has a field of its own; set it there`);
  if (!isObject(read.value)) fault(reading, ref.path, 'Other fields: write keys and values, such as "size: 1"');
  return isObject(read.value) ? entriesOf(objectAt(unsealSecrets(reading.model, reading.base, { path: ref.path, value: read.value }))) : [];
}

function entriesOf(value: Readonly<Record<string, unknown>>): [string, Json][] {
  return Object.entries(value).filter(([, member]) => member !== undefined) as [string, Json][];
}

function inBaseOrder(members: ReadonlyMap<string, Json>, base: Json | undefined): Json {
  const first = isObject(base) ? Object.keys(base).filter((key) => members.has(key)) : [];
  return Object.fromEntries([...new Set([...first, ...members.keys()])].map((key) => [key, members.get(key)]));
}

/** A required group asks for its own required fields by name. */
function reportMissing(reading: Reading, node: FormNode, path: FormPath): void {
  const inner =
    node.kind === 'group' && !reading.fields.has(fieldName('yaml', path)) ? node.children.filter((child) => child.required) : [];
  if (inner.length === 0) fault(reading, path, askFor(node));
  for (const child of inner) reportMissing(reading, child, [...path, child.key]);
}

function askFor(node: FormNode): string {
  if (node.kind === 'choice' || (isScalar(node) && controlOf(node).options !== undefined)) return `Choose ${inSentence(node.label)}`;
  const least = node.kind === 'list' ? (node.constraints.minItems ?? 0) : 0;
  if (least > 0) return `Add at least ${rowsText(least)}`;
  if (node.kind === 'list' || node.kind === 'map') return 'Add a row, or tick the box to leave it empty';
  if (node.kind === 'group') return 'Fill in a field, or tick the box to leave it empty';
  return `Enter ${inSentence(node.label)}`;
}

/** A label within a sentence: `Storage size` reads `storage size`, `TLS secret` stays. */
function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;
}

/** The value of the branch that was chosen. Choosing one is meant: a branch of fields that all stay empty is an empty object. */
export function readChoice(reading: Reading, node: ChoiceNode, ref: NodeRef): Json | undefined {
  if (take(reading, 'branch', ref.path) === undefined) return ref.base;
  const branch = chosenBranch(node, reading.fields, ref.path);
  if (branch === undefined) return emptyValue(reading, ref.path, {}) === null ? null : undefined;
  const faults = reading.faults.length;
  const value = reading.read(reading, branch, branchRef(node, branch, ref, liveValue(reading, ref)));
  if (value !== undefined || branch.kind !== 'group' || reading.faults.length > faults) return value;
  for (const child of branch.children.filter((one) => one.required)) reportMissing(reading, child, [...ref.path, child.key]);
  return {};
}

function liveValue({ live, model }: Reading, { base, basePath }: NodeRef): Json | undefined {
  return live === undefined ? base : (at(live, ...basePath.slice(model.root.path.length)) as Json | undefined);
}

/** A live value of another branch is no base for this one. */
export function branchRef<T extends NodeRef>(node: ChoiceNode, branch: ChoiceNode['branches'][number]['node'], ref: T, live = ref.base): T {
  const found = findBranch(node, live);
  return found !== undefined && node.branches[found]?.node === branch ? ref : { ...ref, base: undefined };
}
