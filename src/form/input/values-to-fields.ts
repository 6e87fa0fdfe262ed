import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { findBranch } from '../model/find-branch.ts';
import { isScalar, isSecret, type ChoiceNode, type FormModel, type FormNode, type GroupNode, type ScalarNode } from '../model/form-node.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { holdsText, writeScalar } from '../controls/scalar.ts';
import { isSafeText, writeYaml } from '../../schema/yaml-text.ts';
import { FORM_LIMITS, nodesIn } from './form-budget.ts';
import { fieldName, MAX_ROWS, type FieldPart } from './form-fields.ts';
import { sealSecrets } from './sealed-secrets.ts';

/**
 * The inputs of a form that shows the values. What a control cannot hold exactly is given as YAML. On edit the values are the live ones, whose
 * secrets are left out.
 */
export function valuesToFields(model: FormModel, values: Json): URLSearchParams {
  return nodeToFields(model, { node: model.root, path: model.root.path, value: values, origins: 'rows' });
}

export interface NodeValue {
  readonly node: FormNode;
  readonly path: FormPath;
  readonly value: Json;
  /** `rows`: the value is the live one, and each row remembers its place there. `none`: it was typed. */
  readonly origins: 'rows' | 'none';
}

/** The inputs of one node and of all below it. */
export function nodeToFields(model: FormModel, { node, path, value, origins }: NodeValue): URLSearchParams {
  const part = { node, path, value, valuePath: path };
  const live = model.mode === 'edit' && origins === 'rows';
  const writer: Writer = { inputs: [], nodes: MAX_NODES, most: MAX_INPUTS, origins, live };
  if (writesWhole(writer, () => write(writer, part))) return new URLSearchParams(writer.inputs);
  const whole: Writer = { ...writer, inputs: [], most: Infinity };
  asYaml(whole, part);
  return new URLSearchParams(whole.inputs);
}

interface Writer {
  readonly inputs: [name: string, text: string][];
  /** Nodes of rows that may still be written; each row is as much as its schema has. */
  nodes: number;
  /** Inputs that may be written. */
  readonly most: number;
  readonly origins: 'rows' | 'none';
  readonly live: boolean;
}

/** Inputs of a form that is opened at most, so that a form stays within what is read of one; lists and maps beyond are YAML. */
const MAX_INPUTS = 8_000;
/** Half of what is read of a form, so that rows can be added. */
const MAX_NODES = FORM_LIMITS.nodes / 2;

/** Thrown where the inputs of a form are all used up. */
const FULL = new Error('form: it has no more inputs');

/** Whether there was room for all that was to be written; otherwise nothing of it is. */
function writesWhole(writer: Writer, all: () => void): boolean {
  const { nodes, inputs } = writer;
  const { length } = inputs;
  try {
    all();
    return true;
  } catch (error) {
    if (error !== FULL) throw error;
    writer.inputs.length = length;
    writer.nodes = nodes;
    return false;
  }
}
interface Part {
  readonly node: FormNode;
  readonly path: FormPath;
  readonly value: Json;
  /** The path within the values, where rows of maps go by their key. */
  readonly valuePath: FormPath;
  readonly inMap?: true;
}

function write(writer: Writer, part: Part): void {
  const { node, path, value } = part;
  if (node.kind === 'yaml') return asYaml(writer, part);
  if (value === null) return writeNull(writer, node, path);
  if (node.kind === 'choice') return writeChoice(writer, node, part);
  if (isScalar(node)) return writeControl(writer, node, part);
  if (node.kind === 'list') return Array.isArray(value) ? writeList(writer, part, value as readonly Json[]) : asYaml(writer, part);
  if (!isObject(value)) return asYaml(writer, part);
  return node.kind === 'group' ? writeGroup(writer, node, { ...part, value: value }) : writeMap(writer, { ...part, value: value });
}

function writeChoice(writer: Writer, node: ChoiceNode, part: Part): void {
  const found = findBranch(node, part.value);
  const branch = node.branches[found ?? -1];
  if (branch === undefined) return asYaml(writer, part);
  put(writer, 'branch', part.path, String(found));
  const { inMap: _inMap, ...whole } = part;
  write(writer, { ...whole, node: branch.node });
}

