import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { readManifest, isWhole, type ResourceKind } from './read-manifest.ts';
import { rewriteYaml } from './rewrite-yaml.ts';
import { withSkeleton } from './skeleton.ts';
import type { FormModel } from '../model/form-node.ts';
import { writeYaml } from '../../schema/yaml-text.ts';
import { fieldMap, fieldName } from '../input/form-fields.ts';

/** A form whose YAML may have been a whole resource: what was sent, with the values alone in the place of the resource. */
export interface WholeForm {
  readonly fields: URLSearchParams;
  /** What is wrong with the resource; the fields are then as they were. */
  readonly faults: readonly FieldFault[];
  /** `metadata.name` of the resource; empty without one. */
  readonly name: string;
  /** `metadata.namespace` of the resource; empty without one. */
  readonly namespace: string;
  /** What the resource says and what is not taken over: `metadata.labels`. */
  readonly leftOut: readonly string[];
}

/** The YAML of the whole form: that which it was before, with the changes that were made in the form since. */
export function wholeAsYaml({ root }: FormModel, fields: URLSearchParams, value: Json): string {
  const before = fieldMap(fields).get(fieldName('c', [root.key]));
  if (before === undefined || before.trim() === '') return isEmpty(value) ? '' : writeYaml(value);
  return rewriteYaml(before, value, withinOf(before, root.key));
}

/** The form as YAML, with all fields that it does not have yet as comments. */
export function withAllFields(model: FormModel, fields: URLSearchParams): URLSearchParams {
  const name = fieldName('y', [model.root.key]);
  const text = fieldMap(fields).get(name);
  if (text === undefined) return fields;
  const changed = new URLSearchParams(fields);
  changed.set(name, withSkeleton(model, text, withinOf(text, model.root.key)));
  return changed;
}

/** Takes the values out of a whole resource that was given in the place of the values. */
export function openWhole({ root }: FormModel, fields: URLSearchParams, wanted: ResourceKind): WholeForm {
  const name = fieldName('y', [root.key]);
  const text = fieldMap(fields).get(name);
  const nothing = { fields, faults: [], name: '', namespace: '', leftOut: [] };
  if (text === undefined || hasBoth({ root })) return nothing;
  const { manifest, ...refusal } = readManifest(text, wanted);
  if (refusal.fault !== undefined) {
    const { fault, line, column } = refusal;
    return { ...nothing, faults: [{ field: root.key, message: `Line ${line}: ${fault}`, line, column }] };
  }
  if (manifest === undefined) return nothing;
  const opened = new URLSearchParams(fields);
  opened.set(name, isEmpty(manifest.spec) ? '' : writeYaml(manifest.spec));
  return { fields: opened, faults: [], name: manifest.name, namespace: manifest.namespace, leftOut: manifest.leftOut };
}

/** The member of a text that holds the values; undefined where the text is the values. */
function withinOf(text: string, key: string): string | undefined {
  return isWhole(text) ? key : undefined;
}

/** Values that have an `apiVersion` and a `kind` of their own cannot be told from a whole resource. */
function hasBoth({ root }: Pick<FormModel, 'root'>): boolean {
  const keys = root.kind === 'group' ? new Set(root.children.map(({ key }) => key)) : new Set();
  return keys.has('apiVersion') && keys.has('kind');
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Fields that were made anew, with the YAML that was typed before: its comments come back when the form is YAML again. */
export function keepYaml({ root }: FormModel, fields: URLSearchParams, before: URLSearchParams): URLSearchParams {
  const map = fieldMap(before);
  const [name, path] = [fieldName('c', [root.key]), [root.key]];
  const text = map.get(fieldName('y', path)) ?? map.get(name);
  if (text === undefined || text.trim() === '') return fields;
  const kept = new URLSearchParams(fields);
  kept.set(name, text);
  return kept;
}
