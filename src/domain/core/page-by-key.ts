import { AppError } from './errors.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * One page of a list by the key of its last item (keyset paging), so that what is added or removed meanwhile shifts nothing.
 *
 * @param keyOf a key that is unique in the list; the items are paged in its order.
 * @param page at most `limit` items, of those after the cursor `after`.
 * @throws AppError `MalformedRequest` for a cursor that is not one of ours.
 */
export function pageByKey<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { limit, after }: { readonly limit: number; readonly after?: string },
): Page<T> {
  const from = after === undefined ? undefined : decode(after);
  const keyed = items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const rest = from === undefined ? keyed : keyed.filter(({ key }) => key > from);
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
