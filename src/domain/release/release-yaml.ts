import {
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseAllDocuments,
  stringify,
  type ToStringOptions,
} from 'yaml';
import { goTags, jsonOf, parseYamlStream, repeatedKey, streamFault, type YamlStream } from '../core/bounded-yaml.ts';
import { AppError, type FieldFault } from '../core/errors.ts';
import { narrowIntegers } from '../core/exact-json.ts';
import { isSame } from '../core/merge-patch.ts';
import { isObject, textAt } from '../core/read.ts';
import { YamlValueError } from '../yaml/yaml-value.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';

/** The names and indexes from the root of a document to one of its values. */
export type ValuePath = readonly (string | number)[];

/** What is wrong in a file of the repository, and where. Counted from 1; 0 for the file as a whole. */
export interface ReleaseFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** One document of a file: what it holds, and where. */
export interface ReleaseDocument {
  readonly file: string;
  readonly content: JsonObject;
  /** A fault at a value, or at the nearest part of its path that is there. */
  readonly fault: (path: ValuePath, message: string) => ReleaseFault;
}

export interface ReleaseFile {
  /** Relative to the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly documents: readonly ReleaseDocument[];
}

const MAX_CHARACTERS = 1024 * 1024;
const MAX_DEPTH = 100;
const MAX_ALIASES = 100;
const OPTIONS = { version: '1.1', customTags: goTags, intAsBigInt: true, prettyErrors: false, logLevel: 'silent' } as const;

/** Reads a file as kubectl does (YAML 1.1), but for duplicate keys, which are faults. Empty documents are left out. */
export function parseReleaseFile(path: string, text: string): ReleaseFile & { readonly faults: readonly ReleaseFault[] } {
  const whole = (fault: Omit<ReleaseFault, 'file'>) => ({ path, text, documents: [], faults: [{ file: path, ...fault }] });
  if (text.length > MAX_CHARACTERS)
    return whole({ line: 0, column: 0, message: `has more than ${MAX_CHARACTERS} characters; split the file` });
  const faults: ReleaseFault[] = [];
  const documents: ReleaseDocument[] = [];
  try {
    const stream = parseYamlStream(text);
    for (const document of stream.documents) {
      const read = readDocument(document, { path, ...stream });
      if (read === undefined) continue;
      if ('message' in read) faults.push(read);
      else documents.push(read);
    }
  } catch (error) {
    return whole(streamFault(error));
  }
  return { path, text, documents, faults };
}

interface Reading {
  readonly path: string;
  readonly placeAt: YamlStream['placeAt'];
}

function readDocument(document: Document.Parsed, { path, placeAt }: Reading): ReleaseDocument | ReleaseFault | undefined {
  const faultAt = (offset: number, message: string): ReleaseFault => {
    return { file: path, ...placeAt(offset), message };
  };
  const [error] = document.errors;
  if (error !== undefined) return faultAt(error.pos[0], `invalid YAML: ${error.message.split('\n')[0] ?? ''}`);
  if (document.contents === null) return undefined;
  const repeated = repeatedKey(document);
  if (repeated !== undefined) return faultAt(repeated, 'invalid YAML: duplicate key; keep one of the two');
  const start = document.contents.range[0];
  let content: Json;
  try {
    content = jsonOf(document);
  } catch (thrown) {
    if (!(thrown instanceof YamlValueError)) throw thrown;
    return faultAt(thrown.offset ?? start, `invalid YAML: it ${thrown.message}`);
  }
  if (content === null) return undefined;
  if (!isObject(content)) return faultAt(start, 'the document is not a resource; it must have apiVersion, kind and metadata');
  if (depthOf(content) > MAX_DEPTH) return faultAt(start, `it is nested more than ${MAX_DEPTH} levels deep`);
  return {
    file: path,
    content,
    fault: (names, message) => faultAt(offsetOf(document, names), message),
  };
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce<number>((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}

/** Where the key of a path stands, or an item of a list; of the nearest part that is there. */
function offsetOf({ contents }: Document.Parsed, path: ValuePath): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
      if (pair === undefined) break;
      offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof name === 'number') {
      node = node.items[name];
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    } else break;
  }
  return offset;
}

type ValueEdit =
  { readonly kind: 'Set'; readonly path: ValuePath; readonly value: Json } | { readonly kind: 'Delete'; readonly path: ValuePath };

/**
 * The text of a file whose documents become other ones. What stays keeps its comments, quotes and order; where only scalars change, every other byte
 * stays as it is.
 *
 * @param contents one for each document that is not empty, in order.
 */
