import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../core/read.ts';
import { parseQuantity } from '../core/quantity.ts';
import type { Finding } from './findings.ts';

const MAX_ITEMS = 200;
const DEEPEST = 24;
/** Even a number or an amount may be a password then. */
const SECRET_NAME = /pass|secret|token|key|pin|cred|auth/i;

/**
 * What a change does to an Instance, a line for each field. Only numbers, amounts and yes or no are shown: any other text may be a secret. Lists count
 * whole.
 */
export function contentChanges(before: unknown, after: unknown): Finding[] {
  const lines = changesBelow(before ?? {}, after ?? {}, []);
  const more = lines.length - MAX_ITEMS;
  return more <= 0 ? lines : [...lines.slice(0, MAX_ITEMS), lineFor('spec', `${more} more fields change`)];
}

function changesBelow(before: unknown, after: unknown, path: readonly string[]): Finding[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isObject(before) && isObject(after) && path.length < DEEPEST) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => changesBelow(before[key], after[key], [...path, key]));
  }
  const field = path.join('.');
  const [from, to] = SECRET_NAME.test(field) ? [] : [harmlessText(before), harmlessText(after)];
  if (after === undefined) return [lineFor(field, `${field} is removed`)];
  if (before === undefined) return [lineFor(field, to === undefined ? `${field} is set` : `${field} is set to ${to}`)];
  return [lineFor(field, from === undefined || to === undefined ? `${field} changes` : `${field} changes from ${from} to ${to}`)];
}

/** A number, an amount with its unit, yes or no. */
function harmlessText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && /^\d.*[a-z]$/i.test(value) && parseQuantity(value) !== undefined ? value : undefined;
}

function lineFor(field: string, message: string): Finding {
  return { message, subject: 'Object', evidence: 'exact', field };
}
