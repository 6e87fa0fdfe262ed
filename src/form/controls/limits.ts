import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import type { Constraints } from '../model/field.ts';

const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;
const MAX_TEXT_LENGTH = 10_000;

/** The limits of a schema. Draft 4's boolean `exclusiveMinimum` moves the limit there. */
export function constraintsOf(schema: JsonObject): Constraints {
  const constraints: { -readonly [key in keyof Constraints]: Constraints[key] } = {};
  for (const name of NUMBERS) {
    const value = schema[name];
    if (typeof value === 'number') constraints[name] = value;
  }
  if (schema['exclusiveMinimum'] === true && constraints.minimum !== undefined) constraints.exclusiveMinimum = constraints.minimum;
  if (schema['exclusiveMaximum'] === true && constraints.maximum !== undefined) constraints.exclusiveMaximum = constraints.maximum;
  if (typeof schema['pattern'] === 'string') constraints.pattern = schema['pattern'];
  return constraints;
}

/**
 * The limit that a value breaks, as a sentence; undefined when it keeps them all, as far as a form can tell.
 *
 * @param explain why a text does not match the pattern, in better words than the pattern; undefined where there are none.
 */
export function checkLimits(limits: Constraints, value: Json, explain: (text: string) => string | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return checkNumber(limits, value);
  if (typeof value !== 'string') return undefined;
  const { pattern } = limits;
  const broken = checkLength(limits, value);
  if (broken !== undefined || pattern === undefined || matchesPattern(pattern, value)) return broken;
  return explain(value) ?? `Use the form ${pattern.slice(0, 200)}`;
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

function checkLength({ minLength, maxLength }: Constraints, value: string): string | undefined {
  const length = value.length > MAX_TEXT_LENGTH ? value.length : Array.from(value).length;
  if (minLength !== undefined && length < minLength)
    return `Enter at least ${characters(minLength)}; there ${length === 1 ? 'is' : 'are'} ${length}`;
  return maxLength !== undefined && length > maxLength ? `Enter at most ${characters(maxLength)}; there are ${length}` : undefined;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** The limits as a sentence, such as `From 1 to 5.`; empty where the help of the field names them already. */
export function limitHint({ minimum, maximum, minLength, maxLength }: Constraints, help: string): string {
  if (isSaid(help, [minimum, maximum])) return '';
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `${minimum} or more.`;
  if (maximum !== undefined && maximum < 2 ** 31 - 1) return `At most ${maximum}.`;
  return lengthHint(minLength ?? 0, maxLength);
}

/** Whether the help names the limits already, such as `The hour, from 0 to 23`. */
function isSaid(help: string, limits: readonly (number | undefined)[]): boolean {
  const numbers = new Set(help.match(/-?\d+(\.\d+)?/g));
  const known = limits.filter((limit) => limit !== undefined);
  return known.length > 0 && known.every((limit) => numbers.has(String(limit)));
}

function lengthHint(minLength: number, maxLength: number | undefined): string {
  if (minLength > 1 && maxLength !== undefined) return `From ${minLength} to ${maxLength} characters.`;
  if (minLength > 1) return `At least ${minLength} characters.`;
  return maxLength !== undefined && maxLength <= 1000 ? `At most ${maxLength} characters.` : '';
}
