import { isScalar, LineCounter, stringify, visit, type Document } from 'yaml';
import { exactNumber, stringifyJson } from '../domain/core/exact-json.ts';
import { isObject } from '../domain/core/read.ts';
import { editableYaml, goTags, repeatedKey } from '../domain/core/bounded-yaml.ts';
import type { Json } from '../domain/kubernetes/resource.ts';

/** YAML that was read, or why it cannot be: a sentence, and line and column within the text, counted from 1. `value` is absent for an empty text. */
export type YamlRead =
  | { readonly value?: Json; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string; readonly line: number; readonly column: number };

const MAX_CHARACTERS = 256 * 1024;
const DEEPEST = 100;
const DEEP = 'The text is nested too deeply';
const UNSAFE = /[^\P{Cc}\t\n]|\ufeff/u;

/**
 * Reads one YAML document as JSON, as Helm and kubectl read it (YAML 1.1: `on` is a boolean). Anchors, custom tags, duplicate keys and numbers that JSON cannot keep are faults, and so is a text that
 * is larger or deeper than any field needs.
 */
export function readYaml(text: string): YamlRead {
  if (text.length > MAX_CHARACTERS) return { fault: `The text is longer than ${MAX_CHARACTERS / 1024} KiB`, line: 1, column: 1 };
  if (text.trim() === '') return {};
  const lines = new LineCounter();
  try {
    const document = editableYaml(text, { lineCounter: lines, logLevel: 'error' });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) {
      const fault = problem.code === 'MULTIPLE_DOCS' ? 'Write one document only' : sentence(problem.message);
      return { fault, ...placeOf(lines, problem.pos[0]) };
    }
    const repeated = repeatedKey(document);
    if (repeated !== undefined) return { fault: 'This is not valid YAML: Map keys must be unique', ...placeOf(lines, repeated) };
    const found = firstFault(document);
    if (found !== undefined) return { fault: found.fault, ...placeOf(lines, found.offset) };
    if (document.contents === null) return {};
    return { value: toJson(document.toJS({ maxAliasCount: 0 }), 0) };
  } catch (error) {
    return { fault: sentence(error instanceof Error ? error.message : String(error)), line: 1, column: 1 };
  }
}

function placeOf(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** What is well-formed YAML but has no exact counterpart in JSON. */
function firstFault(document: Document): { fault: string; offset: number } | undefined {
  let found: { fault: string; offset: number } | undefined;
  const stop = (fault: string, offset: number | undefined) => {
    found = { fault, offset: offset ?? 0 };
    return visit.BREAK;
  };
  visit(document, {
    Node: (_, node, ancestors) => (ancestors.length > DEEPEST * 2 ? stop(DEEP, node.range?.[0]) : undefined),
    Alias: (_, node) => stop('Aliases are not supported here; write the value out', node.range?.[0]),
    Scalar: (_, node) => {
      const { value, source = '' } = node;
      if (typeof value === 'number' && !Number.isFinite(value))
        return stop(`${source} is not a number that can be stored`, node.range?.[0]);
      const digits = typeof value === 'bigint' ? String(value) : typeof value === 'number' ? source : '0';
      return exactNumber(digits) === undefined
        ? stop(`The number ${source} has more digits than can be kept; put it in quotes if text is allowed`, node.range?.[0])
        : undefined;
    },
    Pair: (_, pair) => (isScalar(pair.key) || pair.key === null ? undefined : stop('A key must be plain text', undefined)),
  });
  return found;
}

function toJson(value: unknown, depth: number): Json {
  if (depth > DEEPEST) throw new RangeError('call stack');
  if (typeof value === 'bigint') return exactNumber(String(value)) ?? Number(value);
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  if (!isObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member, depth + 1)]));
}

function sentence(message: string): string {
  const [first = ''] = message.split('\n');
  // The parser recurses, and gives up on what is nested more deeply than the stack of the program.
  if (first.includes('call stack')) return DEEP;
  return `This is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`;
}

/** The text of a value for a YAML field. Reading it again gives the same value. */
export function writeYaml(value: Json): string {
  const text = stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal', version: '1.1', customTags: goTags });
  return isSafeText(text) && sameJson(readYaml(text).value, value) ? text : `${asciiJson(value)}\n`;
}

/** JSON is YAML too, and can spell the characters that a browser would change on the way. */
function asciiJson(value: Json): string {
  return stringifyJson(value, 2).replaceAll(/[\x7f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether a browser sends the text back as it got it: no control characters but tab and line feed, no half of a surrogate pair. */
export function isSafeText(text: string): boolean {
  return text.isWellFormed() && !UNSAFE.test(text);
}

/** Whether two JSON values are the same, the order of keys aside. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item as Json, b[index] as Json));
  if (!isObject(a) || !isObject(b) || Array.isArray(a) || Array.isArray(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  const others = Object.keys(b).filter((key) => b[key] !== undefined);
  return keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json));
}
