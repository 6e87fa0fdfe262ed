import { isMap, isScalar, isSeq, parseDocument, type ParsedNode } from 'yaml';
import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';

/** An example of a value that is empty in values.yaml. */
export interface Example {
  readonly path: readonly string[];
  readonly content: Json;
}

const DEEPEST = 40;
const MOST_LINES = 100;
const MOST_EXAMPLES = 2_000;
const LONGEST_PROSE = 8;

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
  const { contents } = parseDocument(text, { merge: true, uniqueKeys: false });
  const walk = (node: ParsedNode | null, path: readonly string[]): void => {
    if (!isMap(node) || path.length > DEEPEST) return;
    for (const { key, value } of node.items) {
      if (!isScalar(key) || found.length >= MOST_EXAMPLES) continue;
      const here = [...path, String(key.value)];
      const form = emptyForm(value);
      if (form !== undefined) found.push({ path: here, form, offset: key.range[0] });
      walk(value, here);
    }
  };
  walk(contents, []);
  return found;
}

function emptyForm(value: ParsedNode | null): Wanted | undefined {
  if (isMap(value)) return value.items.length === 0 ? 'object' : undefined;
  if (isSeq(value)) return value.items.length === 0 ? 'list' : undefined;
  return value === null || (isScalar(value) && value.value === null) ? 'either' : undefined;
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
  for (let at = line + 1; at < lines.length && comments.length < MOST_LINES; at += 1) {
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
  for (let at = line - 1; at >= 0 && comments.length < MOST_LINES; at -= 1) {
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
  return Object.values(content).some(
    (value) => typeof value === 'string' && !value.includes('\n') && value.split(' ').length > LONGEST_PROSE,
  );
}
