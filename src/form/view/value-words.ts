import { stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import { isSecret, type FormNode } from '../model/form-node.ts';
import { writeYaml } from '../../schema/yaml-text.ts';

/** A value as people read it. `whole` says that the words are all of it; otherwise they only count what it holds. */
export interface ValueWords {
  readonly words: string;
  readonly whole: boolean;
}

/** `3`, `a, b, c`, `key: value, other: value`, or `3 entries` for what is nested or longer than `longest` characters. */
export function valueWords(value: Json, longest: number): ValueWords {
  if (!isObject(value) && !Array.isArray(value)) return { words: scalarWords(value), whole: true };
  const parts = Object.entries(value as Readonly<Record<string, Json>>).map(([key, member]): string | undefined => {
    if (member !== null && typeof member === 'object') return undefined;
    const words = partWords(member);
    return Array.isArray(value) ? words : `${partWords(key)}: ${words}`;
  });
  if (parts.length === 0) return { words: Array.isArray(value) ? 'an empty list' : 'empty', whole: true };
  const words = parts.join(', ');
  if (!parts.includes(undefined) && words.length <= longest) return { words, whole: true };
  return { words: parts.length === 1 ? '1 entry' : `${parts.length} entries`, whole: false };
}

/** The default of a field in words, and as YAML where the words are not all of it. Secrets within it are neither said nor written. */
export function fallbackWords(node: FormNode, longest: number): { readonly words: string; readonly yaml: string } {
  const { fallback } = node;
  if (fallback === undefined || holdsSecrets(node, fallback)) return { words: '', yaml: '' };
  const { words, whole } = valueWords(fallback, longest);
  return { words, yaml: whole ? '' : writeYaml(fallback) };
}

/** Whether a value has something in it that its field, or the name of a member without a field, calls a secret. */
export function holdsSecrets(node: FormNode | undefined, value: Json | undefined, name = ''): boolean {
  if (node !== undefined && isSecret(node)) return value !== '' && value !== undefined && value !== null;
  if (node?.kind === 'choice') return node.branches.some((branch) => holdsSecrets(branch.node, value, name));
  if (Array.isArray(value)) {
    return (value as readonly Json[]).some((item) => holdsSecrets(node?.kind === 'list' ? node.item : undefined, item, name));
  }
  if (isObject(value)) {
    return Object.entries(value as Readonly<Record<string, Json>>).some(([key, member]) => holdsSecrets(memberOf(node, key), member, key));
  }
  return (
    (node === undefined || node.kind === 'yaml') &&
    typeof value === 'string' &&
    value !== '' &&
    sensitivityOf({ path: [...(node?.path ?? []), name] }) === 'secret'
  );
}

function memberOf(node: FormNode | undefined, key: string): FormNode | undefined {
  if (node?.kind === 'map') return node.value;
  return node?.kind === 'group' ? node.children.find((child) => child.key === key) : undefined;
}

function scalarWords(value: Json): string {
  return value === '' ? 'an empty text' : typeof value === 'string' ? value : stringifyJson(value);
}

/** A text that would end too early among others, or read as something else, stands in quotes. */
function partWords(value: Json): string {
  if (typeof value !== 'string') return stringifyJson(value);
  return value === '' || /[,:\n"]|^\s|\s$/.test(value) ? JSON.stringify(value) : value;
}
