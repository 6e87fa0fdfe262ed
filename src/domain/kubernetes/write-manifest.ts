import { isObject } from '../core/read.ts';
import type { KubeObject } from './resource.ts';

/**
 * Writes objects as a YAML stream, one document each, that every parser of YAML reads alike: text is in double quotes unless it is a plain word or lines
 * that a literal block holds to the letter, and there are no anchors, tags, comments or flow collections but empty ones. Whole numbers keep 64 bits.
 *
 * @throws TypeError for a value that JSON does not have.
 */
export function writeManifest(objects: readonly KubeObject[]): string {
  return objects.map((object) => `${lines(object, '').join('\n')}\n`).join('---\n');
}

/** The lines of a map or a list that is not empty. */
function lines(value: object, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => itemLines(item, indent));
  return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : memberLines(key, member, indent)));
}

function memberLines(key: string, value: unknown, indent: string): string[] {
  const name = scalar(key);
  const isLong = name.length > KEY_LENGTH;
  const start = isLong ? `${indent}:` : `${indent}${name}:`;
  const before = isLong ? [`${indent}? ${name}`] : [];
  if (isFilled(value)) return [...before, start, ...lines(value, `${indent}  `)];
  const [first = '', ...more] = inline(value, `${indent}  `);
  return [...before, `${start} ${first}`, ...more];
}

/** A key of more than 1024 characters has to be marked as one. */
const KEY_LENGTH = 1000;

function itemLines(value: unknown, indent: string): string[] {
  const [first = '', ...more] = isFilled(value) ? lines(value, `${indent}  `) : inline(value, `${indent}  `);
  return [`${indent}- ${isFilled(value) ? first.slice(indent.length + 2) : first}`, ...more];
}

function isFilled(value: unknown): value is object {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.values(value).some((member) => member !== undefined);
}

/** What stands behind a key or a dash, and the lines below it. */
function inline(value: unknown, indent: string): string[] {
  if (Array.isArray(value)) return ['[]'];
  if (isObject(value)) return ['{}'];
  if (typeof value === 'string' && isLiteral(value)) return literal(value, indent);
  return [scalar(value)];
}

/** Whether a text is lines that a literal block holds to the letter: printable, without tabs or blanks at their ends, the first one not indented. */
function isLiteral(text: string): boolean {
  if (!text.includes('\n') || /^\s|\n\n$/.test(text)) return false;
  return text.split('\n').every((line) => /^[\x20-\x7e\xa0-\u2027\u202a-\ud7ff]*$/.test(line) && !line.endsWith(' '));
}

function literal(value: string, indent: string): string[] {
  const isEnded = value.endsWith('\n');
  const text = isEnded ? value.slice(0, -1) : value;
  return [isEnded ? '|' : '|-', ...text.split('\n').map((line) => (line === '' ? '' : indent + line))];
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return isWord(value) ? value : quoted(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new TypeError(`manifest: a ${typeof value} is no value of JSON`);
}

const WORD = /^[A-Za-z](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/;
/** What some version of YAML, or some parser, takes for something else than text. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|infinity|e[-+]?[0-9].*)$/i;

function isWord(text: string): boolean {
  return text.length <= 256 && WORD.test(text) && !RESERVED.test(text);
}

/** JSON, whose escapes are those of YAML, without what YAML cannot hold or takes for the end of a line. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
