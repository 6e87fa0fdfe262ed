import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, Scalar } from 'yaml';
import { AppError } from '../core/errors.ts';
import { editableYaml, parseYamlDocuments, YAML_BOUNDS } from '../core/bounded-yaml.ts';
import { stringifyJson } from '../core/exact-json.ts';
import { applyMergePatch, isSame } from '../core/merge-patch.ts';
import { isObject, textAt } from '../core/read.ts';
import { manifestYaml } from '../instance/instance-commands.ts';
import { parseApiVersion, type JsonObject } from '../kubernetes/resource.ts';

/** The resource that a document of a file describes. The version of its API does not tell two resources apart. */
export interface DocumentTarget {
  readonly group: string;
  readonly kind: string;
  /** Undefined for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name: string;
  /** Of namespaced documents without a namespace. */
  readonly defaultNamespace?: string;
}

/** A line that begins a document; what follows `---` in the same line belongs to the document. */
const BOUNDARY = /^---(?=[ \t]*(?:#.*)?$)/m;
/** The namespace of a namespaced document without one, as for kubectl. */
const DEFAULT_NAMESPACE = 'default';
const LARGEST = 1024 * 1024;

/** Whether a file has the document of a resource. A file that cannot be parsed has none. */
export function hasDocument(text: string, target: DocumentTarget): boolean {
  return chunksOf(text).some((chunk) => describes(chunk, target));
}

/**
 * Lays a JSON Merge Patch over the one document of a file that describes a resource. All other documents stay as they are to the byte, and so does the document
 * itself where only scalars change; otherwise it is written anew with its comments and the order of its keys. Lists change item by item.
 *
 * @throws AppError `ProposalImpossible` when there is no such document, or when an alias stands where the change is.
 */
export function patchDocument(text: string, target: DocumentTarget, patch: JsonObject): string {
  const chunks = chunksOf(text);
  const index = chunks.findIndex((chunk) => describes(chunk, target));
  const chunk = chunks[index];
  if (chunk === undefined) throw impossible(`the file has no document of ${target.kind} ${target.name}`);
  const before = parsed(chunk);
  const wanted = applyMergePatch(before, patch);
  if (isSame(before, wanted)) return text;
  const [head = ''] = /^---[^\n]*\n?/.exec(chunk) ?? [];
  const changed = head + patched(chunk.slice(head.length), before, wanted);
  if (!isSame(parsed(changed), wanted))
    throw impossible('the change cannot be written into the YAML of this file; change the file by hand');
  return chunks.with(index, changed).join('');
}

/** Adds a document at the end of a file; an absent file begins with it. */
export function addDocument(text: string | undefined, object: object): string {
  const document = manifestYaml(object);
  if (text === undefined || text.trim() === '') return document;
  return `${text.endsWith('\n') ? text : `${text}\n`}---\n${document}`;
}

/** Adds a resource to a kustomization, in the style of its list. */
export function addToKustomization(text: string, resource: string): string {
  const document = parseDocument(text, { keepSourceTokens: true, uniqueKeys: false });
  const resources = document.get('resources');
  if (document.errors.length > 0 || (resources !== undefined && !isSeq(resources)))
    throw impossible('its kustomization.yaml cannot be parsed; correct it first');
  const [first] = isSeq(resources) ? resources.items : [];
  if (!isSeq(resources) || resources.flow === true || first === undefined) {
    document.setIn(['resources'], [...(isSeq(resources) ? resources.items : []), resource]);
    return document.toString({ lineWidth: 0 });
  }
  const last = resources.items.at(-1);
  const [, end = text.length] = isScalar(last) ? (last.range ?? []) : [];
  const begin = isScalar(first) ? (first.range?.[0] ?? 0) : 0;
  const lineStart = text.lastIndexOf('\n', begin) + 1;
  const lineEnd = text.indexOf('\n', end);
  const at = lineEnd === -1 ? text.length : lineEnd;
  return `${text.slice(0, at)}\n${text.slice(lineStart, begin)}${scalarText(resource)}${text.slice(at)}`;
}

/** The texts of the documents; joined again, they are the file. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  let rest = text;
  for (let at = rest.slice(1).search(BOUNDARY); at >= 0; at = rest.slice(1).search(BOUNDARY)) {
    chunks.push(rest.slice(0, at + 1));
    rest = rest.slice(at + 1);
  }
  return [...chunks, rest];
}

function describes(chunk: string, target: DocumentTarget): boolean {
  // A cheap look first: parsing every file of a large repository takes seconds.
  if (!chunk.includes(target.name) || !chunk.includes(target.kind)) return false;
  let content: unknown;
  try {
    content = parsed(chunk);
  } catch {
    return false;
  }
  const namespace =
    target.namespace === undefined ? undefined : (textAt(content, 'metadata', 'namespace') ?? target.defaultNamespace ?? DEFAULT_NAMESPACE);
  return (
    textAt(content, 'kind') === target.kind &&
    parseApiVersion(textAt(content, 'apiVersion') ?? '').group === target.group &&
    textAt(content, 'metadata', 'name') === target.name &&
    namespace === target.namespace
  );
}

function parsed(chunk: string): unknown {
  return parseYamlDocuments(chunk, { ...YAML_BOUNDS, maxCharacters: LARGEST, maxDocuments: 2 }).find((content) => content !== null);
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** First in place, scalar by scalar; where keys or items come or go, by the document of the parser. */
function patched(chunk: string, before: unknown, wanted: unknown): string {
  const document = editableYaml(chunk);
  const splices = splicesOf(document.contents, before, wanted);
  if (splices !== undefined) {
    let result = chunk;
    for (const { from, to, text } of splices.toSorted((a, b) => b.from - a.from)) result = result.slice(0, from) + text + result.slice(to);
    return result;
  }
  change(document, { path: [], before, wanted });
  return document.toString({ lineWidth: 0, indentSeq: indentsLists(chunk), flowCollectionPadding: !/\{\S/.test(chunk) });
}

/** Undefined when the change is more than other scalars, or when the layout does not say where a scalar ends. */
function splicesOf(node: unknown, before: unknown, wanted: unknown): readonly Splice[] | undefined {
  if (isSame(before, wanted)) return [];
  if (isAlias(node)) throw impossible('an alias (*name) stands where the change is; change the file by hand');
  if (isMap(node) && isObject(before) && isObject(wanted)) {
    const keys = Object.keys(wanted);
    if (Object.keys(before).some((key) => !Object.hasOwn(wanted, key)) || keys.some((key) => !Object.hasOwn(before, key))) return undefined;
    return joined(keys.map((key) => splicesOf(node.get(key, true), before[key], wanted[key])));
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(wanted) && before.length === wanted.length)
    return joined(wanted.map((item, index) => splicesOf(node.items[index], before[index], item)));
  if (!isScalar(node) || isObject(wanted) || Array.isArray(wanted)) return undefined;
  const isPlaced = node.range !== undefined && node.range !== null && node.source !== undefined && node.source !== '';
  const isInline = node.type === Scalar.PLAIN || node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
  if (!isPlaced || !isInline || node.anchor !== undefined || node.tag !== undefined) return undefined;
  const [from, to] = node.range ?? [0, 0];
  return [{ from, to, text: scalarText(wanted, node.type) }];
}

function joined(parts: readonly (readonly Splice[] | undefined)[]): readonly Splice[] | undefined {
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

/** In the quotes of the text before, where it has some; a text that could be read as more than text is quoted. */
function scalarText(value: unknown, type?: string): string {
  if (typeof value !== 'string') return stringifyJson(value ?? null);
  if (type === Scalar.QUOTE_SINGLE && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const plain = manifestYaml({ value }).slice('value: '.length).trimEnd();
  const isPlain = type !== Scalar.QUOTE_DOUBLE && !plain.includes('\n') && !/[,[\]{}]/.test(value);
  return isPlain ? plain : JSON.stringify(value);
}

interface Change {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly wanted: unknown;
}

function change(document: Document, { path, before, wanted }: Change): void {
  if (isSame(before, wanted)) return;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isAlias(node)) throw impossible('an alias (*name) stands where the change is; change the file by hand');
  if (isMap(node) && isObject(before) && isObject(wanted)) {
    for (const key of Object.keys(before)) if (!Object.hasOwn(wanted, key)) document.deleteIn([...path, key]);
    for (const [key, value] of Object.entries(wanted)) change(document, { path: [...path, key], before: before[key], wanted: value });
    // The parser would write an empty map as `{}` only where it is a flow collection.
    node.flow = node.items.length === 0 ? true : (node.flow ?? false);
    return;
  }
  if (isSeq(node) && Array.isArray(before) && Array.isArray(wanted)) {
    for (let index = before.length - 1; index >= wanted.length; index -= 1) document.deleteIn([...path, index]);
    wanted.forEach((item, index) => change(document, { path: [...path, index], before: before[index], wanted: item }));
    node.flow = node.items.length === 0 ? true : (node.flow ?? false);
    return;
  }
  if (isScalar(node) && !isObject(wanted) && !Array.isArray(wanted)) {
    node.value = wanted;
    delete node.source;
    return;
  }
  document.setIn(path, document.createNode(wanted, { aliasDuplicateObjects: false }));
}

/** Whether the lists of a text are indented below their keys. */
function indentsLists(text: string): boolean {
  const [, key = '', dash = ''] = /^( *)(?:- )?[\w."'/-]+:[ \t]*(?:#.*)?\n(?:[ \t]*#.*\n)*( *)- /m.exec(text) ?? [];
  return dash.length > key.length || dash === '';
}

function impossible(why: string): AppError {
  return new AppError('ProposalImpossible', `proposal: ${why}`);
}
