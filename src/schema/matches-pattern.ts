import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

const MAX_PATTERN_LENGTH = 1000;
/** Instructions of a pattern times characters of a text: about 50 ms. */
const MAX_WORK = 5_000_000;

/**
 * Whether a text has a pattern. Patterns come from foreign schemas: they run in linear time or, where that engine cannot read them, not at all; the
 * answer is yes then, and the api-server decides.
 */
export function matchesPattern(pattern: string, value: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return true;
  const repeats = (pattern.match(/\d+(?=[,}])/g) ?? []).reduce((sum, count) => sum + Number(count), 0);
  if ((pattern.length + repeats) * value.length > MAX_WORK) return true;
  try {
    return compiled(pattern).test(value);
  } catch {
    return true;
  }
}

const MAX_ENTRIES = 500;
const known = new LRUCache<string, RE2JS>({ max: MAX_ENTRIES });

/** The rows of a list have the same pattern. */
function compiled(pattern: string): RE2JS {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  const made = RE2JS.compile(pattern);
  known.set(pattern, made);
  return made;
}
