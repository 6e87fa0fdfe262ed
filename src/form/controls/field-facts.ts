import { nameWords } from '../../domain/core/name-words.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import type { ScalarType } from '../model/field.ts';

/** What a schema allows: one type, several, or one of a list. */
export type Holding = ScalarType | 'mixed' | 'options';

/** What is known of a field when its control is looked for. */
export interface FieldFacts {
  readonly path: readonly string[];
  /** The name in its parent; empty for the rows of lists and maps. */
  readonly key: string;
  readonly schema: JsonObject;
  readonly types: readonly ScalarType[];
  /** The values that it is one of; absent where it may be others. */
  readonly options?: readonly Json[];
  /** The names of the members beside it. */
  readonly siblings: readonly string[];
  /** Whether the catalogue, or the schema of what is around it, calls it sensitive. */
  readonly sensitive: boolean;
}

/** What a field is called; rows of `hosts` are each a `host`. */
export function nameOf({ key, path }: FieldFacts): string {
  return key === '' ? ownerOf(path).replace(/s$/i, '') : key;
}

/** The name of a field, or of the list or map whose row it is. */
export function ownerOf(path: FieldFacts['path']): string {
  return path.findLast((step) => step !== '*') ?? '';
}

const MAX_CACHED = 5_000;
const known = new Map<string, string>();

/** The words of the name of a field: `node port`. The same names come again and again. */
export function wordsOfName(field: FieldFacts): string {
  const name = nameOf(field);
  const found = known.get(name) ?? nameWords(name).join(' ');
  if (known.size >= MAX_CACHED) known.clear();
  if (name.length <= 100) known.set(name, found);
  return found;
}

export function formatOf({ format }: JsonObject): string {
  return typeof format === 'string' ? format : '';
}

export function descriptionOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description.slice(0, 2000) : '';
}

/** Whether the schema lets usual texts of a grammar through, and its default is one. */
export function fits(schema: JsonObject, samples: readonly string[], isOne: (text: string) => boolean): boolean {
  const { pattern, default: fallback, maxLength } = schema;
  if (typeof fallback === 'string' && fallback !== '' && !isOne(fallback)) return false;
  const allowed = typeof maxLength === 'number' ? samples.filter((sample) => sample.length <= maxLength) : samples;
  return typeof pattern === 'string' ? allowed.some((sample) => matchesPattern(pattern, sample)) : allowed.length > 0;
}
