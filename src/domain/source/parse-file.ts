import { type Document, type ErrorCode, isAlias, isMap, isPair, isScalar, isSeq, type YAMLError } from 'yaml';
import { jsonOf, parseYamlStream, repeatedKey, streamFault, YAML_BOUNDS, type YamlStream } from '../core/bounded-yaml.ts';
import { AppError, messageOf } from '../core/errors.ts';
import { isObject } from '../core/read.ts';
import { YamlValueError } from '../yaml/yaml-value.ts';
import { type DocumentObject, flattenList } from '../kubernetes/flatten-list.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import type { SourceFault } from './catalog-source.ts';

/** A file with its whole text. */
export interface SourceFile {
  /** Relative to the folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** A place in a file, counted from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where the parts of a YAML value stand, without the value: plain data that another thread can send. */
interface PlaceNode {
  readonly place?: Place;
  /** The text of a scalar. */
  readonly text?: string;
  readonly pairs?: readonly PlacePair[];
  readonly items?: readonly PlaceNode[];
}

interface PlacePair {
  readonly key: string;
  /** Of the key. */
  readonly place?: Place;
  readonly value: PlaceNode;
}

/** Texts that select a row of a list are names; longer ones need not be sent. */
const MAX_TEXT_LENGTH = 300;

/** An object of a document that is well-formed YAML: the document itself, or an item of the list that it is. */
export interface SourceDocument {
  readonly file: string;
  /** Where the content of the object begins. */
  readonly place: Place;
  readonly content: Readonly<Record<string, unknown>>;
  /** The place of a field (`spec.users[0].name`), or of the nearest part of it that is there. */
  readonly locate: (field: string) => Place;
}

/** The same as plain data, so that it can come from another thread. */
type PlainDocument = Omit<SourceDocument, 'locate'> & { readonly places: PlaceNode; readonly path: string };

export interface PlainFile {
  readonly documents: readonly PlainDocument[];
  readonly faults: readonly SourceFault[];
}

export interface ParsedFile {
  readonly documents: readonly SourceDocument[];
  readonly faults: readonly SourceFault[];
}

/** As many values as a request may hold; a file can have thousands of resources, and needs not. */
const MAX_VALUES = 20_000;
const BEGINNING: Place = { line: 1, column: 1 };

interface Step {
  readonly place: Place | undefined;
  readonly node: PlaceNode;
  readonly rest: string;
}

/**
 * Reads the documents of a file one by one, as kubectl would (YAML 1.1), but for duplicate keys, which are faults: what is wrong with one of them does not touch
 * the others. Empty documents are left out, and the items of a list take its place.
 */
export function parsePlainFile({ file, text }: SourceFile): PlainFile {
  const documents: PlainDocument[] = [];
  let left = MAX_VALUES;
  const faults: SourceFault[] = [];
  const stream = parseStream(file, text);
  if ('message' in stream) return { documents, faults: [stream] };
  for (const document of stream.documents) {
    const read = readDocument(document, file, stream);
    if (read === undefined) continue;
    if ('content' in read) left -= countValues(read.content, left);
    if (left < 0) return { documents: [], faults: [{ file, line: 0, column: 0, message: TOO_MANY }] };
    if ('message' in read) faults.push(read);
    if ('content' in read) {
      const objects = objectsOf(read, file);
      if ('message' in objects) faults.push(objects);
      else documents.push(...objects);
    }
  }
  return { documents, faults };
}

/** The documents of a file with the places of their fields. */
export function located({ documents, faults }: PlainFile): ParsedFile {
  return {
    documents: documents.map(({ places, path, ...document }) => ({
      ...document,
      locate: (field) => locateField(places, within(path, field)),
    })),
    faults,
  };
}

/** How many values there are, as far as one more than are allowed. */
function countValues(value: unknown, allowed: number): number {
  let count = 1;
  if (value === null || typeof value !== 'object') return count;
  for (const member of Object.values(value)) {
    if (count > allowed) return count;
    count += countValues(member, allowed - count);
  }
  return count;
}

function within(path: string, field: string): string {
  return path === '' ? field : `${path}.${field.replace(/^\./, '')}`;
}

function parseStream(file: string, text: string): YamlStream | SourceFault {
  try {
    return parseYamlStream(text);
  } catch (error) {
    return { file, ...streamFault(error) };
  }
}

/** The content of a document, and where its parts stand. */
interface DocumentContent {
  readonly content: JsonObject;
  readonly place: Place;
  readonly places: PlaceNode;
}

function readDocument(document: Document.Parsed, file: string, { placeAt }: YamlStream): DocumentContent | SourceFault | undefined {
  const [error] = document.errors;
  if (error !== undefined) return { file, ...placeAt(error.pos[0]), message: explain(error) };
  if (document.contents === null) return undefined;
  const repeated = repeatedKey(document);
  if (repeated !== undefined) return { file, ...placeAt(repeated), message: REPEATED_KEY };
  const start = placeAt(document.contents.range[0]);
  let content: unknown;
  try {
    content = jsonOf(document, BOUNDS);
  } catch (thrown) {
    if (thrown instanceof RangeError) return { file, ...start, message: 'invalid YAML: it is nested too deeply' };
    if (!(thrown instanceof YamlValueError)) throw thrown;
    const tooMany = thrown.message.includes('aliases more often');
    const why = tooMany ? 'its aliases repeat too much text; write out what they stand for' : `it ${thrown.message}`;
    return { file, ...(thrown.offset === undefined ? start : placeAt(thrown.offset)), message: `invalid YAML: ${why}` };
  }
  if (content === null) return undefined;
  if (!isObject(content)) return { file, ...start, message: 'the document is not a resource; it must have apiVersion, kind and metadata' };
  return { content: content as JsonObject, place: start, places: placesIn(document.contents, placeAt) };
}

const BOUNDS = { maxDepth: YAML_BOUNDS.maxDepth, maxAliased: 4 * 1024 * 1024 };

/** The document as an object, or the items of the list that it is, or why it is a list that cannot be read. */
function objectsOf({ content, place, places }: DocumentContent, file: string): readonly PlainDocument[] | SourceFault {
  let objects: readonly DocumentObject[];
  try {
    objects = flattenList(content);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { file, ...locateField(places, error.faults[0]?.field ?? ''), message: error.message };
  }
  return objects.map((object) => ({ file, ...object, place: object.path === '' ? place : locateField(places, object.path), places }));
}

const TOO_MANY = `it holds more than ${MAX_VALUES} values; split the file`;
const REPEATED_KEY = 'invalid YAML: duplicate key; keep one of the two (Map keys must be unique)';

const EXPLANATIONS: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'a tab is used to indent; YAML requires spaces',
  MISSING_CHAR: 'a closing quote, bracket or colon is missing',
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BAD_ALIAS: 'the alias has no anchor before it',
};

