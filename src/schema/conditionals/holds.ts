import { isObject } from '../../domain/core/read.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../matches-pattern.ts';

/** What is known of a value and a schema; `Unknown` where the schema says something that is not looked at here. */
export type Verdict = 'Holds' | 'Fails' | 'Unknown';

const DEEPEST = 24;
/** Keywords that only describe. */
const SILENT = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  '$schema',
  '$id',
  'readOnly',
  'writeOnly',
]);

/**
 * Whether a value satisfies a schema, as far as a form needs to know it to show a field. The judgement about values is not made here but by a complete validator.
 * Patterns run in linear time.
 */
export function holds(schema: Json | undefined, value: Json | undefined, depth = 0): Verdict {
  if (schema === undefined || schema === true) return 'Holds';
  if (schema === false) return 'Fails';
  if (!isObject(schema) || depth > DEEPEST) return 'Unknown';
  return all(Object.entries(schema).map(([keyword, said]) => keywordHolds(keyword, said, { value, depth: depth + 1 })));
}

function all(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('Fails')) return 'Fails';
  return verdicts.includes('Unknown') ? 'Unknown' : 'Holds';
}

function any(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('Holds')) return 'Holds';
  return verdicts.includes('Unknown') ? 'Unknown' : 'Fails';
}

function verdictOf(isTrue: boolean): Verdict {
  return isTrue ? 'Holds' : 'Fails';
}

function opposite(verdict: Verdict): Verdict {
  if (verdict === 'Unknown') return verdict;
  return verdict === 'Holds' ? 'Fails' : 'Holds';
}

interface Subject {
  readonly value: Json | undefined;
  readonly depth: number;
}

function keywordHolds(keyword: string, said: Json | undefined, { value, depth }: Subject): Verdict {
  if (SILENT.has(keyword)) return 'Holds';
  const below = (schema: Json | undefined): Verdict => holds(schema, value, depth);
  switch (keyword) {
    case 'const':
      return verdictOf(isSame(said, value));
    case 'enum':
      return Array.isArray(said) ? verdictOf((said as readonly Json[]).some((one) => isSame(one, value))) : 'Unknown';
    case 'type':
      return verdictOf((Array.isArray(said) ? said : [said]).some((type) => isOfType(type, value)));
    case 'not':
      return opposite(below(said));
    case 'allOf':
      return Array.isArray(said) ? all((said as readonly Json[]).map(below)) : 'Unknown';
    case 'anyOf':
      return Array.isArray(said) ? any((said as readonly Json[]).map(below)) : 'Unknown';
    case 'properties':
      return isObject(value) && isObject(said)
        ? all(Object.entries(said).map(([key, schema]) => (Object.hasOwn(value, key) ? holds(schema, value[key] as Json, depth) : 'Holds')))
        : 'Holds';
    case 'required':
      return !isObject(value) || !Array.isArray(said) ? 'Holds' : verdictOf(said.every((key) => value[String(key)] !== undefined));
    default:
      return limitHolds(keyword, said, value);
  }
}

function limitHolds(keyword: string, said: Json | undefined, value: Json | undefined): Verdict {
  const limit = Number(said);
  switch (keyword) {
    case 'minimum':
      return verdictOf(typeof value !== 'number' || value >= limit);
    case 'maximum':
      return verdictOf(typeof value !== 'number' || value <= limit);
    case 'minLength':
      return verdictOf(typeof value !== 'string' || lengthOf(value) >= limit);
    case 'maxLength':
      return verdictOf(typeof value !== 'string' || lengthOf(value) <= limit);
    case 'minItems':
      return verdictOf(!Array.isArray(value) || value.length >= limit);
    case 'maxItems':
      return verdictOf(!Array.isArray(value) || value.length <= limit);
    case 'pattern':
      return verdictOf(typeof value !== 'string' || typeof said !== 'string' || matchesPattern(said, value));
    default:
      return 'Unknown';
  }
}

function isOfType(type: Json | undefined, value: Json | undefined): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** In code points, as JSON Schema counts. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
