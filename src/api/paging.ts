import { AppError } from '../domain/errors.ts';
import type { JsonSchema } from './route.ts';

/** The query parameters of every list. */
export const PAGE_QUERY: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 100, description: 'Items a page' },
  after: { type: 'string', description: 'The `next` of the page before' },
};

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/**
 * One page of a list by the key of its last item (keyset paging), so that what is added or removed meanwhile shifts nothing.
 *
 * @param keyOf a key that is unique in the list; the items are paged in its order.
 * @throws AppError `MalformedRequest` for a cursor that is not one of ours.
 */
export function pageOfItems<T>(items: readonly T[], keyOf: (item: T) => string, query: Readonly<Record<string, unknown>>): Page<T> {
  const limit = typeof query['limit'] === 'number' ? query['limit'] : 100;
  const after = typeof query['after'] === 'string' ? decode(query['after']) : undefined;
  const keyed = items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => key > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { items: page.map(({ item }) => item), ...(last !== undefined && rest.length > limit ? { next: encode(last.key) } : {}) };
}

function encode(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

function decode(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encode(key) !== cursor)
    throw new AppError('MalformedRequest', `after: ${JSON.stringify(cursor)} is not the "next" of an earlier page`);
  return key;
}