function explain(error: YAMLError): string {
  if (error.message.includes('call stack')) return 'invalid YAML: it is nested too deeply';
  const explanation = EXPLANATIONS[error.code];
  return explanation === undefined ? `invalid YAML: ${sentence(error)}` : `invalid YAML: ${explanation} (${sentence(error)})`;
}

function sentence(error: unknown): string {
  return messageOf(error).split('\n')[0]?.replace(/[.:]$/, '') ?? '';
}

/**
 * The place of a field of a YAML node, or of the nearest part of it that is there. Reads the paths of the api-server:
 * `spec.users[0].name`, `.spec.kinds[kind="Cache"].fields`. Keys may hold dots; the longest key that fits wins.
 */
function locateField(root: PlaceNode, field: string): Place {
  let place = root.place;
  let node = root;
  let rest = field.replace(/^\./, '');
  while (rest !== '') {
    const step = stepInto(node, rest);
    if (step === undefined) break;
    place = step.place ?? place;
    ({ node, rest } = step);
  }
  return place ?? BEGINNING;
}

function stepInto({ pairs, items }: PlaceNode, rest: string): Step | undefined {
  if (pairs !== undefined) return stepIntoMap(pairs, rest);
  return items === undefined ? undefined : stepIntoSequence(items, rest);
}

function stepIntoMap(pairs: NonNullable<PlaceNode['pairs']>, rest: string): Step | undefined {
  const bracketed = /^\[([^\]]+)\]/.exec(rest);
  const [best] = pairs
    .filter(({ key }) => key !== '' && (bracketed?.[1] === key || (rest.startsWith(key) && /^([.[]|$)/.test(rest.slice(key.length)))))
    .toSorted((a, b) => b.key.length - a.key.length);
  if (best === undefined) return undefined;
  const used = bracketed?.[1] === best.key ? bracketed[0].length : best.key.length;
  return { place: best.place, node: best.value, rest: rest.slice(used).replace(/^\./, '') };
}

function stepIntoSequence(items: readonly PlaceNode[], rest: string): Step | undefined {
  const bracket = /^\[([^\]]*)\]\.?/.exec(rest);
  if (bracket === null) return undefined;
  const [all, inside = ''] = bracket;
  const found = /^\d+$/.test(inside) ? items[Number(inside)] : items.find((item) => matches(item, inside));
  return found === undefined ? undefined : { place: found.place, node: found, rest: rest.slice(all.length) };
}

/** Whether a list's item is the one that `kind="Cache",name="x"`, or `="Cache"` for a set, is about. */
function matches(item: PlaceNode, selector: string): boolean {
  const pairs = [...selector.matchAll(/([^=,]*)="([^"]*)"/g)];
  const textAt = (key: string): string | undefined => (key === '' ? item.text : item.pairs?.find((pair) => pair.key === key)?.value.text);
  return pairs.length > 0 && pairs.every(([, key = '', value]) => textAt(key) === value);
}

/** The places within a YAML node. What an alias stands for is where its anchor is, so nothing is below it. */
function placesIn(node: unknown, placeAt: YamlStream['placeAt']): PlaceNode {
  const place = placeOf(node, placeAt);
  const at = place === undefined ? {} : { place };
  if (isScalar(node)) return { ...at, text: String(node.value).slice(0, MAX_TEXT_LENGTH) };
  if (isSeq(node)) return { ...at, items: node.items.map((item) => placesIn(item, placeAt)) };
  if (!isMap(node)) return at;
  const pairs = node.items.filter((item) => isPair(item));
  return {
    ...at,
    pairs: pairs.map((pair): PlacePair => {
      const key = placeOf(pair.key, placeAt);
      return {
        key: isScalar(pair.key) ? String(pair.key.value) : '',
        ...(key === undefined ? {} : { place: key }),
        value: placesIn(pair.value, placeAt),
      };
    }),
  };
}

function placeOf(node: unknown, placeAt: YamlStream['placeAt']): Place | undefined {
  const offset = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
  return offset === undefined ? undefined : placeAt(offset);
}
