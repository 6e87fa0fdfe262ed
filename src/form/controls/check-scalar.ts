import { isIP } from 'node:net';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { readCron } from './cron/read-cron.ts';
import type { Constraints, ScalarNode, SpecialTextNode } from '../model/form-node.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { isDuration, isQuantity } from './measures.ts';
import { hasScheme, isHost } from './special-text.ts';

const LONGEST_TEXT = 10_000;

/** The limit of the schema that a value breaks, as a sentence; undefined when it keeps them all, as far as a form can tell. */
export function checkScalar(node: ScalarNode, value: Json): string | undefined {
  if (node.kind === 'enum' || node.kind === 'boolean') return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') return checkNumber(node.constraints, value);
  if (typeof value !== 'string') return undefined;
  if (node.kind === 'quantity' && node.strict && !isQuantity(value)) return 'Enter an amount such as 500m, 2 or 10Gi';
  if (node.kind === 'duration' && node.strict && !isDuration(value)) return 'Enter a duration such as 30s, 5m or 1h30m';
  const broken = isSpecial(node) && node.strict ? checkSpecial(node, value) : undefined;
  return broken ?? checkText(node.constraints, value, node.kind);
}

/** What no api-server takes for the format of the schema. It may refuse more. */
function checkSpecial({ kind, format }: SpecialTextNode, value: string): string | undefined {
  if (kind === 'cron') return readCron(value).fault;
  if (kind === 'url')
    return hasScheme(value) || value.startsWith('/') ? undefined : 'Enter an address with its scheme, such as https://example.com';
  if (format === 'ipv4') return isIP(value) > 0 && value.includes('.') ? undefined : 'Enter an IPv4 address, such as 10.0.0.1';
  if (format === 'ipv6') return isIP(value) > 0 && value.includes(':') ? undefined : 'Enter an IPv6 address, such as 2001:db8::1';
  return isHost(value) ? undefined : 'Enter a host name, such as db.example.com';
}

function isSpecial(node: ScalarNode): node is SpecialTextNode {
  return node.kind === 'cron' || node.kind === 'host' || node.kind === 'url';
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

function checkText({ minLength, maxLength, pattern }: Constraints, value: string, kind: ScalarNode['kind']): string | undefined {
  const length = value.length > LONGEST_TEXT ? value.length : Array.from(value).length;
  if (minLength !== undefined && length < minLength)
    return `Enter at least ${characters(minLength)}; there ${length === 1 ? 'is' : 'are'} ${length}`;
  if (maxLength !== undefined && length > maxLength) return `Enter at most ${characters(maxLength)}; there are ${length}`;
  if (pattern === undefined || matchesPattern(pattern, value)) return undefined;
  if (kind === 'percentage') return 'Enter a share such as 25%, or a number where that is taken';
  return (kind === 'cron' ? scheduleFault(pattern, value) : undefined) ?? `Use the form ${pattern.slice(0, 200)}`;
}

/** Why a pattern of schedules refuses a text: it is none, or has seconds where none are taken. */
function scheduleFault(pattern: string, value: string): string | undefined {
  const read = readCron(value);
  if (read.fault !== undefined) return read.fault;
  const minutes = value.trim().split(/\s+/).slice(1).join(' ');
  return read.parts === 6 && matchesPattern(pattern, minutes) ? `Leave the seconds out: write ${minutes}` : undefined;
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}
