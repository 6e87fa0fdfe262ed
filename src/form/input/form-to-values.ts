import type { FieldFault } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isScalar, type FormModel, type FormNode } from '../model/form-node.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { LARGEST_FORM, spend } from './form-budget.ts';
import { fieldMap, nodeAt, parseFieldName } from './form-fields.ts';
import { sealSecrets } from './kept-secret.ts';
import { readChoice } from './read-choice.ts';
import { readGroup } from './read-group.ts';
import { readList, readMap } from './read-rows.ts';
import { readScalarField, readWholeText, readYamlField } from './read-leaf.ts';
import { fault, MOST_YAML, take, type Reading } from './reading.ts';
import { memberRef, rowRef, type NodeRef } from '../view/node-ref.ts';

export interface FormValues {
  /** The value of the root without its key, e.g. what goes under `spec`. */
  readonly values: JsonObject;
  /** What is wrong, each with the path of its field in the form. Empty: the values can be sent. */
  readonly faults: readonly FieldFault[];
  /** The inputs of the form alone, to show the form again as it was sent. */
  readonly drafts: URLSearchParams;
}

/**
 * Reads a form that was sent. A field that was left empty is absent, a field that was not shown keeps its live value exactly.
 *
 * @param base the live values on edit; `{}` on create.
 * @throws AppError `TooLarge` for more rows, fields or values than one form may have, with the field where they are.
 */
export function formToValues(model: FormModel, fields: URLSearchParams, base: Json): FormValues {
  const reading = startReading(model, fields, base);
  const read = readNode(reading, model.root, { path: model.root.path, base, basePath: model.root.path });
  if (read !== undefined && !isObject(read)) fault(reading, model.root.path, 'Write keys and values, such as "size: 1"');
  const drafts = new URLSearchParams([...fields].filter(([name]) => parseFieldName(name) !== undefined));
  return { values: isObject(read) ? read : {}, faults: reading.faults, drafts };
}

/** What one node of a form holds, secrets of the base as stand-ins, texts that cannot be read as texts. */
export interface SealedValue {
  readonly value: Json | undefined;
  /** What stands in the form and not in the value: rows without a key or with the key of another, YAML of other fields that cannot be read. */
  readonly lost: readonly FieldFault[];
}

export function sealedValueAt(model: FormModel, fields: URLSearchParams, { path, base }: { path: FormPath; base: Json }): SealedValue {
  const node = nodeAt(model.root, path, fieldMap(fields));
  if (node === undefined) return { value: undefined, lost: [] };
  // All that can be read of a sealed base is stand-ins, whichever way it is read.
  const reading: Reading = { ...startReading(model, fields, sealSecrets(model.root, base, model.root.path)), lenient: true };
  const value = readNode(reading, node, spotAt(reading, path));
  return { value, lost: reading.faults.filter(({ field }) => fields.has(`k.${field}`) || fields.has(`r.${field}`)) };
}

function startReading(model: FormModel, fields: URLSearchParams, base: Json): Reading {
  return { model, fields: fieldMap(fields), base, faults: [], budget: { ...LARGEST_FORM }, seen: 0, yamlLeft: MOST_YAML, read: readNode };
}

function readNode(reading: Reading, node: FormNode, ref: NodeRef): Json | undefined {
  spend(reading.budget, 'nodes', { amount: 1, path: ref.path });
  if (node.immutable && reading.model.mode === 'edit' && ref.base !== undefined) return ref.base;
  if (node.locked !== undefined && node.kind !== 'group') return readLocked(reading, node, ref);
  const yaml = take(reading, 'y', ref.path);
  if (yaml !== undefined && node === reading.model.root) return readWholeText(reading, { ...ref, text: yaml });
  if (yaml !== undefined) return readYamlField(reading, node, { ...ref, text: yaml });
  if (node.kind === 'choice') return readChoice(reading, node, ref);
  if (isScalar(node)) return readScalarField(reading, node, ref);
  if (node.kind === 'group') return readGroup(reading, node, ref);
  if (node.kind === 'list') return readList(reading, node, ref);
  return node.kind === 'map' ? readMap(reading, node, ref) : ref.base;
}

/** What is locked is not sent by the form, so an input that is there was made by hand, or for another environment. */
function readLocked(reading: Reading, node: FormNode, { path, base }: NodeRef): Json | undefined {
  const sent = (['v', 'y', 'n', 'b'] as const).map((letter) => take(reading, letter, path) ?? '');
  if (sent.some((text) => text !== ''))
    fault(reading, path, `It is locked by ${node.locked ?? ''}, and keeps the value that is shown here`);
  return base;
}

/** Follows a path from the root, rows by the place they came from. */
function spotAt(reading: Reading, path: FormPath): NodeRef {
  const top = reading.model.root.path;
  let ref: NodeRef = { path: top, base: reading.base, basePath: top };
  for (const step of path.slice(top.length)) ref = typeof step === 'number' ? rowRef(reading.fields, ref, step) : memberRef(ref, step);
  return ref;
}