export function editText(text: string, contents: readonly JsonObject[]): string {
  const documents = parseAllDocuments(text, { ...OPTIONS, uniqueKeys: false });
  const filled = documents.filter(({ contents: root }) => isMap(root));
  const edits = filled.flatMap((document, index) => {
    const [before, after] = [narrowIntegers(document.toJS({ maxAliasCount: MAX_ALIASES })), contents[index]];
    return after === undefined ? [] : editsBetween(before, after, []).map((edit) => ({ document, edit }));
  });
  if (edits.length === 0) return text;
  const splices = edits.map(({ document, edit }) => spliceOf(document, edit));
  if (splices.every((splice) => splice !== undefined)) {
    return splices
      .toSorted((a, b) => b.from - a.from)
      .reduce((edited, { from, to, written }) => `${edited.slice(0, from)}${written}${edited.slice(to)}`, text);
  }
  for (const { document, edit } of edits) {
    if (edit.kind === 'Delete') document.deleteIn(edit.path);
    else setValue(document, edit);
  }
  const style = styleOf(text);
  return documents.map((document) => document.toString(style)).join('');
}

function setValue(document: Document, { path, value }: Extract<ValueEdit, { kind: 'Set' }>): void {
  const known = document.getIn(path, true);
  if (isScalar(known) && !isContainer(value)) known.value = value;
  else document.setIn(path, document.createNode(value));
}

/** The text of a new file with one document. */
export function writeDocument(content: JsonObject, comment?: string): string {
  return `${comment === undefined ? '' : `# ${comment}\n`}${stringify(content, WRITTEN)}`;
}

const WRITTEN: ToStringOptions & DocumentOptions & { version: '1.1'; aliasDuplicateObjects: false } = {
  version: '1.1',
  lineWidth: 0,
  singleQuote: true,
  aliasDuplicateObjects: false,
};

function editsBetween(before: unknown, after: unknown, path: ValuePath): ValueEdit[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item, index) => editsBetween(before[index], item, [...path, index]));
  }
  if (!isObject(before) || !isObject(after)) return [{ kind: 'Set', path, value: after as Json }];
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const kept = Object.entries(after).flatMap(([key, value]): ValueEdit[] => {
    const at = [...path, key];
    return Object.hasOwn(before, key) ? editsBetween(before[key], value, at) : [{ kind: 'Set', path: at, value: value as Json }];
  });
  return [...gone.map((key): ValueEdit => ({ kind: 'Delete', path: [...path, key] })), ...kept];
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly written: string;
}

/** The bytes to exchange for a scalar that stands on one line; undefined for everything else. */
function spliceOf(document: Document.Parsed, edit: ValueEdit): Splice | undefined {
  if (edit.kind === 'Delete' || isContainer(edit.value)) return undefined;
  const node = document.getIn(edit.path, true);
  if (!isScalar(node) || isAlias(node) || node.anchor !== undefined || node.tag !== undefined || !isInline(node.type)) return undefined;
  const [from, to] = node.range ?? [];
  if (from === undefined || to === undefined || from === to) return undefined;
  const quotes = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE' ? node.type : 'PLAIN';
  const written = stringify(edit.value, {
    ...WRITTEN,
    defaultStringType: quotes,
    singleQuote: quotes === 'QUOTE_SINGLE',
  }).trimEnd();
  return written.includes('\n') || (quotes === 'PLAIN' && /[[\]{},]/.test(written)) ? undefined : { from, to, written };
}

function isInline(type: string | undefined): boolean {
  return type === 'PLAIN' || type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE';
}

function isContainer(value: Json): boolean {
  return value !== null && typeof value === 'object';
}

/** How the file is written, as far as the printer can follow. */
function styleOf(text: string): ToStringOptions {
  const list = /^( *)[^\s#-][^\n]*:[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- /m.exec(text);
  return {
    lineWidth: 0,
    singleQuote: !/[:-] "/.test(text),
    indentSeq: list === null || (list[1] ?? '').length < (list[2] ?? '').length,
    flowCollectionPadding: !/[:-] *(\{\S|\[\S)/.test(text) || /[:-] *(\{ |\[ )\S/.test(text),
  };
}

/** `Kind namespace/name` of a resource, or of a patch for one; undefined when it names none. */
export function resourceIdOf(content: JsonObject): string | undefined {
  const [kind, name] = [textAt(content, 'kind'), textAt(content, 'metadata', 'name')];
  if (kind === undefined || name === undefined) return undefined;
  const namespace = textAt(content, 'metadata', 'namespace');
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** An AppError for faults of the repository; its message is the first, and how many more there are. */
export function releaseRejected(faults: readonly ReleaseFault[]): AppError {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const place = first === undefined ? '' : `${first.file}${first.line === 0 ? '' : `:${first.line}`}: `;
  const details = faults.map(({ file, line, column, message }): FieldFault => ({ file, message, ...(line === 0 ? {} : { line, column }) }));
  return new AppError('ReleaseRejected', `release: ${place}${first?.message ?? ''}${more}`, { faults: details });
}
