import type { FieldFault } from '../../domain/core/errors.ts';
import { at, isObject, objectAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { checkScalar, holdsText, readScalar } from '../controls/scalar.ts';
import { FORM_LIMITS, spend } from './form-budget.ts';
import { childOf, fieldMap, nodeAt, parseFieldName } from './form-fields.ts';
import { secretOfBase, sealSecrets, unsealSecrets } from './sealed-secrets.ts';
import { readChoice, readGroup } from './read-group.ts';
import { readList, readMap } from './read-rows.ts';
import { fault, MAX_YAML_LENGTH, readYamlText, take, type Reading } from './reading.ts';
import { isScalar, isSecret, type FormModel, type FormNode, type ScalarNode } from '../model/form-node.ts';
import { memberRef, rowRef, type NodeRef } from '../view/node-ref.ts';
import { valueOfText, wholeTextOf } from '../yaml/whole-yaml.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { readYaml, writeYaml } from '../../schema/yaml-text.ts';

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
  const reading: Reading = { ...startReading(model, fields, sealSecrets(model.root, base, model.root.path)), live: base, lenient: true };
  const value = readNode(reading, node, spotAt(reading, path));
  return { value, lost: reading.faults.filter(({ field }) => fields.has(`k.${field}`) || fields.has(`r.${field}`)) };
}

function startReading(model: FormModel, fields: URLSearchParams, base: Json): Reading {
  return {
    model,
    fields: fieldMap(fields),
    base,
    faults: [],
    budget: { ...FORM_LIMITS },
    seen: 0,
    yamlLeft: MAX_YAML_LENGTH,
    read: readNode,
  };
}

function readNode(reading: Reading, node: FormNode, ref: NodeRef): Json | undefined {
  spend(reading.budget, 'nodes', { amount: 1, path: ref.path });
  if (node.immutable && reading.model.mode === 'edit' && ref.base !== undefined) return ref.base;
  if (node.locked !== undefined && node.kind !== 'group') return readLocked(reading, node, ref);
  const yaml = take(reading, 'yaml', ref.path);
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
  const sent = (['value', 'yaml', 'count', 'branch'] as const).map((part) => take(reading, part, path) ?? '');
  if (sent.some((text) => text !== '')) fault(reading, path, `It is locked by ${node.locked ?? ''}, and keeps the shown value`);
  return base;
}

/** Follows a path from the root, rows by the place they came from. */
function spotAt(reading: Reading, path: FormPath): NodeRef {
  const top = reading.model.root.path;
  let ref: NodeRef = { path: top, base: reading.base, basePath: top };
  for (const step of path.slice(top.length)) ref = typeof step === 'number' ? rowRef(reading.fields, ref, step) : memberRef(ref, step);
  return ref;
}

/** The value of a single control. */
function readScalarField(reading: Reading, node: ScalarNode, ref: NodeRef): Json | undefined {
  const text = take(reading, 'value', ref.path);
  // Of radio buttons none may be pressed, and `null` be meant.
  if (text === undefined && ref.base === undefined && take(reading, 'state', ref.path) === 'null') return null;
  if (text === undefined) return ref.base;
  if (text === '') return emptyValue(reading, node, ref);
  const kept = secretOfBase(reading.model, reading.base, { path: ref.path, text });
  if (kept !== undefined) return kept;
  const read = readScalar(node, text);
  if (read.fault !== undefined) {
    fault(reading, ref.path, read.fault);
    return reading.lenient ? text : undefined;
  }
  const broken = mayBeChecked(reading, node, text) ? checkScalar(node, read.value) : undefined;
  // What lives already is not rejected for being as it is.
  if (broken !== undefined && !Object.is(read.value, ref.base)) fault(reading, ref.path, broken);
  return read.value;
}

/** Patterns of foreign schemas take time, and each row has them. */
function mayBeChecked({ budget }: Reading, node: ScalarNode, text: string): boolean {
  if (!('constraints' in node) || node.constraints.pattern === undefined) return true;
  budget.patterns -= node.constraints.pattern.length * text.length;
  return budget.patterns >= 0;
}

/** An empty control is an absent field, unless the form says that the emptiness is meant, or that it hides a secret. */
function emptyValue(reading: Reading, node: ScalarNode, { path, base }: NodeRef): Json | undefined {
  const kept = take(reading, 'state', path);
  if (kept === 'null') return null;
  if (kept === 'empty' && holdsText(node)) return '';
  return isSecret(node) && kept !== 'unset' && base !== '' && base !== null ? base : undefined;
}

/** The content of a resource whose YAML is a form: of a whole resource, or of its `spec` alone. What a text does not speak of stays as it is: all beside a `spec`, labels and annotations. */
function readWholeText(reading: Reading, { text, path, base }: NodeRef & { readonly text: string }): Json | undefined {
  const { model } = reading;
  const { value } = readYaml(text);
  const whole = wholeTextOf(model, value);
  if (whole.kind === 'Resource') {
    return unsealSecrets(model, reading.base, { path, value: valueOfText(model, value, base) });
  }
  const below = whole.path.slice(path.length);
  const node = below.reduce<FormNode>((found, key) => childOf(found, key) ?? found, model.root);
  const faults = reading.faults.length;
  const ref = { path: whole.path, base: at(base, ...below) as Json | undefined, basePath: whole.path };
  const typed = readYamlField(reading, node, { ...ref, text });
  for (const one of reading.faults.splice(faults)) reading.faults.push({ ...one, field: formatPath(path) });
  const [key] = below;
  return key === undefined ? typed : { ...(objectAt(base) as JsonObject), [key]: typed ?? {} };
}

/** The value of a YAML field. A text that was not touched stands for the live value itself. */
function readYamlField(reading: Reading, node: FormNode, { text, ...ref }: NodeRef & { readonly text: string }): Json | undefined {
  const { path, base, basePath } = ref;
  if (base !== undefined && text === writeYaml(sealSecrets(node, base, basePath))) return base;
  const read = readYamlText(reading, text);
  if (read.fault !== undefined) {
    fault(reading, path, `Line ${read.line}, column ${read.column}: ${read.fault}`, read);
    return reading.lenient ? text : undefined;
  }
  return read.value === undefined ? undefined : unsealSecrets(reading.model, reading.base, { path, value: read.value });
}
