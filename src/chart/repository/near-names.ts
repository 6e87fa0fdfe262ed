const MAX_NEAR = 5;

/** Names that somebody may have meant by one that does not exist, the likeliest first: one holds the other, or few letters differ. */
export function nearNames(name: string, known: readonly string[]): readonly string[] {
  const most = Math.max(1, Math.floor(name.length / 4));
  const scored = known.flatMap((other) => {
    const holds = other.includes(name) || name.includes(other);
    const distance = holds ? 0 : Math.abs(other.length - name.length) > most ? Infinity : editDistance(name, other);
    return distance <= most ? [{ other, distance }] : [];
  });
  return scored
    .sort((a, b) => a.distance - b.distance || a.other.length - b.other.length || a.other.localeCompare(b.other))
    .slice(0, MAX_NEAR)
    .map(({ other }) => other);
}

/** `; names like it: redis, redis-ha`; empty where there are none. */
export function nearNamesClause(near: readonly string[]): string {
  return near.length === 0 ? '' : `; names like it: ${near.join(', ')}`;
}

/** How many letters have to be added, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
