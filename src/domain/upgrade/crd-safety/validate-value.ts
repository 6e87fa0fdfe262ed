import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import { stringifyJson } from '../../core/exact-json.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../../core/read.ts';
import { hasFormat } from './formats.ts';
import { below, hasDefault, keepsUnknown, memberSchema, typeOf } from './schema-shape.ts';

export interface ValueFault {
  readonly path: string;
  readonly message: string;
}

const MAX_DEPTH = 100;

/**
 * Whether a structural schema takes a stored value as it is, fields that would be dropped included. Patterns are run in linear time. Rules in
 * CEL are not looked at. What is said holds no value.
 */
export function validateValue(schema: unknown, value: unknown, path = ''): ValueFault[] {
  if (!isObject(schema) || path.split(/[.[]/).length > MAX_DEPTH) return [];
  if (value === null)
    return schema['nullable'] === true || typeOf(schema) === 'any' || hasDefault(schema) ? [] : [{ path, message: 'it is null' }];
  const type = typeOf(schema);
  if (!hasType(value, type)) return [{ path, message: `it is not of the type ${type}` }];
  return [
    ...restrictions(schema, value).map((message) => ({ path, message })),
    ...junctions(schema, value).map((message) => ({ path, message })),
    ...(isObject(value) ? memberFaults(schema, value, path) : []),
    ...(Array.isArray(value) ? value.flatMap((item, index) => validateValue(schema['items'], item, `${path}[${index}]`)) : []),
  ];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isWhole(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'int-or-string':
      return isWhole(value) || typeof value === 'string';
    default:
      return typeof value === type;
  }
}

function isWhole(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function restrictions(schema: unknown, value: unknown): string[] {
  const allowed = listAt(schema, 'enum');
  const faults = allowed.length > 0 && !allowed.some((one) => isDeepStrictEqual(one, value)) ? ['it is not one of the allowed values'] : [];
  if (typeof value === 'number' || typeof value === 'bigint') return [...faults, ...numberFaults(schema, value)];
  if (typeof value === 'string') return [...faults, ...textFaults(schema, value)];
  if (Array.isArray(value))
    return [...faults, ...between(schema, value.length, ['minItems', 'maxItems', 'items']), ...repeated(schema, value)];
  return isObject(value)
    ? [...faults, ...between(schema, Object.keys(value).length, ['minProperties', 'maxProperties', 'members'])]
    : faults;
}

/** Entries of a set, and keys of the entries of a map, must differ. */
function repeated(schema: unknown, entries: readonly unknown[]): string[] {
  const kind = textAt(schema, 'x-kubernetes-list-type');
  if (kind !== 'set' && kind !== 'map') return [];
  const keys = textsAt(schema, 'x-kubernetes-list-map-keys');
  const identity = (entry: unknown): string =>
    stringifyJson(kind === 'set' ? entry : keys.map((key) => at(entry, key) ?? at(schema, 'items', 'properties', key, 'default')));
  return new Set(entries.map(identity)).size === entries.length ? [] : [`the list is a ${kind}, and two of its entries are the same`];
}

function numberFaults(schema: unknown, value: number | bigint): string[] {
  const [least, most, step] = ['minimum', 'maximum', 'multipleOf'].map((keyword) => numberAt(schema, keyword));
  const faults: string[] = [];
  const isBelow = least !== undefined && (at(schema, 'exclusiveMinimum') === true ? value <= least : value < least);
  const isAbove = most !== undefined && (at(schema, 'exclusiveMaximum') === true ? value >= most : value > most);
  if (isBelow) faults.push(`it is below the minimum of ${least}`);
  if (isAbove) faults.push(`it is above the maximum of ${most}`);
  if (step !== undefined && !isMultiple(value, step)) faults.push(`it is not a multiple of ${step}`);
  if (textAt(schema, 'format') === 'int32' && (value > 2 ** 31 - 1 || value < -(2 ** 31))) faults.push('it does not fit into 32 bits');
  return faults;
}

/** The api-server reckons whole values with a whole factor. */
function isMultiple(value: number | bigint, step: number): boolean {
  if (typeof value === 'bigint') return Math.trunc(step) !== 0 && value % BigInt(Math.trunc(step)) === 0n;
  const factor = Number.isInteger(value) ? Math.trunc(step) : step;
  return factor !== 0 && Math.abs(value / factor - Math.round(value / factor)) <= 1e-9;
}

function textFaults(schema: unknown, value: string): string[] {
  // The api-server counts code points.
  const faults = between(schema, Array.from(value).length, ['minLength', 'maxLength', 'characters']);
  const pattern = textAt(schema, 'pattern');
  if (pattern !== undefined && !matches(pattern, value)) faults.push(`it does not match the pattern ${pattern}`);
  const format = textAt(schema, 'format');
  if (format !== undefined && !hasFormat(format, value)) faults.push(`it does not have the format ${format}`);
  return faults;
}

/** A pattern that cannot be read is the api-server's to reject. */
function matches(pattern: string, value: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(value).find();
  } catch {
    return true;
  }
}

function between(schema: unknown, count: number, [least, most, word]: readonly [string, string, string]): string[] {
  const [from, to] = [numberAt(schema, least), numberAt(schema, most)];
  if (from !== undefined && count < from) return [`it has fewer than ${from} ${word}`];
  return to !== undefined && count > to ? [`it has more than ${to} ${word}`] : [];
}

function junctions(schema: unknown, value: unknown): string[] {
  const fits = (branch: unknown): boolean => validateValue(openBranch(branch), value).length === 0;
  const [every, some, one] = ['allOf', 'anyOf', 'oneOf'].map((junctor) => listAt(schema, junctor));
  const faults: string[] = [];
  if (every?.every(fits) === false) faults.push('it does not meet all conditions (allOf)');
  if (some !== undefined && some.length > 0 && !some.some(fits)) faults.push('it meets none of the conditions (anyOf)');
  if (one !== undefined && one.length > 0 && one.filter(fits).length !== 1) faults.push('it does not meet exactly one condition (oneOf)');
  if (at(schema, 'not') !== undefined && fits(at(schema, 'not'))) faults.push('it meets a condition that it must not (not)');
  return faults;
}

/** A condition names only what it is about: whatever else an object holds, at any depth, is the schema's own affair. */
function openBranch(branch: unknown): unknown {
  if (!isObject(branch)) return branch;
  const { properties, items, additionalProperties, ...rest } = branch;
  const open = Object.entries(objectAt(properties)).map(([name, schema]) => [name, openBranch(schema)]);
  return {
    'x-kubernetes-preserve-unknown-fields': true,
    ...rest,
    ...(open.length === 0 ? {} : { properties: Object.fromEntries(open) }),
    ...(items === undefined ? {} : { items: openBranch(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: openBranch(additionalProperties) }),
  };
}

function memberFaults(schema: unknown, value: Record<string, unknown>, path: string): ValueFault[] {
  const missing = textsAt(schema, 'required').filter((name) => !Object.hasOwn(value, name) && !hasDefault(at(schema, 'properties', name)));
  const known = Object.entries(value).flatMap(([name, member]) => {
    const next = memberSchema(schema, name);
    if (next !== undefined) return validateValue(next, member, below(path, name));
    return keepsUnknown(schema) || isEmbedded(schema, name)
      ? []
      : [{ path: below(path, name), message: 'the schema does not have the field, so it would be dropped' }];
  });
  const own =
    at(schema, 'x-kubernetes-embedded-resource') === true ? ['apiVersion', 'kind'].filter((name) => value[name] === undefined) : [];
  return [...[...missing, ...own].map((name) => ({ path: below(path, name), message: 'it is missing' })), ...known];
}

/** What every resource has is kept in one that stands inside of another. */
function isEmbedded(schema: unknown, name: string): boolean {
  return at(schema, 'x-kubernetes-embedded-resource') === true && ['apiVersion', 'kind', 'metadata'].includes(name);
}
