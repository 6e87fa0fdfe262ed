import { isSame } from './merge-patch.ts';
import { isObject } from './read.ts';

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
