/**
 * The shortest way from a node back to itself, both ends named: `[a, b, a]`; undefined when there is none. Cycles that it does not belong to are
 * those of others.
 */
export function cycleThrough(start: string, edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  let ways: readonly (readonly string[])[] = [[start]];
  const met = new Set<string>();
  while (ways.length > 0) {
    const next: (readonly string[])[] = [];
    for (const way of ways) {
      for (const target of edges.get(way.at(-1) ?? '') ?? []) {
        if (target === start) return [...way, start];
        if (met.has(target)) continue;
        met.add(target);
        next.push([...way, target]);
      }
    }
    ways = next;
  }
  return undefined;
}
