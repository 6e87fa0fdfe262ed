import { RE2JS } from 're2js';
import { isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { mergeBranches } from '../branches.ts';
import { INFERRED } from '../inferred-members.ts';
import { type Resolved, resolveSchema, type SchemaDocument } from '../resolve-schema.ts';
import { ANYTHING, openStructure } from './open-structure.ts';

const DEEPEST = 40;
/** Of the walk over one schema; a step is about a microsecond. */
const MAX_WORK = 300_000;
const MAX_OPTIONS = 500;
const MAX_DESCRIPTION = 1_000;

/**
 * The structural schema of a JSON Schema of any draft, as a CustomResourceDefinition can have it: it takes every value that the JSON Schema takes, and keeps
 * every field of it. What a structural schema cannot say is left out, so that it takes more. Defaults are not part of it, so that those of a
 * chart can change.
 *
 * Values are layers over those of a chart: a field of a map can be missing, because the chart has it, or `null`, which takes it away. Rows of lists are whole.
 */
export function structuralSchema(root: JsonObject): JsonObject {
  const document: SchemaDocument = { root, work: { left: MAX_WORK } };
  return nodeOf(document, { schema: root, refs: [], depth: 0, part: 'Layer' });
}

interface Place {
  readonly schema: Json | undefined;
  readonly refs: readonly string[];
  readonly depth: number;
  /** `Row`: within a list. */
  readonly part: 'Layer' | 'Row';
}

type Node = Place & { readonly schema: JsonObject };

function nodeOf(document: SchemaDocument, place: Place): JsonObject {
  const resolved = resolveSchema(document, withoutSiblings(document, place.schema), place.refs);
  if (resolved.schema === undefined || place.depth > DEEPEST) return { ...ANYTHING, ...described(place.schema) };
  if (resolved.schema[INFERRED] === true) return openStructure(withMark(resolved.schema));
  const refs = new Set(resolved.refs);
  const resolver = (branch: Json | undefined): Resolved => {
    const found = resolveSchema(document, branch, resolved.refs);
    if (found.schema !== undefined) for (const ref of found.refs) refs.add(ref);
    return found;
  };
  // Alternatives that do not come down to one schema are left out: each of them only restricts what stands beside them.
  const merged = mergeBranches(resolved.schema, resolver);
  const schema = merged.reason === undefined && merged.choice === undefined ? merged.schema : resolved.schema;
  const node = { ...place, schema, refs: [...refs], depth: place.depth + 1 };
  return { ...shapeOf(document, node), ...(isNullable(schema, place.part) ? { nullable: true } : {}), ...described(schema) };
}

/** Says where a field comes from that the schema of the chart does not describe. */
function withMark(schema: JsonObject): JsonObject {
  const description = textAt(schema, 'description') ?? '';
  const mark = 'Inferred from values.yaml; the schema of the chart does not describe it.';
  return { ...schema, description: `${description}${/\w$/.test(description) ? '.' : ''} ${mark}`.trim() };
}

/** Up to draft 7, what stands beside a reference does not count. */
function withoutSiblings({ root }: SchemaDocument, schema: Json | undefined): Json | undefined {
  const isOld = /draft-0[34567]/.test(textAt(root, '$schema') ?? '');
  return isOld && isObject(schema) && typeof schema['$ref'] === 'string' ? { $ref: schema['$ref'], ...described(schema) } : schema;
}

function isNullable({ type, nullable }: JsonObject, part: Place['part']): boolean {
  return part === 'Layer' || nullable === true || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

function shapeOf(document: SchemaDocument, node: Node): JsonObject {
  const { schema } = node;
  const given = typeof schema['type'] === 'string' ? [schema['type']] : listAt(schema, 'type');
  const types = [...new Set(given)].filter((type) => type !== 'null');
  const [only] = types;
  if (types.length === 2 && types.includes('integer') && types.includes('string')) return { 'x-kubernetes-int-or-string': true };
  if (types.length > 1 || given.length > types.length + 1) return ANYTHING;
  switch (only) {
    case 'object':
      return { type: 'object', ...membersOf(document, node) };
    case 'array':
      return listOf(document, node);
    case 'string':
      return { type: 'string', ...textLimits(schema), ...optionsOf(node, 'string') };
    case 'boolean':
      return { type: 'boolean', ...optionsOf(node, 'boolean') };
    case 'integer':
    case 'number':
      return { type: only, ...numberLimits(schema) };
    default:
      // Without a type, members count for maps alone, and other values may be there, too.
      return isObject(schema['properties']) && given.length === 0 ? { ...membersOf(document, node), ...ANYTHING } : ANYTHING;
  }
}

function membersOf(document: SchemaDocument, { schema, ...place }: Node): JsonObject {
  const members = Object.entries(objectAt(schema, 'properties') as JsonObject);
  const others = schema['additionalProperties'];
  const isPatterned = isObject(schema['patternProperties']);
  const rows = place.part === 'Row' ? rowLimits(schema) : {};
  if (members.length === 0 && isObject(others) && !isPatterned) {
    return { additionalProperties: nodeOf(document, { ...place, schema: others }), ...rows };
  }
  const properties = members.map(([name, member]): [string, JsonObject] => [name, nodeOf(document, { ...place, schema: member })]);
  const isClosed = others === false && !isPatterned;
  return {
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(isClosed ? {} : ANYTHING),
    ...rows,
  };
}

/** Only rows are whole: what a map lacks, a lower layer may have. */
function rowLimits(schema: JsonObject): JsonObject {
  const required = [...new Set(textsAt(schema, 'required'))];
  return { ...(required.length === 0 ? {} : { required }), ...counts(schema, ['minProperties', 'maxProperties']) };
}

function listOf(document: SchemaDocument, { schema, ...place }: Node): JsonObject {
  const { items } = schema;
  const isTyped = isObject(items) && schema['prefixItems'] === undefined;
  return {
    type: 'array',
    items: isTyped ? nodeOf(document, { ...place, schema: items, part: 'Row' }) : ANYTHING,
    ...counts(schema, ['minItems', 'maxItems']),
  };
}

function textLimits(schema: JsonObject): JsonObject {
  const pattern = textAt(schema, 'pattern');
  const same = pattern === undefined ? undefined : goPattern(pattern);
  return {
    ...counts(schema, ['minLength', 'maxLength']),
    ...(same === undefined ? {} : { pattern: same }),
    // Other formats are no more than hints in most drafts.
    ...(schema['format'] === 'password' ? { format: 'password' } : {}),
  };
}

/**
 * Options of one type; numbers are left out, as 1 and 1.0 are the same in JSON Schema only. To the api-server `null` is none of the options, whatever the list
 * holds, so where `null` may be, texts have a pattern instead.
 */
function optionsOf({ schema, part }: Node, type: 'string' | 'boolean'): JsonObject {
  const options = schema['const'] === undefined ? listAt(schema, 'enum') : [schema['const']];
  const own = [...new Set(options.filter((option) => typeof option === type))];
  // A list without one of the type takes no value at all, which is for the JSON Schema to say.
  if (own.length === 0 || own.length > MAX_OPTIONS) return {};
  if (!isNullable(schema, part)) return { enum: own as readonly Json[] };
  return type === 'string' ? { pattern: `^(?:${own.map((option) => escaped(String(option))).join('|')})$` } : {};
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Limits that are whole numbers of 64 bits to the api-server. */
function counts(schema: JsonObject, keywords: readonly string[]): JsonObject {
  const found = keywords.flatMap((keyword): [string, Json][] => {
    const limit = numberAt(schema, keyword);
    return limit !== undefined && Number.isSafeInteger(limit) && limit >= 0 ? [[keyword, limit]] : [];
  });
  return Object.fromEntries(found);
}

/** The api-server counts with 64 bits, and reckons whole values with the whole part of a limit. */
function numberLimits(schema: JsonObject): JsonObject {
  const step = numberAt(schema, 'multipleOf') ?? 0;
  return {
    ...limitOf(schema, 'minimum', 'exclusiveMinimum'),
    ...limitOf(schema, 'maximum', 'exclusiveMaximum'),
    ...(Number.isSafeInteger(step) && step > 0 && schema['type'] === 'integer' ? { multipleOf: step } : {}),
  };
}

/** Up to draft 4 `exclusiveMinimum` is a boolean beside `minimum`, then a limit of its own; of two limits one counts. */
function limitOf(schema: JsonObject, keyword: 'minimum' | 'maximum', exclusive: 'exclusiveMinimum' | 'exclusiveMaximum'): JsonObject {
  const own = numberAt(schema, exclusive);
  const limit = own ?? numberAt(schema, keyword);
  if (limit === undefined || Math.abs(limit) > Number.MAX_SAFE_INTEGER) return {};
  const isExclusive = (own !== undefined || schema[exclusive] === true) && Number.isInteger(limit);
  return { [keyword]: limit, ...(isExclusive ? { [exclusive]: true } : {}) };
}

function described(schema: Json | undefined): JsonObject {
  const text = textAt(schema, 'description') ?? textAt(schema, 'title') ?? '';
  return text === '' ? {} : { description: text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text };
}

const MAX_LENGTH = 1_000;
/** The api-server takes no more in one pattern, repeats within repeats included. */
const MAX_REPEATS = 1_000;
/** Escapes that mean the same in both languages, or match more in Go's. */
const ESCAPE = /\\(.)/gs;
const SAME_ESCAPES = /^[dDwWbBSnrtfv.\\/()[\]{}|*+?^$\-"'#%&,:;<=>@_`~! ]$/;
/** Groups with a meaning of their own, classes by name, and escapes within a class that Go reads in another way. */
const FOREIGN = /\(\?(?!:)|\[\[:|\[\^?\]|\[[^\]]*\\[SbBDW][^\]]*\]/;

/**
 * A pattern of a JSON Schema (ECMA 262) where Go's regular expressions, which the api-server uses, match at least the same texts; undefined where they may
 * not, or cannot read it.
 */
function goPattern(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH || FOREIGN.test(pattern)) return undefined;
  if ([...pattern.matchAll(ESCAPE)].some(([, escaped = '']) => !SAME_ESCAPES.test(escaped))) return undefined;
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, from = '', to = '']) => Math.max(Number(from), Number(to), 1));
  if (repeats.reduce((product, count) => product * count, 1) > MAX_REPEATS) return undefined;
  try {
    RE2JS.compile(pattern);
    return pattern;
  } catch {
    return undefined;
  }
}
