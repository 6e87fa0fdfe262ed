import { isScalar, visit, type Document } from 'yaml';

/**
 * Where a key stands a second time in its map, as an offset within the text; undefined when all are unique. The parser can say it too, but compares
 * each key with all before it, which takes minutes for a text of a few hundred KiB: parse with `uniqueKeys: false` and ask here.
 */
export function repeatedKey(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        known.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}
