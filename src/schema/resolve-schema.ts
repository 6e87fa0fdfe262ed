import { at, isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';
import { CONDITIONS, hasConditions, splitConditions } from './conditionals/split-conditions.ts';
import { costOf, type Work } from './work.ts';

/** A schema with its references followed and its `allOf` merged; or why that cannot be done. */
export type Resolved =
  { readonly schema: JsonObject; readonly refs: readonly string[] } | { readonly schema?: undefined; readonly reason: string };

export type Resolver = (schema: Json | undefined) => Resolved;

/** Why a node of a schema that asks for more work than is allowed has no typed control. */
export const TOO_LARGE = 'the schema is too large';
/** Why a node has no typed control that another document describes. */
export const ELSEWHERE = 'refers to another document';
/** Why a node that no value fits has no typed control. */
const CONTRADICTS = 'the schema contradicts itself';

const DEEPEST = 32;
const MAX_PARTS = 500;

/**
 * Follows local references and merges `allOf`, one level: members are left as they are.
 *
 * @param refs the references followed on the way here; meeting one of them again is a recursion.
 */
export function resolveSchema({ root, work }: SchemaDocument, schema: Json | undefined, refs: readonly string[]): Resolved {
  return resolve({ root, work, depth: 0, budget: { parts: MAX_PARTS } }, schema, refs);
}

/** A schema as a whole, and what may still be done with it. */
export interface SchemaDocument {
  /** What `#/…` points into; other addresses are never followed. */
  readonly root: Json;
  readonly work: Work;
}

interface Place extends SchemaDocument {
  readonly depth: number;
  /** Counts down over the whole merge, as references that fan out would otherwise double at each level. */
  readonly budget: { parts: number };
}

function resolve(place: Place, schema: Json | undefined, refs: readonly string[]): Resolved {
  if (schema === true || schema === undefined) return { schema: {}, refs };
  if (!isObject(schema)) return { reason: 'nothing is allowed here' };
  place.budget.parts -= 1;
  place.work.left -= costOf(schema) + refs.length / 4;
  if (place.work.left < 0) return { reason: TOO_LARGE };
  if (place.depth > DEEPEST || place.budget.parts < 0) return { reason: 'nested too deeply' };
  const { $ref: ref, allOf, ...own } = schema;
  const parts: (Json | undefined)[] = [own];
  let followed = refs;
  if (ref !== undefined) {
    const target = follow(place.root, ref);
    if (typeof ref !== 'string' || target === undefined) return { reason: ELSEWHERE };
    if (refs.includes(ref)) return { reason: 'refers to itself' };
    followed = [...refs, ref];
    parts.push(target);
  }
  if (Array.isArray(allOf)) parts.push(...(allOf as readonly Json[]));
  if (parts.length === 1) return { schema: own, refs };
  return mergeParts({ ...place, depth: place.depth + 1 }, parts, followed);
}

function follow(root: Json, ref: unknown): Json | undefined {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  return at(root, ...ref.slice(2).split('/').map(unescapePointer)) as Json | undefined;
}

function unescapePointer(token: string): string {
  const text = token.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function mergeParts(place: Place, parts: readonly (Json | undefined)[], refs: readonly string[]): Resolved {
  let merged: JsonObject = {};
  const followed = new Set(refs);
  for (const part of parts) {
    const resolved = resolve(place, part, refs);
    if (resolved.schema === undefined) return resolved;
    for (const ref of resolved.refs) followed.add(ref);
    place.work.left -= costOf(merged);
    const both = mergeTwo(merged, resolved.schema);
    if (both === undefined) return { reason: CONTRADICTS };
    merged = both;
  }
  return { schema: merged, refs: [...followed] };
}

/**
 * What stands nearer wins, except where both count: a value has a type of both, members and rows are as both say, requirements add up, limits stay as first
 * said. Undefined where no value has a type of both.
 */
function mergeTwo(near: JsonObject, far: JsonObject): JsonObject | undefined {
  if (hasConditions(near) && hasConditions(far)) return mergeConditional(near, far);
  const merged: Record<string, Json | undefined> = { ...far, ...near };
  const type = commonType(near['type'], far['type']);
  if (Array.isArray(type) && type.length === 0) return undefined;
  if (type !== undefined) merged['type'] = type;
  for (const key of ['items', 'additionalProperties'] as const) {
    const [nearRow, farRow] = [near[key], far[key]];
    if (isObject(nearRow) && isObject(farRow)) merged[key] = { allOf: [nearRow, farRow] };
  }
  const properties = mergeMembers(near['properties'], far['properties']);
  if (properties !== undefined) merged['properties'] = properties;
  const required = [...listOf(near['required']), ...listOf(far['required'])];
  if (required.length > 0) merged['required'] = [...new Set(required)];
  for (const key of ['oneOf', 'anyOf'] as const) {
    const branches = [...listOf(near[key]), ...listOf(far[key])];
    if (branches.length > 0) merged[key] = branches;
  }
  return merged;
}

/** Each part keeps its own conditions. */
function mergeConditional(near: JsonObject, far: JsonObject): JsonObject | undefined {
  const [mine, theirs] = [splitConditions(near), splitConditions(far)];
  const merged = mergeTwo(mine.rest, theirs.rest);
  return merged === undefined ? undefined : { ...merged, [CONDITIONS]: [...mine.conditions, ...theirs.conditions] };
}

/** What both allow, as the nearer one says it; an integer is a number, too. */
function commonType(near: Json | undefined, far: Json | undefined): Json | undefined {
  if (near === undefined || far === undefined || near === far) return near ?? far;
  const [mine, theirs] = [near, far].map((type) => (Array.isArray(type) ? type : [type]));
  const has = (types: readonly Json[] | undefined, type: Json): boolean =>
    types?.includes(type) === true || (type === 'integer' && types?.includes('number') === true);
  const both = new Set([...(mine ?? []).filter((type) => has(theirs, type)), ...(theirs ?? []).filter((type) => has(mine, type))]);
  const [only] = both;
  return both.size === 1 && only !== undefined ? only : [...both];
}

function mergeMembers(near: Json | undefined, far: Json | undefined): JsonObject | undefined {
  if (!isObject(near)) return isObject(far) ? far : undefined;
  if (!isObject(far)) return near;
  const both = new Map<string, Json | undefined>(Object.entries(near));
  for (const [key, schema] of Object.entries(far)) {
    const known = both.get(key);
    both.set(key, known === undefined ? schema : { allOf: [known, schema ?? true] });
  }
  return Object.fromEntries(both);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
