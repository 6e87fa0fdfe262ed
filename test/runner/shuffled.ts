import { createHash } from 'node:crypto';

/** The same items in an order that the seed decides. */
export function shuffled<T>(items: readonly T[], seed: string): readonly T[] {
  const rank = (index: number): string => createHash('sha256').update(`${seed} ${index}`).digest('hex');
  const ranked = items.map((item, index) => ({ item, rank: rank(index) }));
  return ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ item }) => item);
}
