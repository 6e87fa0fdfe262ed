import { type WrittenMember, type WrittenValue, writtenValues } from '../domain/yaml/written-values.ts';
import { isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';

const DEEPEST = 40;

/**
 * A schema for a chart that has none, from its values.yaml as Helm reads it: comments become descriptions and values become defaults. Its types choose the controls of
 * forms and reject nothing: a chart without a schema takes any value (`openStructure`). What hints tell of it is not part of it.
 *
 * @param text values.yaml, which has been parsed before: it is YAML within the bounds for charts.
 */
export function inferSchema(text: string): JsonObject {
  const written = writtenValues(text);
  return written.value === null ? { type: 'object' } : schemaOf(written, 0);
}

function schemaOf({ value, members }: WrittenValue, depth: number): JsonObject {
  if (depth > DEEPEST) return {};
  if (Array.isArray(value)) return listSchema(value as readonly Json[], depth);
  return isObject(value) ? mapSchema(members(), depth) : scalarSchema(value);
}

function mapSchema(members: readonly WrittenMember[], depth: number): JsonObject {
  const properties = members.map((member): [string, JsonObject] => [member.key, inferMember(member, depth + 1)]);
  if (properties.length === 0) return { type: 'object', additionalProperties: true };
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

/** The same for one value of values.yaml. */
export function inferMember(member: WrittenMember, depth = 1): JsonObject {
  const { above, beside } = member;
  const description = descriptionOf(above, beside);
  const schema = emptyScalar(member.value, saidType(`${above}\n${beside}`)) ?? schemaOf(member, depth);
  return { ...schema, ...(description === '' ? {} : { description }) };
}

/** A scalar that is empty says nothing of itself: its comment does, where it names a type. */
function emptyScalar(content: Json, said: string): JsonObject | undefined {
  const type = TYPES[said];
  if (type === undefined || (content !== '' && content !== null)) return undefined;
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
function listSchema(value: readonly Json[], depth: number): JsonObject {
  const isTexts = value.length > 0 && value.every((item) => typeof item === 'string');
  return { type: 'array', ...(isTexts ? { items: { type: 'string' } } : {}), ...(depth === 0 ? {} : { default: value }) };
}

/** Of an empty text the default alone is known, so that hints may tell that it stands for an object or a list. */
function scalarSchema(value: Json): JsonObject {
  if (value === null) return {};
  if (value === '') return { default: '' };
  if (typeof value === 'string') return { type: 'string', default: value };
  return typeof value === 'boolean' ? { type: 'boolean', default: value } : { type: ['number', 'string'], default: value };
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
