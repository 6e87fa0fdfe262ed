import { RE2JS } from 're2js';
import type { Json } from '../domain/resource.ts';
import type { Constraints, ScalarNode } from './form-node.ts';
import { isDuration, isQuantity } from './measures.ts';

const LONGEST_PATTERN = 1000;
const LONGEST_TEXT = 10_000;
/** Instructions of a pattern times characters of a text: about 50 ms. */
const MOST_WORK = 5_000_000;

/** The limit of the schema that a value breaks, as a sentence; undefined when it keeps them all, as far as a form can tell. */
export function checkScalar(node: ScalarNode, value: Json): string | undefined {
  if (node.kind === 'enum' || node.kind === 'boolean') return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') return checkNumber(node.constraints, value);
  if (typeof value !== 'string') return undefined;
  if (node.kind === 'quantity' && node.strict && !isQuantity(value)) return 'Enter an amount such as 500m, 2 or 10Gi';
  if (node.kind === 'duration' && node.strict && !isDuration(value)) return 'Enter a duration such as 30s, 5m or 1h30m';
  return checkText(node.constraints, value);
}

function checkNumber(limits: Constraints, value: number | bigint): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `Enter a number above ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `Enter a number below ${exclusiveMaximum}`;
  if (minimum !== undefined && value < minimum) return `Enter ${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `Enter ${maximum} or less`;
  return multipleOf === undefined || multipleOf <= 0 || isMultiple(value, multipleOf) ? undefined : `Enter a multiple of ${multipleOf}`;
}

function isMultiple(value: number | bigint, step: number): boolean {
  if (typeof value === 'bigint') return !Number.isInteger(step) || value % BigInt(step) === 0n;
  return Math.abs(value / step - Math.round(value / step)) < 1e-9;
}

function checkText({ minLength, maxLength, pattern }: Constraints, value: string): string | undefined {
  const length = value.length > LONGEST_TEXT ? value.length : Array.from(value).length;
  if (minLength !== undefined && length < minLength)
    return `Enter at least ${characters(minLength)}; there ${length === 1 ? 'is' : 'are'} ${length}`;
  if (maxLength !== undefined && length > maxLength) return `Enter at most ${characters(maxLength)}; there are ${length}`;
  return pattern === undefined || matches(pattern, value) ? undefined : `Use the form ${pattern.slice(0, 200)}`;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** Patterns come from foreign schemas: they run in linear time or, where that engine cannot read them, not at all; the api-server decides then. */
function matches(pattern: string, value: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return true;
  const repeats = (pattern.match(/\d+(?=[,}])/g) ?? []).reduce((sum, count) => sum + Number(count), 0);
  if ((pattern.length + repeats) * value.length > MOST_WORK) return true;
  try {
    return RE2JS.compile(pattern).test(value);
  } catch {
    return true;
  }
}
