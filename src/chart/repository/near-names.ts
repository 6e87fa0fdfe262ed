import { editDistance } from '../../domain/core/compare-texts.ts';
import type { AppError } from '../../domain/core/errors.ts';
import { chartError } from '../chart-error.ts';

const MAX_NEAR = 5;

/** Known names that are similar to one that does not exist, the most similar first: one contains the other, or few letters differ. */
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

/** The error for a chart that a repository does not have. @param more further clauses. */
export function chartNotFound(
  { repoURL, name }: { readonly repoURL: string; readonly name: string },
  near: readonly string[],
  more = '',
): AppError {
  const similar = near.length === 0 ? '' : `; names like it: ${near.join(', ')}`;
  return chartError(
    'ChartNotFound',
    repoURL,
    `the repository holds no chart named ${JSON.stringify(name)}; check the name${similar}${more}`,
  );
}
