import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { isObject } from '../../domain/core/read.ts';
import { type WrittenValue, writtenValues } from '../../domain/yaml/written-values.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';

/** An example of a value that is empty in values.yaml. */
export interface Example {
  readonly path: readonly string[];
  readonly content: Json;
}

const DEEPEST = 40;
const MAX_LINES = 100;
const MAX_EXAMPLES = 2_000;
const MAX_WORDS = 8;

/**
 * The examples in the comments of values.yaml: `env: []` with `# - name: FOO` below it, or with `# env:` and such lines above it.
 *
 * @param text has been parsed before: it is YAML within the bounds for charts.
 */
export function examplesInComments(text: string): readonly Example[] {
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  return emptyValues(text).flatMap(({ path, form, offset }) => {
    const line = lineOf(starts, offset);
    const content = exampleBelow(lines, line, form) ?? exampleAbove(lines, line, { form, key: path.at(-1) ?? '' });
    return content === undefined ? [] : [{ path, content }];
  });
}

interface EmptyValue {
  readonly path: readonly string[];
  readonly form: Wanted;
  /** Where its key begins. */
  readonly offset: number;
}
type Wanted = 'object' | 'list' | 'either';

function emptyValues(text: string): readonly EmptyValue[] {
  const found: EmptyValue[] = [];
  const walk = ({ members }: WrittenValue, path: readonly string[]): void => {
    if (path.length > DEEPEST) return;
    for (const member of members()) {
      if (found.length >= MAX_EXAMPLES) continue;
      const here = [...path, member.key];
      const form = emptyForm(member.value);
      if (form !== undefined) found.push({ path: here, form, offset: member.offset });
      walk(member, here);
    }
  };
  walk(writtenValues(text), []);
  return found;
}

function emptyForm(value: Json): Wanted | undefined {
  if (Array.isArray(value)) return value.length === 0 ? 'list' : undefined;
  if (isObject(value)) return Object.keys(value).length === 0 ? 'object' : undefined;
  return value === null ? 'either' : undefined;
}

