import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Constraints, ScalarType } from '../model/form-node.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { nameWords } from '../../domain/core/name-words.ts';

const SHARE_NAME = /^(maxUnavailable|maxSurge|minAvailable)$/;
const LAST_PORT = 65_535;
const SAYS_SHARE = /\bper ?cent(age)?s?\b|\b\d{1,3} ?%/i;

/** Whether a whole number is a port: its format, its name, or its limits together with its words say so, and nothing speaks against it. */
export function isPort(name: string, types: readonly ScalarType[], schema: JsonObject): boolean {
  if (!types.includes('integer') || types.includes('boolean')) return false;
  const { format, maximum = LAST_PORT, default: fallback = 1 } = schema;
  if (format === 'port') return true;
  if (typeof maximum !== 'number' || maximum > LAST_PORT || (typeof fallback === 'number' && fallback > LAST_PORT)) return false;
  if (typeof schema['pattern'] === 'string' && !matchesPattern(schema['pattern'], 'http')) return false;
  return nameWords(name).at(-1) === 'port' || (schema['maximum'] === LAST_PORT && /\bports?\b/i.test(`${name} ${wordsOf(schema)}`));
}

/** The limits of a port, where its schema has none of its own. Only a format says that there is a lower one: many apps take 0 for off, or for any. */
export function portLimits(schema: JsonObject, limits: Constraints): Constraints {
  const isOpen = limits.minimum === undefined && limits.exclusiveMinimum === undefined;
  const least = isOpen && schema['format'] === 'port' ? { minimum: 1 } : {};
  return { ...limits, ...least, ...(limits.maximum === undefined && limits.exclusiveMaximum === undefined ? { maximum: LAST_PORT } : {}) };
}

/** Whether a value is a number or a share such as `25%`, by its pattern, its name or its words. */
export function isPercentage(name: string, types: readonly ScalarType[], schema: JsonObject): boolean {
  if (!types.includes('string') || types.includes('boolean')) return false;
  const { pattern } = schema;
  if (typeof pattern === 'string') {
    return pattern.includes('%') && matchesPattern(pattern, '25%') && !['http', 'x%'].some((text) => matchesPattern(pattern, text));
  }
  return types.includes('integer') && (SHARE_NAME.test(name) || SAYS_SHARE.test(wordsOf(schema)));
}

function wordsOf(schema: JsonObject): string {
  return typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
}
