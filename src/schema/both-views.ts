import { memberSchema } from '../domain/upgrade/crd-safety/schema-shape.ts';
import { isSame } from '../domain/core/merge-patch.ts';
import { at, isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';

/** One object as it reads in two versions of its kind, between which the cluster only changes the version's name. */
export interface Views {
  /** In the version that it is to have. */
  readonly target: JsonObject;
  readonly other: JsonObject;
  /** The schema of the other version. */
  readonly schema: JsonObject;
}

/**
 * What an object holds that is read in two versions: each leaves out what it has no place for, whichever the object was written in, so only both together
 * are all of it. What only the other version fills in as a default nobody has set, and is left out.
 */
export function bothViews({ target, other, schema }: Views): JsonObject {
  return united(target, other, schema) as JsonObject;
}

function united(target: Json | undefined, other: Json | undefined, schema: unknown): Json | undefined {
  if (target === undefined) return isFilledIn(other, schema) ? undefined : other;
  if (Array.isArray(target) && Array.isArray(other) && target.length === other.length) {
    return (target as readonly Json[]).map((item, index) => united(item, other[index] as Json, at(schema, 'items')) as Json);
  }
  if (!isObject(target) || !isObject(other)) return target;
  const keys = [...new Set([...Object.keys(target), ...Object.keys(other)])];
  const members = keys.map((key): [string, Json | undefined] => [key, united(target[key], other[key], memberSchema(schema, key))]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function isFilledIn(value: Json | undefined, schema: unknown): boolean {
  const fallback = at(schema, 'default');
  return fallback !== undefined && isSame(fallback, value);
}