function lineStarts(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A map in the column of the key is its neighbour, left out; a list may stand there. */
function exampleBelow(lines: readonly string[], line: number, form: Wanted): Json | undefined {
  const column = indentOf(lines[line] ?? '');
  const comments: string[] = [];
  for (let at = line + 1; at < lines.length && comments.length < MAX_LINES; at += 1) {
    const text = commentOn(lines[at] ?? '');
    if (text === undefined) break;
    const own = indentOf(lines[at] ?? '') + Math.max(0, indentOf(text) - 1);
    comments.push(own > column || (own === column && text.trimStart().startsWith('-')) ? text : '');
  }
  return contentsIn(comments).find((content) => hasForm(content, form) && !isProse(content));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Above a key the example repeats it, else anything that somebody writes with a colon would be one. */
function exampleAbove(
  lines: readonly string[],
  line: number,
  { form, key }: { readonly form: Wanted; readonly key: string },
): Json | undefined {
  const comments: string[] = [];
  for (let at = line - 1; at >= 0 && comments.length < MAX_LINES; at -= 1) {
    const text = commentOn(lines[at] ?? '');
    if (text === undefined) break;
    comments.unshift(text);
  }
  return contentsIn(comments)
    .flatMap((content) => (isObject(content) && Object.hasOwn(content, key) ? [content[key] ?? null] : []))
    .find((content) => hasForm(content, form));
}

/** What stands behind the signs of a comment; undefined where the line is none. */
function commentOn(line: string): string | undefined {
  const text = line.trimStart();
  if (!text.startsWith('#')) return undefined;
  let at = 1;
  while (text[at] === '#') at += 1;
  return text.slice(at).trimEnd();
}

/** The lists and maps that runs of lines are when they are read as YAML. */
function contentsIn(comments: readonly string[]): readonly Json[] {
  return runsOf(comments).flatMap((run) => {
    try {
      const content = parseYamlDocument(run.join('\n'));
      return typeof content === 'object' && content !== null ? [content] : [];
    } catch {
      return [];
    }
  });
}

/** Lines that begin like an entry, and those below each of them that belong to it. Each line is in one run. */
function runsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const runs: string[][] = [];
  let depth = -1;
  for (const line of lines) {
    const own = indentOf(line);
    const run = runs.at(-1);
    const start = line.slice(own, own + 200);
    const isEntry = ENTRY.test(start) && !SENTENCE.test(start);
    if (depth >= 0 && run !== undefined && line !== '' && (own > depth || (own === depth && isEntry))) {
      run.push(line);
    } else if (isEntry) {
      runs.push([line]);
      depth = own;
    } else depth = -1;
  }
  return runs;
}

const ENTRY = /^(?:- |-$|["']?[A-Za-z_][\w./-]*["']?:(?: |$))/;

function hasForm(content: Json, form: Wanted): boolean {
  if (Array.isArray(content)) return form !== 'object' && content.length > 0;
  return isObject(content) && form !== 'list' && Object.keys(content).length > 0;
}

/** `Note: this is …`, and what is too long for a value that stands in a comment. */
const SENTENCE = /^(?:note|refs?|reference|eg|e\.g|examples?|see|defaults?|warning|important|todo|hint|tip|https?|usage):/i;

function isProse(content: Json): boolean {
  if (!isObject(content)) return false;
  return Object.values(content).some((value) => typeof value === 'string' && !value.includes('\n') && value.split(' ').length > MAX_WORDS);
}

const MAX_SCHEMA_DEPTH = 8;
const MAX_MEMBERS = 100;
const MAX_ROWS = 20;

/**
 * What a value may be, from what somebody has put there: widened, and never a restriction. Numbers may be texts, objects have more members, a list
 * has rows like those that are there.
 *
 * @returns undefined where the content tells nothing: an empty object, a list of different things.
 */
export function schemaOfContent(contents: readonly Json[], depth = 0): JsonObject | undefined {
  const solid = contents.filter((content) => content !== null).slice(0, MAX_ROWS);
  const [first] = solid;
  if (first === undefined || depth > MAX_SCHEMA_DEPTH) return undefined;
  if (solid.every((content) => isObject(content))) return objectSchema(solid, depth);
  if (solid.every((content) => Array.isArray(content))) return listSchema((solid as readonly (readonly Json[])[]).flat(), depth);
  return solid.some((content) => typeof content === 'object') ? undefined : scalarSchema(solid);
}

function listSchema(rows: readonly Json[], depth: number): JsonObject | undefined {
  const items = schemaOfContent(rows, depth + 1);
  return items === undefined ? undefined : { type: 'array', items };
}

/** Texts under names that are no names of members, or many of them, are entries of a map. */
function objectSchema(objects: readonly JsonObject[], depth: number): JsonObject | undefined {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))].slice(0, MAX_MEMBERS);
  const members = names.map((name) => ({ name, contents: objects.flatMap((one) => (one[name] === undefined ? [] : [one[name]])) }));
  if (members.length === 0) return undefined;
  const all = members.flatMap(({ contents }) => contents);
  if (depth === 0 && all.every((content) => typeof content === 'string'))
    return { type: 'object', additionalProperties: { type: 'string' } };
  const properties = members.map(({ name, contents }): [string, JsonObject] => [name, schemaOfContent(contents, depth + 1) ?? {}]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

function scalarSchema(contents: readonly Json[]): JsonObject {
  const types = new Set(contents.map((content) => (typeof content === 'bigint' ? 'number' : typeof content)));
  if (types.size === 1 && types.has('boolean')) return { type: 'boolean' };
  return types.size === 1 && types.has('string')
    ? { type: 'string' }
    : { type: ['number', 'string', ...(types.has('boolean') ? ['boolean'] : [])] };
}

/**
 * Whether a schema that only describes has a place for a content: the types are right, and of an object at least half the members are known.
 */
export function describes(schema: JsonObject, content: Json, depth = 0): boolean {
  if (content === null || depth > MAX_SCHEMA_DEPTH) return true;
  const { type, properties, additionalProperties: more, items } = schema;
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  if (Array.isArray(content)) {
    const row = isObject(items) ? items : {};
    return types.includes('array') && (content as readonly Json[]).slice(0, MAX_ROWS).every((one) => describes(row, one, depth + 1));
  }
  if (!isObject(content)) return isScalarOf(types, content);
  if (!types.includes('object')) return false;
  const entries = Object.entries(content).slice(0, MAX_MEMBERS) as [string, Json][];
  if (isObject(properties)) {
    const known = entries.filter(([name]) => Object.hasOwn(properties, name));
    return (
      known.length * 2 >= entries.length && known.every(([name, value]) => describes(properties[name] as JsonObject, value, depth + 1))
    );
  }
  return !isObject(more) || entries.every(([, value]) => describes(more, value, depth + 1));
}

function isScalarOf(types: readonly Json[], content: Json): boolean {
  if (typeof content === 'boolean') return types.includes('boolean');
  if (typeof content === 'string') return types.includes('string');
  return types.includes('number') || types.includes('integer');
}
