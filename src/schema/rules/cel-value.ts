import { Environment } from '@marcbachmann/cel-js';
import { isObject, objectAt, textAt } from '../../domain/core/read.ts';

/*
 * How the api-server hands a custom resource to CEL: defaults filled in, whole numbers as integers, texts of some formats as times, and names that
 * CEL could not spell escaped. See "Validation rules" of the Kubernetes documentation of CustomResourceDefinitions.
 */

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const times = new Environment({ unlistedVariablesAreDyn: true });
const duration = times.parse('duration(text)');

/** The value as a rule sees it. @throws when a text has not the format that its schema names. */
export function celValue(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => celValue(objectAt(schema)['items'], item));
  if (isObject(value)) return celObject(schema, value);
  if (typeof value === 'number') return Number.isInteger(value) && textAt(schema, 'type') !== 'number' ? BigInt(value) : value;
  return typeof value === 'string' ? celText(textAt(schema, 'format'), value) : value;
}

function celObject(schema: unknown, value: Readonly<Record<string, unknown>>): unknown {
  const properties = objectAt(schema, 'properties');
  const open = objectAt(schema)['additionalProperties'];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      Object.hasOwn(properties, name) ? [escaped(name), celValue(properties[name], member)] : [name, celValue(open, member)],
    ),
  );
}

function celText(format: string | undefined, text: string): unknown {
  switch (format) {
    case 'date-time':
    case 'date':
      return new Date(text);
    case 'duration':
      return duration({ text });
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case undefined:
    default:
      return text;
  }
}

function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}
