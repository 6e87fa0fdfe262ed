import type { FieldFault } from '../../domain/core/errors.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { objectAt } from '../../domain/core/read.ts';
import { apiVersionOf, type Json, type JsonObject } from '../../domain/kubernetes/resource.ts';
import { readManifest, isResource, isWhole, type ResourceKind } from './read-manifest.ts';
import { resourceYaml } from './resource-yaml.ts';
import { rewriteYaml } from './rewrite-yaml.ts';
import { withSkeleton } from './skeleton.ts';
import type { FormModel } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { readYaml, writeYaml } from '../../schema/yaml-text.ts';
import { fieldMap, fieldName } from '../input/form-fields.ts';

/** A form whose YAML may have been a whole resource: what was sent, as it was sent. */
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

/** The YAML of the whole form: that which it was before, with the changes that were made in the form since. What stands beside the `spec` needs a whole resource. */
export function wholeAsYaml(model: FormModel, fields: URLSearchParams, { value, resource }: WholeValue): string {
  const before = fieldMap(fields).get(fieldName('source', model.root.path)) ?? '';
  const key = keyOf(model);
  const content = contentIn(model, value);
  if (before.trim() !== '' && isWhole(before)) return rewriteYaml(before, resourceOf(readYaml(before).value, content));
  const inner = key === undefined ? undefined : content[key];
  if (key !== undefined && Object.keys(content).every((member) => member === key)) {
    if (before.trim() !== '') return rewriteYaml(before, inner ?? {});
    return isEmpty(inner ?? {}) ? '' : writeYaml(inner ?? {});
  }
  if (Object.keys(content).length === 0) return '';
  const whole = resourceOf(resource === undefined ? {} : { apiVersion: apiVersionOf(resource), kind: resource.kind }, content);
  return (key === undefined ? undefined : resourceYaml(before, whole)) ?? writeYaml(whole);
}

/** The value of the root of a form, and what its resources are called. */
interface WholeValue {
  readonly value: Json;
  readonly resource: ResourceKind | undefined;
}

/** A whole resource with other content; what its metadata says beside it stays. */
function resourceOf(before: Json | undefined, { metadata, ...members }: JsonObject): JsonObject {
  const { apiVersion, kind, metadata: old } = objectAt(before) as JsonObject;
  const { labels: _labels, annotations: _annotations, finalizers: _finalizers, ...kept } = objectAt(old) as JsonObject;
  const merged = { ...kept, ...(objectAt(metadata) as JsonObject) };
  const head = { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
  return { ...head, ...(isEmpty(merged) ? {} : { metadata: merged }), ...members };
}

/** The member of a resource that a text without the head of one holds; absent: all of it. */
function keyOf({ root, hoisted }: FormModel): string | undefined {
  return root.path[0] ?? hoisted;
}

function contentIn({ root }: FormModel, value: Json): JsonObject {
  const [key] = root.path;
  return (key === undefined ? objectAt(value) : { [key]: value }) as JsonObject;
}

/** The form as YAML, with all fields that it does not have yet as comments. */
export function withAllFields(model: FormModel, fields: URLSearchParams): URLSearchParams {
  const name = fieldName('yaml', model.root.path);
  const text = fieldMap(fields).get(name);
  if (text === undefined) return fields;
  const { root, hoisted } = model;
  const inner = root.kind === 'group' ? root.children.find((child) => child.path.length === 1 && child.key === hoisted) : undefined;
  const top = inner?.kind === 'group' ? inner : root;
  const changed = new URLSearchParams(fields);
  changed.set(name, withSkeleton({ ...model, root: top }, text, isWhole(text) ? keyOf(model) : undefined));
  return changed;
}

/** Reads the head of a whole resource that was given in the place of the values. */
export function openWhole(model: FormModel, fields: URLSearchParams, wanted: ResourceKind): WholeForm {
  const { root } = model;
  const text = fieldMap(fields).get(fieldName('yaml', root.path));
  const nothing = { fields, faults: [], name: '', namespace: '', leftOut: [] };
  if (text === undefined || hasBoth(model)) return nothing;
  const members = root.kind === 'group' && root.path.length === 0 && !root.open ? root.children.map((child) => child.key) : undefined;
  const { manifest, ...rejection } = readManifest(text, wanted, members);
  if (rejection.fault !== undefined) {
    const { fault, line, column } = rejection;
    return { ...nothing, faults: [{ field: formatPath(root.path), message: `Line ${line}: ${fault}`, line, column }] };
  }
  return manifest === undefined ? nothing : { ...nothing, name: manifest.name, namespace: manifest.namespace, leftOut: manifest.leftOut };
}

/** The text of a form, whose value is `content`; a whole resource, or the value of one member of it alone. */
export type WholeText =
  | { readonly kind: 'Resource'; readonly content: JsonObject }
  /** Of the member at the path. */
  | { readonly kind: 'Member'; readonly path: readonly string[] };

/** What the text in the place of a form's values is. */
export function wholeTextOf(model: FormModel, value: Json | undefined): WholeText {
  if (isResource(value) && !hasBoth(model)) return { kind: 'Resource', content: contentOf(value) };
  const key = keyOf(model);
  return { kind: 'Member', path: key === undefined ? [] : [key] };
}

/** The value of the root that such a text gives. What the text does not speak of stays: all beside a `spec`, and labels and annotations. */
export function valueOfText(model: FormModel, value: Json | undefined, base: Json | undefined): Json {
  const whole = wholeTextOf(model, value);
  const [key] = model.root.path;
  if (whole.kind === 'Resource') return key === undefined ? withMarksOf(base, whole.content) : (whole.content[key] ?? {});
  const [member] = whole.path.slice(model.root.path.length);
  return member === undefined ? (value ?? {}) : { ...(objectAt(base) as JsonObject), [member]: value ?? {} };
}

function withMarksOf(base: Json | undefined, content: JsonObject): JsonObject {
  const metadata = { ...objectAt(base, 'metadata'), ...objectAt(content, 'metadata') } as JsonObject;
  return isEmpty(metadata) ? content : { ...content, metadata };
}

/** Values that have an `apiVersion` and a `kind` of their own cannot be distinguished from a whole resource. */
function hasBoth({ root, hoisted }: FormModel): boolean {
  const inner = root.kind === 'group' && hoisted !== undefined ? root.children.find(({ key }) => key === hoisted) : root;
  const keys = inner?.kind === 'group' ? new Set(inner.children.map(({ key }) => key)) : new Set();
  return (keys.has('apiVersion') && keys.has('kind')) || !['', 'spec'].includes(root.key);
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Fields that were made anew, with the YAML that was typed before: its comments come back when the form is YAML again. */
export function keepYaml({ root }: FormModel, fields: URLSearchParams, before: URLSearchParams): URLSearchParams {
  const map = fieldMap(before);
  const [name, path] = [fieldName('source', root.path), root.path];
  const text = map.get(fieldName('yaml', path)) ?? map.get(name);
  if (text === undefined || text.trim() === '') return fields;
  const kept = new URLSearchParams(fields);
  kept.set(name, text);
  return kept;
}
