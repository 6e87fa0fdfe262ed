import { at, objectAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { checkScalar } from '../controls/check-scalar.ts';
import type { FormNode, ScalarNode } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { holdsText, readScalar } from '../controls/scalar-text.ts';
import { readYaml, writeYaml } from '../../schema/yaml-text.ts';
import { childOf } from './form-fields.ts';
import { keptValue, sealSecrets, unsealSecrets } from './kept-secret.ts';
import { fault, readYamlText, take, type Reading } from './reading.ts';
import type { NodeRef } from '../view/node-ref.ts';
import { valueOfText, wholeTextOf } from '../yaml/whole-yaml.ts';

/** The value of a single control. */
export function readScalarField(reading: Reading, node: ScalarNode, ref: NodeRef): Json | undefined {
  const text = take(reading, 'v', ref.path);
  if (text === undefined) return ref.base;
  if (text === '') return emptyValue(reading, node, ref);
  const kept = keptValue(reading.model, reading.base, { path: ref.path, text });
  if (kept !== undefined) return kept;
  const read = readScalar(node, text);
  if (read.fault !== undefined) {
    fault(reading, ref.path, read.fault);
    return reading.lenient ? text : undefined;
  }
  const broken = mayBeChecked(reading, node, text) ? checkScalar(node, read.value) : undefined;
  // What lives already is not refused for being as it is.
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
  const kept = take(reading, 's', path);
  if (kept === 'null') return null;
  if (kept === 'empty' && holdsText(node)) return '';
  return node.kind === 'secret' && kept !== 'unset' && base !== '' && base !== null ? base : undefined;
}

/** The content of a resource whose YAML is a form: of a whole resource, or of its `spec` alone. What a text does not speak of stays as it is: all beside a `spec`, labels and annotations. */
export function readWholeText(reading: Reading, { text, path, base }: NodeRef & { readonly text: string }): Json | undefined {
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
export function readYamlField(reading: Reading, node: FormNode, { text, ...ref }: NodeRef & { readonly text: string }): Json | undefined {
  const { path, base, basePath } = ref;
  if (base !== undefined && text === writeYaml(sealSecrets(node, base, basePath))) return base;
  const read = readYamlText(reading, text);
  if (read.fault !== undefined) {
    fault(reading, path, `Line ${read.line}, column ${read.column}: ${read.fault}`, read);
    return reading.lenient ? text : undefined;
  }
  return read.value === undefined ? undefined : unsealSecrets(reading.model, reading.base, { path, value: read.value });
}
