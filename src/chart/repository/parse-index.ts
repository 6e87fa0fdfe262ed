import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { type IndexSink, LISTED_KEYS, listedVersion, type ListedVersion } from './index-format.ts';
import { type IndexPart, splitIndex } from './split-index.ts';
import { parseYamlDocument, YAML_BOUNDS } from '../../domain/core/bounded-yaml.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';

/** An index as text, which may be read several times. */
interface IndexText {
  readonly bytes: number;
  /** Without line feeds. */
  lines(): Iterable<string>;
  whole(): string;
}

/** Parsed at once, a text takes a hundred times its size in memory; what is not laid out in lines may not be larger. */
const WHOLE_BOUNDS = YAML_BOUNDS;
const VERSION_BOUNDS = { ...YAML_BOUNDS, maxCharacters: 512 * 1024 };
const FIRST = /^ *- +(?=[A-Za-z]\w*:(\s|$))/;
const KEY = /^([A-Za-z]\w*):(\s|$)/;
const ANCHOR = /(^|[\s[{,])[&*]\S/m;

/**
 * Reads an index.yaml: part by part where its lines allow that, so that its size does not matter, else as a whole, which gives the same. A part that
 * cannot be read spoils no other one.
 *
 * @returns how many charts were left out.
 * @throws AppError `ChartInvalid`, as a clause without the address: the caller adds it.
 */
export function parseIndex(text: IndexText, sink: IndexSink): number {
  if (isJson(text)) return takeWhole(parseJson(text), sink);
  const { faults, leftOut, unfit } = parseByParts(text.lines(), sink);
  if (faults === 0 && unfit === undefined) return leftOut;
  if (text.bytes > WHOLE_BOUNDS.maxCharacters && unfit !== undefined)
    throw invalid(`${unfit}, and it is too large to be parsed at once; lay it out in lines as "helm repo index" does`);
  const whole = text.bytes > WHOLE_BOUNDS.maxCharacters ? undefined : tryToParse(() => parseYamlDocument(text.whole(), WHOLE_BOUNDS));
  if (whole !== undefined && 'value' in whole) return takeWhole(whole.value, sink);
  if (unfit !== undefined) throw invalid(whole?.why ?? unfit);
  return leftOut;
}

/** What came of reading part by part. */
interface Parted {
  /** Parts that are no YAML by themselves. */
  faults: number;
  /** Charts of which nothing is known. */
  leftOut: number;
  /** Why none of it counts. */
  unfit?: string;
}

function parseByParts(lines: Iterable<string>, sink: IndexSink): Parted {
  const result: Parted = { faults: 0, leftOut: 0 };
  let open: { name: string; versions: ListedVersion[]; skipped: number } | undefined;
  const close = (): void => {
    if (open !== undefined) sink.chart(open.name, open);
    open = undefined;
  };
  const take = (part: IndexPart): void => {
    if (part.kind !== 'version') close();
    switch (part.kind) {
      case 'entries':
        sink.restart();
        return;
      case 'chart':
        open = { name: nameOf(part.key), versions: [], skipped: 0 };
        return;
      case 'version':
        if (open !== undefined) addVersion(open, part.text, result);
        return;
      case 'block':
        addBlock(part.text, sink, result);
        return;
      case 'outside':
        Object.assign(result, unfitOutside(part.text));
        return;
      case 'unfit':
        result.unfit = part.why;
    }
  };
  for (const part of splitIndex(lines)) take(part);
  return result;
}

function nameOf(key: string): string {
  return Object.keys(asMap(parseYamlDocument(`${key}: 0`)) ?? {})[0] ?? '';
}

function addVersion(chart: { versions: ListedVersion[]; skipped: number }, text: string, result: Parted): void {
  const brief = onlyListed(text);
  let parsed = brief === undefined ? undefined : tryToParse(() => parseYamlDocument(brief, VERSION_BOUNDS));
  if (parsed === undefined || 'why' in parsed) parsed = tryToParse(() => parseYamlDocument(text, VERSION_BOUNDS));
  if ('why' in parsed) result.faults += 1;
  const entries = 'value' in parsed && Array.isArray(parsed.value) ? (parsed.value as readonly Json[]) : [];
  const version = listedVersion(entries[0]);
  if (version === undefined) chart.skipped += 1;
  else chart.versions.push(version);
}

function addBlock(text: string, sink: IndexSink, result: Parted): void {
  const parsed = tryToParse(() => parseYamlDocument(text, WHOLE_BOUNDS));
  const found = 'value' in parsed ? Object.entries(asMap(parsed.value) ?? {}) : [];
  const [[name, value] = []] = found;
  // A merge key stands for charts that are written elsewhere.
  if (found.length !== 1 || name === undefined || /^\s*["']?<</.test(text)) result.faults += 1;
  else if (!takeChart(name, value, sink)) result.faults += 1;
  else return;
  result.leftOut += 1;
}

function unfitOutside(text: string): { readonly unfit?: string } {
  const parsed = tryToParse(() => parseYamlDocument(text));
  if ('why' in parsed) return { unfit: parsed.why };
  const outside = asMap(parsed.value);
  return outside !== undefined && 'entries' in outside && outside['entries'] === null ? {} : { unfit: NO_ENTRIES };
}

const NO_ENTRIES = 'it has no entries, so it is no chart repository';

function takeWhole(index: Json, sink: IndexSink): number {
  const entries = asMap(asMap(index)?.['entries']);
  if (entries === undefined) throw invalid(NO_ENTRIES);
  sink.restart();
  return Object.entries(entries).filter(([name, value]) => !takeChart(name, value, sink)).length;
}

function takeChart(name: string, value: Json | undefined, sink: IndexSink): boolean {
  if (!Array.isArray(value)) return false;
  const versions = (value as readonly Json[]).flatMap((entry) => listedVersion(entry) ?? []);
  sink.chart(name, { versions, skipped: value.length - versions.length });
  return true;
}

function isJson({ lines }: IndexText): boolean {
  for (const line of lines()) {
    if (line.trim() !== '') return line.trimStart().startsWith('{');
  }
  return false;
}

/** YAML in flow style begins as JSON does. */
function parseJson(text: IndexText): Json {
  const whole = text.whole();
  const parsed = tryToParse(() => JSON.parse(whole) as Json);
  if ('value' in parsed) return parsed.value;
  const flow = whole.length > WHOLE_BOUNDS.maxCharacters ? parsed : tryToParse(() => parseYamlDocument(whole, WHOLE_BOUNDS));
  if ('value' in flow) return flow.value;
  throw invalid(flow.why);
}

function tryToParse(parse: () => Json): { readonly value: Json } | { readonly why: string } {
  try {
    return { value: parse() };
  } catch (error) {
    return { why: `it cannot be read: ${messageOf(error).replace(/^yaml: /, '')}` };
  }
}

function asMap(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function invalid(why: string): AppError {
  return new AppError('ChartInvalid', `its index.yaml: ${why}`);
}

/**
 * The text of one version without the keys that nobody reads, which are most of it and most of the time that parsing takes. Undefined where the
 * lines do not tell for certain what belongs to which key.
 *
 * @param text a list of one map, as blocks: `- version: 1.0.0` and the lines below.
 */
function onlyListed(text: string): string | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const [head] = FIRST.exec(lines[0] ?? '') ?? [];
  if (head === undefined || ANCHOR.test(text)) return undefined;
  const indent = head.length;
  const kept: string[] = [];
  let isKept = false;
  for (const [number, line] of lines.entries()) {
    const content = number === 0 ? line.slice(indent) : contentAt(line, indent);
    if (content === 'outside') return undefined;
    if (content !== 'inside') {
      const key = KEY.exec(content)?.[1];
      if (key === undefined) return undefined;
      isKept = LISTED_KEYS.has(key);
    }
    if (isKept) kept.push(line);
  }
  const [first = '{}', ...rest] = kept.map((line, number) => (number === 0 ? line.slice(indent) : line));
  return `${[head + first, ...rest].join('\n')}\n`;
}

/** The text of a line that begins at this indent; else whether it belongs to the key before it. */
function contentAt(line: string, indent: number): string {
  const start = line.search(/[^ ]/);
  const content = start < 0 ? '' : line.slice(start);
  if (/^(#|[ \t\r]*$)/.test(content) || start > indent || (start === indent && /^-(\s|$)/.test(content))) return 'inside';
  return start < indent ? 'outside' : content;
}

const CHUNK_BYTES = 64 * 1024;

/** The text of a file, read as it is asked for. It blocks its thread: use it in one of its own. */
export function openIndexFile(path: string): IndexText {
  const file = openSync(path, 'r');
  const bytes = fstatSync(file).size;
  closeSync(file);
  return { bytes, lines: () => linesOf(path), whole: () => withoutMark(readFileSync(path, 'utf8')) };
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    // The pieces of a line that is not yet at its end: an index of JSON is one line of many chunks.
    let pieces: string[] = [];
    let isStart = true;
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const text = decoder.write(chunk.subarray(0, length));
      const [first = '', ...others] = (isStart ? withoutMark(text) : text).split('\n');
      isStart = false;
      pieces.push(first);
      for (const other of others) {
        yield pieces.join('');
        pieces = [other];
      }
    }
    yield pieces.join('') + decoder.end();
  } finally {
    closeSync(file);
  }
}

/** Without the byte order mark that some editors put first. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
