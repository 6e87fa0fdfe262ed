import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

const LONGEST_PATTERN = 1000;
/** Instructions of a pattern times characters of a text: about 50 ms. */
const MOST_WORK = 5_000_000;

/**
 * Whether a text has a pattern. Patterns come from foreign schemas: they run in linear time or, where that engine cannot read them, not at all; the
 * answer is yes then, and the api-server decides.
 */
export function matchesPattern(pattern: string, value: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return true;
  const repeats = (pattern.match(/\d+(?=[,}])/g) ?? []).reduce((sum, count) => sum + Number(count), 0);
  if ((pattern.length + repeats) * value.length > MOST_WORK) return true;
  try {
    return compiled(pattern).test(value);
  } catch {
    return true;
  }
}

const MOST_KEPT = 500;
const known = new LRUCache<string, RE2JS>({ max: MOST_KEPT });

/** The rows of a list have the same pattern. */
function compiled(pattern: string): RE2JS {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  const made = RE2JS.compile(pattern);
  known.set(pattern, made);
  return made;
}
