import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { Json } from '../kubernetes/resource.ts';
import { resolvePlain, resolveTagged, YAML_TAG } from './resolve-scalar.ts';

/** What is wrong with a document, and where in its text. */
export class YamlValueError extends Error {
  readonly offset: number | undefined;

  constructor(message: string, node?: unknown) {
    super(message);
    this.offset = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
  }
}

interface ValueBounds {
  readonly maxDepth: number;
  /** How much aliases may add to a document, in characters. */
  readonly maxAliased: number;
}

/** A value, and about how many characters it takes when it is written out. */
interface Sized {
  readonly value: Json;
  readonly size: number;
}

/** What the values of one document are made with. */
interface Scope {
  /** By anchor; undefined while the value of the anchor is being read. */
  readonly anchors: Map<string, Sized | undefined>;
  /** Maps with keys that are no text: to merge them could make one key of two. */
  readonly typed: WeakSet<object>;
  /** What aliases may still add. */
  left: number;
}

/**
 * The JSON value of a node of a document that was parsed with the failsafe schema, as go-yaml v2 and sigs.k8s.io/yaml have it: the last of duplicate
 * keys wins, and a merge (`<<`) wins over the keys before it. Integers keep their 64 bits. Aliases share what they stand for.
 *
 * @throws YamlValueError as a clause about the text; RangeError for one that is nested too deeply.
 */
export function yamlValue(node: unknown, { maxDepth, maxAliased }: ValueBounds): Json {
  return read(node, { anchors: new Map(), typed: new WeakSet(), left: maxAliased }, maxDepth).value;
}

function read(node: unknown, scope: Scope, depth: number): Sized {
  if (depth < 0) throw new RangeError('too deep');
  if (node === null || node === undefined) return { value: null, size: 4 };
  if (isAlias(node)) return aliased(node.source, scope, node);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) scope.anchors.set(anchor, undefined);
  const sized = readContent(node, scope, depth);
  if (anchor !== undefined) scope.anchors.set(anchor, sized);
  return sized;
}

function readContent(node: unknown, scope: Scope, depth: number): Sized {
  if (isScalar(node)) return readScalar(node);
  if (isSeq(node)) {
    checkTag(node, 'seq');
    const items = node.items.map((item) => read(item, scope, depth - 1));
    return { value: items.map(({ value }) => value), size: items.reduce((sum, { size }) => sum + size + 2, 2) };
  }
  if (!isMap(node)) throw new YamlValueError('holds a node that is no value', node);
  checkTag(node, 'map');
  return readMap(node, scope, depth);
}

function checkTag(node: { readonly tag?: string }, expected: string): void {
  const { tag } = node;
  if (tag === undefined || tag === `${YAML_TAG}${expected}`) return;
  throw new YamlValueError(`has the tag ${tag.slice(0, 100)}, which is not supported here; remove it`, node);
}

function readScalar(node: Scalar): Sized {
  const text = node.source ?? String(node.value);
  const resolved =
    node.tag !== undefined
      ? resolveTagged(node.tag, text)
      : node.type === 'PLAIN' || node.type === undefined
        ? resolvePlain(text)
        : ({ kind: 'Value', value: text } as const);
  if (resolved.kind === 'Unsupported') throw new YamlValueError(resolved.message, node);
  return { value: resolved.value, size: text.length + 2 };
}

function aliased(anchor: string, scope: Scope, node: unknown): Sized {
  const known = scope.anchors.get(anchor);
  if (known === undefined)
    throw new YamlValueError(scope.anchors.has(anchor) ? 'has an alias within its own anchor' : 'has an alias without an anchor', node);
  scope.left -= known.size;
  if (scope.left < 0) throw new YamlValueError('expands its aliases more often than is allowed', node);
  return known;
}

function readMap(node: YAMLMap, scope: Scope, depth: number): Sized {
  const entries = new Map<string, Json>();
  const kinds = new Map<string, string>();
  let size = 2;
  for (const pair of node.items as readonly Pair[]) {
    const named = isMerge(pair.key) ? undefined : readKey(pair.key, scope);
    const value = read(pair.value, scope, depth - 1);
    size += value.size;
    if (named === undefined) {
      merge(entries, value.value, scope, pair);
      continue;
    }
    const [key, kind] = named;
    // To go-yaml they are two, and which of them the JSON has is left to chance.
    if ((kinds.get(key) ?? kind) !== kind) throw new YamlValueError(`has the key ${key} twice, as values of two types`, pair.key);
    kinds.set(key, kind);
    size += key.length + 4;
    entries.set(key, value.value);
  }
  // Entries are defined, not assigned, so that a key `__proto__` stays a plain key.
  const value = Object.fromEntries(entries);
  if ([...kinds.values()].some((kind) => kind !== 'string')) scope.typed.add(value);
  return { value, size };
}

/** Whether a key merges the value into its map: `<<`. */
export function isMerge(key: unknown): boolean {
  return isScalar(key) && key.source === '<<' && (key.tag === undefined ? key.type === 'PLAIN' : key.tag === `${YAML_TAG}merge`);
}

function merge(entries: Map<string, Json>, merged: Json, { typed }: Scope, pair: Pair): void {
  // The first of several wins.
  const sources = Array.isArray(merged) ? (merged as readonly Json[]).toReversed() : [merged];
  for (const source of sources) {
    if (source === null || typeof source !== 'object' || Array.isArray(source))
      throw new YamlValueError('merges (<<) what is not a map', pair.key);
    if (typed.has(source)) throw new YamlValueError('merges (<<) a map with keys that are not text', pair.key);
    for (const [key, value] of Object.entries(source)) entries.set(key, value ?? null);
  }
}

/** A key, and of which type it was before it became text. */
function readKey(node: unknown, scope: Scope): readonly [key: string, kind: string] {
  const { value } = read(node, scope, 1);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return [String(value), typeof value];
  if (typeof value !== 'number') throw new YamlValueError('has a key that is not text; quote it', node);
  if (Number.isSafeInteger(value) && !isFloat(node)) return [String(value), 'number'];
  // sigs.k8s.io/yaml writes floats with the precision of 32 bits.
  if (/^-?\d{1,3}\.\d{1,3}$/.test(String(value))) return [String(value), 'float'];
  throw new YamlValueError('has a key that is a float; quote it', node);
}

/** Whether a number is a float to go-yaml though it has no fraction. */
function isFloat(node: unknown): boolean {
  return !isScalar(node) || /[.eE]|^[-+]?0[89]/.test(node.source ?? '');
}
