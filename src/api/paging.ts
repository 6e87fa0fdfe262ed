import { type Page, pageByKey } from '../domain/core/page-by-key.ts';
import type { JsonSchema } from './route.ts';

/** The query parameters of every list. */
export const PAGE_QUERY: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 100, description: 'Items a page' },
  after: { type: 'string', description: 'The `next` of the page before' },
};

/** One page of a list, by the parameters of `PAGE_QUERY`; see `pageByKey`. */
export function pageOfItems<T>(items: readonly T[], keyOf: (item: T) => string, query: Readonly<Record<string, unknown>>): Page<T> {
  const { limit, after } = query;
  return pageByKey(items, keyOf, { limit: typeof limit === 'number' ? limit : 100, ...(typeof after === 'string' ? { after } : {}) });
}

const END_OF_TIME = 8.64e15;

/** A key for `pageOfItems` by which the youngest comes first. */
export function byNewestId({ created, id }: { readonly created: string; readonly id: string }): string {
  return `${String(END_OF_TIME - Date.parse(created)).padStart(16, '0')} ${id}`;
}
