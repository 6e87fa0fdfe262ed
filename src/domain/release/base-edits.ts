import { isSame } from '../core/merge-patch.ts';
import { at, isObject, textAt } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';
import { strategicPatchBetween } from './strategic-merge.ts';

/** Someone's change of a resource in base, as a patch for the overlay. */
export interface BaseEdit {
  /** In base/. */
  readonly file: string;
  /** apiVersion, kind, name and namespace of the resource. */
  readonly address: JsonObject;
  /** Only what changed: without apiVersion, kind and metadata unless they did. */
  readonly patch: JsonObject;
  /** The fields that changed, for people. */
  readonly paths: readonly string[];
}

interface EditInput {
  readonly file: string;
  /** As it stands in base. */
  readonly current: JsonObject;
  /** What the release that base was generated from says of it. */
  readonly generated: JsonObject;
}

/** What differs from what the release generated; undefined when nothing does. */
export function baseEdit({ file, current, generated }: EditInput): BaseEdit | undefined {
  const patch = strategicPatchBetween(generated, current);
  const paths = leafPaths(patch);
  return paths.length === 0 ? undefined : { file, address: addressOf(current), patch, paths };
}

/** What kustomize finds a resource by. */
export function addressOf(content: JsonObject): JsonObject {
  const [name, namespace] = [textAt(content, 'metadata', 'name'), textAt(content, 'metadata', 'namespace')];
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: textAt(content, 'apiVersion'), kind: textAt(content, 'kind'), metadata };
}

/** The part of an edit that another state of the resource does not have already. */
export function editOver(edit: BaseEdit, lower: JsonObject): BaseEdit | undefined {
  const patch = withoutRedundant(edit.patch, lower);
  const paths = leafPaths(patch);
  return paths.length === 0 ? undefined : { ...edit, patch, paths };
}

/** The paths of a patch to its values, lists as one: `spec.replicas`. */
function leafPaths(value: JsonObject): string[] {
  return leaves(value, []).map(({ names }) => names.join('.'));
}

/** A value of a patch that has no members, lists included. */
export interface Leaf {
  readonly names: readonly string[];
  readonly value: Json | undefined;
}

export function leaves(value: JsonObject, names: readonly string[]): Leaf[] {
  return Object.entries(value).flatMap(([name, member]): Leaf[] => {
    const path = [...names, name];
    return isObject(member) && Object.keys(member).length > 0 ? leaves(member, path) : [{ names: path, value: member }];
  });
}

function withoutRedundant(patch: JsonObject, lower: JsonObject): JsonObject {
  const kept = Object.entries(patch).flatMap(([name, value]): [string, Json | undefined][] => {
    const below = Object.hasOwn(lower, name) ? lower[name] : undefined;
    if (isObject(value) && isObject(below)) {
      const inner = withoutRedundant(value, below);
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    }
    return (value === null && below === undefined) || isSame(value, below) ? [] : [[name, value]];
  });
  return Object.fromEntries(kept);
}

/** A value in base that becomes another one. */
export interface BaseValueChange {
  readonly file: string;
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** The values that one state of a resource in base has and another one has not, or has otherwise. */
export function changedValues(file: string, before: JsonObject, after: JsonObject): BaseValueChange[] {
  const paths = new Map([...leaves(before, []), ...leaves(after, [])].map(({ names }) => [JSON.stringify(names), names]));
  return [...paths.values()].flatMap((names): BaseValueChange[] => {
    const [from, to] = [at(before, ...names), at(after, ...names)] as (Json | undefined)[];
    if (isSame(from, to)) return [];
    return [{ file, path: names.join('.'), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}
