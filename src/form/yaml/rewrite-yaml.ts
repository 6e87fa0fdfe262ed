import { isMap, isNode, isPair, isScalar, isSeq, type Document, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { editableYaml } from '../../domain/core/bounded-yaml.ts';
import { exactNumber, stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isSafeText, readYaml, sameJson, writeYaml } from '../../schema/yaml-text.ts';
import { commentLines, commentsIn, joinComments } from './comments.ts';
import { keyText } from './place-in-yaml.ts';

/**
 * Changes a YAML text so that it holds a value, and leaves the rest as somebody wrote it: comments, the order of keys, quotes. Comments on what
 * goes away move to what follows it; where no better place is left, they stand on top.
 *
 * @param within the member of the text that is the value: `spec` in a whole resource; without it the text is the value itself.
 * @returns the same text when it holds the value already; fresh YAML when the text cannot be read.
 */
export function rewriteYaml(text: string, value: Json, within?: string): string {
  const read = readYaml(text);
  if (read.fault !== undefined) return writeYaml(value);
  const before = read.value ?? {};
  const wanted = within === undefined ? value : { ...(isObject(before) ? before : {}), [within]: value };
  if (sameJson(before, wanted)) return text;
  const document = editableYaml(text);
  document.contents = (edit(document, document.contents, wanted) as typeof document.contents) ?? null;
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const isExact = isSafeText(written) && sameJson(readYaml(written).value, wanted);
  return withComments(isExact ? written : writeYaml(wanted), commentLines(text));
}

/** The text with those comment lines on top that it has lost. */
function withComments(text: string, comments: readonly string[]): string {
  const left = new Map<string, number>();
  for (const comment of commentLines(text)) left.set(comment, (left.get(comment) ?? 0) + 1);
  const lost = comments.filter((comment) => {
    const found = left.get(comment) ?? 0;
    left.set(comment, found - 1);
    return found < 1;
  });
  return lost.length === 0 ? text : `${lost.map((comment) => `#${comment}\n`).join('')}${text}`;
}

function edit(document: Document, node: unknown, value: Json): Node {
  if (isMap(node) && isObject(value)) return editMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return editSeq(document, node, value as readonly Json[]);
  if (isScalar(node) && sameJson(jsonOf(node), value)) return node;
  return replacement(document, node, value);
}

/** A new node in the place of another, whose comments it takes over; a text keeps its quotes. */
function replacement(document: Document, node: unknown, value: Json): Node {
  const made = document.createNode(value, { aliasDuplicateObjects: false });
  if (isScalar(made) && isScalar(node)) {
    if (typeof made.value === 'string' && typeof node.value === 'string' && node.type !== undefined) made.type = node.type;
    if (typeof node.comment === 'string') made.comment = node.comment;
    if (typeof node.commentBefore === 'string') made.commentBefore = node.commentBefore;
  } else if (isNode(node)) {
    made.commentBefore = joinComments(commentsIn(node));
  }
  if (isNode(node) && node.spaceBefore === true) made.spaceBefore = true;
  return made;
}

function editMap(document: Document, map: YAMLMap, value: JsonObject): YAMLMap {
  const known = new Set<string>();
  const kept: Pair[] = [];
  let homeless: string[] = [];
  for (const pair of map.items) {
    const key = keyText(pair.key);
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member === undefined || known.has(key)) {
      homeless.push(...commentsIn(pair));
      continue;
    }
    known.add(key);
    pair.value = edit(document, pair.value, member);
    if (homeless.length > 0 && isNode(pair.key)) {
      pair.key.commentBefore = joinComments([...homeless, pair.key.commentBefore]);
      homeless = [];
    }
    kept.push(pair);
  }
  for (const [key, member] of Object.entries(value)) {
    if (!known.has(key) && member !== undefined) kept.push(document.createPair(key, member, { aliasDuplicateObjects: false }));
  }
  map.items = kept;
  if (homeless.length > 0) map.comment = joinComments([...homeless, map.comment]);
  return map;
}

/** Rows that are still there keep their comments wherever they moved; the others are taken for changed ones, in their order. */
function editSeq(document: Document, list: YAMLSeq, values: readonly Json[]): YAMLSeq {
  const rows = matchRows(list.items.map(jsonOf), values);
  const used = new Set(rows.filter((row) => row !== undefined));
  const lost = list.items.filter((_, index) => !used.has(index)).flatMap(commentsIn);
  const nodes = list.items;
  list.items = values.map((value, index) => {
    const row = rows[index];
    return row === undefined ? document.createNode(value, { aliasDuplicateObjects: false }) : edit(document, nodes[row], value);
  });
  if (lost.length > 0) list.comment = joinComments([...lost, list.comment]);
  return list;
}

/** For each new row the old one that it was. */
function matchRows(old: readonly Json[], values: readonly Json[]): (number | undefined)[] {
  const texts = old.map((value) => stringifyJson(value));
  const backwards = old.map((_, index) => old.length - 1 - index);
  const free = Map.groupBy(backwards, (index) => texts[index]);
  const rows = values.map((value) => free.get(stringifyJson(value))?.pop());
  const used = new Set(rows);
  const others = backwards.filter((index) => !used.has(index));
  return rows.map((row) => row ?? others.pop());
}

function jsonOf(node: unknown): Json {
  if (isPair(node)) return null;
  if (isScalar(node)) return typeof node.value === 'bigint' ? (exactNumber(String(node.value)) ?? null) : ((node.value ?? null) as Json);
  if (isSeq(node)) return node.items.map(jsonOf);
  if (isMap(node)) return Object.fromEntries(node.items.map((pair) => [keyText(pair.key), jsonOf(pair.value)]));
  return null;
}
