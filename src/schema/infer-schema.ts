import { isMap, isScalar, isSeq, parseDocument, type Pair, type ParsedNode } from 'yaml';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';

const DEEPEST = 40;

/**
 * A schema for a chart that has none, from its values.yaml: comments become descriptions and values become defaults. It widens rather than
 * guesses: a number may become text, what is empty may become anything, and every map takes keys that it does not name. What hints tell of it is not part of it.
 *
 * @param text values.yaml, which has been parsed before: it is YAML within the bounds for charts.
 */
export function inferSchema(text: string): JsonObject {
  const { contents } = parseDocument(text, { merge: true, uniqueKeys: false });
  return contents === null ? { type: 'object' } : schemaOf(contents, 0);
}

function schemaOf(node: ParsedNode | null, depth: number): JsonObject {
  if (depth > DEEPEST) return {};
  if (isMap(node)) return mapSchema(node.items, depth);
  if (isSeq(node)) return listSchema(node.items, node.toJSON() as Json, depth);
  return isScalar(node) ? scalarSchema(node.value) : {};
}

function mapSchema(pairs: readonly Pair<ParsedNode, ParsedNode | null>[], depth: number): JsonObject {
  const properties = pairs.flatMap(({ key, value }): [string, JsonObject][] => {
    if (!isScalar(key)) return [];
    const description = descriptionOf(key.commentBefore ?? '', value?.comment ?? '');
    const said = saidType(`${key.commentBefore ?? ''}\n${value?.comment ?? ''}`);
    const schema = emptyScalar(value, said) ?? schemaOf(value, depth + 1);
    return [[String(key.value), { ...schema, ...(description === '' ? {} : { description }) }]];
  });
  if (properties.length === 0) return { type: 'object', additionalProperties: true };
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

/** A scalar that is empty says nothing of itself: its comment does, where it names a type. */
function emptyScalar(value: ParsedNode | null, said: string): JsonObject | undefined {
  const content = isScalar(value) ? value.value : null;
  if ((value !== null && !isScalar(value)) || (content !== '' && content !== null)) return undefined;
  const type = TYPES[said];
  if (type === undefined) return undefined;
  return content === '' && type !== 'string'
    ? { type: [type, 'string'], default: '' }
    : { type, ...(content === '' ? { default: '' } : {}) };
}

/** The types of scalars that comments name, as helm-docs and the generator of Bitnami have them: `# -- (int) …`, `## @param replicas [number] …`. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  int: 'integer',
  integer: 'integer',
  number: 'number',
  float: 'number',
  bool: 'boolean',
  boolean: 'boolean',
};

function saidType(comment: string): string {
  return (
    /^[ #]*(?:--\s*\(([a-z]+)\)|@param\s+\S+\s+\[([a-z]+)[^\]\n]*\])/m
      .exec(comment)
      ?.slice(1)
      .find((type) => type !== undefined) ?? ''
  );
}

/** Rows are typed only where all of them are plain texts; other lists are left to YAML. */
function listSchema(items: readonly ParsedNode[], value: Json, depth: number): JsonObject {
  const isTexts = items.length > 0 && items.every((item) => isScalar(item) && typeof item.value === 'string');
  return { type: 'array', ...(isTexts ? { items: { type: 'string' } } : {}), ...(depth === 0 ? {} : { default: value }) };
}

function scalarSchema(value: unknown): JsonObject {
  if (value === '') return { default: '' };
  if (typeof value === 'string') return { type: 'string', default: value };
  if (typeof value === 'boolean') return { type: 'boolean', default: value };
  return typeof value === 'number' ? { type: ['number', 'string'], default: value } : {};
}

/** The comment above a key, without the comment markers of chart documentation tools, else the one beside its value. */
function descriptionOf(above: string, beside: string): string {
  const lines = (above.trim() === '' ? beside : above).split('\n').map((line) => line.trim());
  const last = lines.lastIndexOf('');
  return lines
    .slice(last + 1)
    .map((line) => line.replace(/^(--|@param\s+\S+)\s*/, ''))
    .filter((line) => !line.startsWith('@') && !/^[#=-]+$/.test(line))
    .join(' ')
    .trim();
}
