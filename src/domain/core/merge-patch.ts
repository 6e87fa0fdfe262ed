import { isObject } from './read.ts';

/** Lays a JSON Merge Patch (RFC 7386) over a value and gives the result; neither is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : {};
  const kept = Object.entries(base).filter(([key]) => !Object.hasOwn(patch, key));
  const laid = Object.entries(patch)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]): [string, unknown] => [key, applyMergePatch(Object.hasOwn(base, key) ? base[key] : undefined, value)]);
  return Object.fromEntries([...kept, ...laid]);
}

/** The JSON Merge Patch that turns one object into another. A member that is `null` in the target cannot be distinguished from one that is absent. */
export function mergePatchBetween(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return to;
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const changed = Object.entries(to).filter(([key, value]) => !Object.hasOwn(from, key) || !isSame(from[key], value));
  return Object.fromEntries([
    ...gone.map((key): [string, unknown] => [key, null]),
    ...changed.map(([key, value]): [string, unknown] => [key, mergePatchBetween(Object.hasOwn(from, key) ? from[key] : undefined, value)]),
  ]);
}

/** Whether two JSON values are the same; the order of an object's members does not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** An operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown } | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON Patch that turns one value into another, members that become `null` included. Lists are replaced whole.
 *
 * @param path the JSON Pointer (RFC 6901) of the values.
 */
export function jsonPatchBetween(from: unknown, to: unknown, path: string): JsonPatchOperation[] {
  if (isSame(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ op: 'replace', path, value: to }];
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const changed = Object.entries(to).flatMap(([key, value]): JsonPatchOperation[] => {
    const member = `${path}/${escaped(key)}`;
    return Object.hasOwn(from, key) ? jsonPatchBetween(from[key], value, member) : [{ op: 'add', path: member, value }];
  });
  return [...gone.map((key) => ({ op: 'remove', path: `${path}/${escaped(key)}` }) as const), ...changed];
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