function writeControl(writer: Writer, node: ScalarNode, part: Part): void {
  const { path, value } = part;
  if (value === '' && holdsText(node)) {
    put(writer, 'value', path, '');
    if (part.inMap !== true) put(writer, 'state', path, 'empty');
    return;
  }
  if (isSecret(node) && writer.live) return;
  const text = writeScalar(node, value);
  if (text === undefined) asYaml(writer, part);
  else put(writer, 'value', path, text);
}

function writeGroup(writer: Writer, node: GroupNode, part: Part & { readonly value: JsonObject }): void {
  const { path, value, valuePath } = part;
  const known = new Set<string>();
  for (const child of node.children) {
    const member = Object.hasOwn(value, child.key) ? value[child.key] : undefined;
    known.add(child.key);
    if (member !== undefined)
      write(writer, { node: child, path: [...path, child.key], value: member, valuePath: [...valuePath, child.key] });
  }
  const others = Object.entries(value).filter(([key, member]) => !known.has(key) && member !== undefined);
  if (others.length > 0) put(writer, 'rest', path, writeYaml(Object.fromEntries(others)));
  if (Object.values(value).every((member) => member === undefined)) put(writer, 'state', path, 'empty');
}

/** A list that would be too much for a form is YAML instead. */
function writeRows(writer: Writer, part: Part, { count, row, each }: { count: number; row: FormNode; each: () => void }): void {
  const rows = (): void => {
    put(writer, 'count', part.path, String(count));
    if (count === 0) put(writer, 'state', part.path, 'empty');
    writer.nodes -= count * nodesIn(row);
    if (writer.nodes < 0) throw FULL;
    each();
  };
  if (!writesWhole(writer, rows)) asYaml(writer, part);
}

function writeList(writer: Writer, part: Part, items: readonly Json[]): void {
  const { node, path, valuePath } = part;
  if (items.length > MAX_ROWS || node.kind !== 'list') return asYaml(writer, part);
  const writeItem = (item: Json, row: number): void => {
    const here = [...path, row];
    if (writer.origins === 'rows') put(writer, 'original', here, String(row));
    write(writer, { node: node.item, path: here, value: item, valuePath: [...valuePath, row] });
  };
  writeRows(writer, part, { count: items.length, row: node.item, each: () => items.forEach(writeItem) });
}

function writeMap(writer: Writer, part: Part & { readonly value: JsonObject }): void {
  const { node, path, value, valuePath } = part;
  const members = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const fits = members.every(([key]) => key !== '' && !key.includes('\n') && isSafeText(key));
  if (!fits || members.length > MAX_ROWS || node.kind !== 'map') return asYaml(writer, part);
  const writeMember = ([key, member]: readonly [string, Json], row: number): void => {
    const here = [...path, row];
    put(writer, 'key', here, key);
    if (writer.origins === 'rows') put(writer, 'original', here, key);
    write(writer, { node: node.value, path: here, value: member, valuePath: [...valuePath, key], inMap: true });
  };
  writeRows(writer, part, { count: members.length, row: node.value, each: () => members.forEach(writeMember) });
}

/** Null is an empty control that says so. Lists and maps also say that they have no rows. */
function writeNull(writer: Writer, node: FormNode, path: FormPath): void {
  if (isScalar(node)) put(writer, 'value', path, '');
  if (node.kind === 'choice') put(writer, 'branch', path, '');
  if (node.kind === 'list' || node.kind === 'map') put(writer, 'count', path, '0');
  put(writer, 'state', path, 'null');
}

function asYaml(writer: Writer, { node, path, value, valuePath }: Part): void {
  if (writer.inputs.length >= writer.most) throw FULL;
  put(writer, 'yaml', path, writeYaml(writer.live ? sealSecrets(node, value, valuePath) : value));
}

function put(writer: Writer, part: FieldPart, path: FormPath, text: string): void {
  if (writer.inputs.length >= writer.most) throw FULL;
  writer.inputs.push([fieldName(part, path), text]);
}
