/** The name that was probably meant: the one that takes the fewest changed letters, as long as that is a third of them at most; undefined when none is near. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const bound = Math.max(1, Math.floor(wanted.length / 3));
  const [best] = names
    .filter((name) => Math.abs(name.length - wanted.length) <= bound)
    .map((name) => ({ name, changes: changesBetween(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => changes <= bound)
    .sort((a, b) => a.changes - b.changes || a.name.localeCompare(b.name));
  return best?.name;
}

/** Letters that are added, left out or replaced (Levenshtein). */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [above, letter] of from.split('').entries()) {
    const next = [above + 1];
    for (const [index, other] of to.split('').entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
