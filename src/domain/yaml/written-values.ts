import { isAlias, isMap, isNode, isScalar, isSeq, type Pair, visit } from 'yaml';
import { jsonOf, parseYamlStream } from '../core/bounded-yaml.ts';
import { stringifyJson } from '../core/exact-json.ts';
import { isObject } from '../core/read.ts';
import type { Json } from '../kubernetes/resource.ts';
import { isMerge, yamlValue } from './yaml-value.ts';

/** A value of a file of values, as Helm reads it, with what the file says about it. */
export interface WrittenValue {
  readonly value: Json;
  /** Its members where it is a map, in the order of the value; those that are merged into it are among them. */
  readonly members: () => readonly WrittenMember[];
}

export interface WrittenMember extends WrittenValue {
  readonly key: string;
  /** The comment above the key, and the one beside its value; empty where there is none. */
  readonly above: string;
  readonly beside: string;
  /** Where the key begins in the text. */
  readonly offset: number;
}

const KEY_BOUNDS = { maxDepth: 1, maxAliased: 0 };

/** What the file is read with: its aliases by node, and the pairs of each of its maps. */
interface Written {
  readonly targets: ReadonlyMap<unknown, unknown>;
  readonly pairs: Map<unknown, ReadonlyMap<string, CommentedPair>>;
}

interface CommentedPair {
  readonly pair: Pair;
  readonly above: string;
}

/**
 * The values of a file with their comments: YAML 1.1 as go-yaml has it, aliases and merge keys (`<<`) resolved.
 *
 * @param text has been parsed before: it is one YAML document within the bounds for charts.
 */
export function writtenValues(text: string): WrittenValue {
  const [document] = parseYamlStream(text).documents;
  if (document === undefined) return { value: null, members: () => [] };
  const anchors = new Map<string, unknown>();
  const targets = new Map<unknown, unknown>();
  visit(document, (_, node) => {
    if (isAlias(node)) targets.set(node, anchors.get(node.source));
    else if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) anchors.set(node.anchor, node);
  });
  return written(document.contents, jsonOf(document), { targets, pairs: new Map() });
}

function written(node: unknown, value: Json, file: Written): WrittenValue {
  return { value, members: () => membersOf(node, value, file) };
}

function membersOf(node: unknown, value: Json, file: Written): readonly WrittenMember[] {
  if (!isObject(value)) return [];
  const pairs = pairsOf(node, file);
  return Object.entries(value).flatMap(([key, member = null]): WrittenMember[] => {
    const found = pairs.get(key);
    if (found === undefined) return [];
    const { pair, above } = found;
    const beside = isNode(pair.value) ? (pair.value.comment ?? '') : '';
    const offset = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
    return [{ key, above, beside, offset, ...written(pair.value, member, file) }];
  });
}

/** By key, the later of two; what is merged counts from where it is merged. */
function pairsOf(node: unknown, file: Written): ReadonlyMap<string, CommentedPair> {
  const map = isAlias(node) ? file.targets.get(node) : node;
  const known = file.pairs.get(map);
  if (known !== undefined || !isMap(map)) return known ?? new Map<string, CommentedPair>();
  const found = new Map<string, CommentedPair>();
  for (const [index, pair] of (map.items as readonly Pair[]).entries()) {
    // The parser gives what stands above the first key to the map.
    const above = (isNode(pair.key) ? pair.key.commentBefore : undefined) ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    if (!isMerge(pair.key)) found.set(keyOf(pair.key, file), { pair, above });
    else for (const source of mergedInto(pair.value, file)) for (const [key, merged] of pairsOf(source, file)) found.set(key, merged);
  }
  file.pairs.set(map, found);
  return found;
}

/** The first of several wins, so it comes last. */
function mergedInto(node: unknown, { targets }: Written): readonly unknown[] {
  const source = isAlias(node) ? targets.get(node) : node;
  return isSeq(source) ? source.items.toReversed() : [source];
}

function keyOf(node: unknown, { targets }: Written): string {
  const key = yamlValue(isAlias(node) ? targets.get(node) : node, KEY_BOUNDS);
  return typeof key === 'string' ? key : stringifyJson(key);
}
