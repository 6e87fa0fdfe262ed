import { isObject } from '../../domain/core/read.ts';
import type { FormNode } from './form-node.ts';
import { parsePath } from '../../schema/form-path.ts';

/** The picked fields, asked by path. */
export interface CuratedOrder {
  /** Whether the field itself was picked. */
  picks(path: readonly string[]): boolean;
  /** Whether a field at or below the path was picked. */
  reaches(path: readonly string[]): boolean;
  /** Required ones first, then picked ones in the order of picking, then the others as the schema has them. */
  sort(nodes: readonly FormNode[]): readonly FormNode[];
}

const MAX_ITEMS = 500;

/** Reads picked paths. A path that cannot be read picks nothing. Rows count as their list: `spec.users[].name` picks `spec.users`. */
export function curatedOrder(paths: readonly string[]): CuratedOrder {
  const picked = new Set<string>();
  const order = new Map<string, number>();
  /** The last keys of all these paths: hardly any other path ends like them, so the others are not written out. */
  const ends = new Set<string>();
  for (const text of paths.slice(0, MAX_ITEMS)) {
    const keys = (parsePath(text.replace(/^\./, '').replaceAll(/\[\*?\]/g, '["*"]')) ?? []).map((step) =>
      typeof step === 'number' ? '*' : step,
    );
    if (keys.length > 0) picked.add(keyOf(keys));
    keys.forEach((key, index) => {
      ends.add(key);
      const prefix = keyOf(keys.slice(0, index + 1));
      if (!order.has(prefix)) order.set(prefix, order.size);
    });
  }
  const endsLikeOne = (path: readonly string[]): boolean => ends.has(path.at(-1) ?? '');
  const placeOf = (path: readonly string[]): number | undefined => (endsLikeOne(path) ? order.get(keyOf(path)) : undefined);
  const rank = (node: FormNode) => (node.layer === 'required' ? -1 : (placeOf(node.path) ?? Number.MAX_SAFE_INTEGER));
  return {
    picks: (path) => endsLikeOne(path) && picked.has(keyOf(path)),
    reaches: (path) => placeOf(path) !== undefined,
    sort: (nodes) =>
      order.size === 0 && nodes.every((node) => node.layer === 'all') ? nodes : nodes.toSorted((a, b) => rank(a) - rank(b)),
  };
}

/** The paths that an example sets, for kinds of which nobody picked fields: `{spec: {size: '1Gi'}}` gives `spec.size`. Lists and free-form parts count as one field. */
export function curatedFromExample(example: unknown): string[] {
  const paths: string[] = [];
  const visit = (value: unknown, keys: readonly string[]) => {
    if (paths.length >= MAX_ITEMS || keys.length > 20) return;
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value)) visit(member, [...keys, key]);
    } else if (keys.length > 0) paths.push(keys.map((key) => `[${JSON.stringify(key)}]`).join(''));
  };
  visit(example, []);
  return paths;
}

function keyOf(keys: readonly string[]): string {
  return JSON.stringify(keys);
}
