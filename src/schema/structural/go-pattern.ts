import { RE2JS } from 're2js';

const MAX_LENGTH = 1_000;
/** The api-server takes no more in one pattern, repeats within repeats included. */
const MAX_REPEATS = 1_000;
/** Escapes that mean the same in both languages, or match more in Go's. */
const ESCAPE = /\\(.)/gs;
const SAME_ESCAPES = /^[dDwWbBSnrtfv.\\/()[\]{}|*+?^$\-"'#%&,:;<=>@_`~! ]$/;
/** Groups with a meaning of their own, classes by name, and escapes within a class that Go reads in another way. */
const FOREIGN = /\(\?(?!:)|\[\[:|\[\^?\]|\[[^\]]*\\[SbBDW][^\]]*\]/;

/**
 * A pattern of a JSON Schema (ECMA 262) where Go's regular expressions, which the api-server uses, match at least the same texts; undefined where they may
 * not, or cannot read it.
 */
export function goPattern(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH || FOREIGN.test(pattern)) return undefined;
  if ([...pattern.matchAll(ESCAPE)].some(([, escaped = '']) => !SAME_ESCAPES.test(escaped))) return undefined;
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, from = '', to = '']) => Math.max(Number(from), Number(to), 1));
  if (repeats.reduce((product, count) => product * count, 1) > MAX_REPEATS) return undefined;
  try {
    RE2JS.compile(pattern);
    return pattern;
  } catch {
    return undefined;
  }
}
