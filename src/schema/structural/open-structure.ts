import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { sameJson } from '../yaml-text.ts';

/** Takes any value, and keeps all of it. */
export const ANYTHING: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };

/** The types that an inferred schema has, and the `example` by which a CRD tells of each, which rejects nothing. */
const TYPES: readonly { readonly schema: JsonObject; readonly example: Json }[] = [
  { schema: { type: 'string' }, example: '' },
  { schema: { type: 'boolean' }, example: false },
  { schema: { type: 'integer' }, example: 1 },
  { schema: { type: 'number' }, example: 0.1 },
  { schema: { type: ['number', 'string'] }, example: 0 },
  { schema: { type: 'array', items: { type: 'string' } }, example: [''] },
];

/**
 * The members and descriptions of an inferred schema without its types, as a default does not say what else the templates take. What a form is to show is left as
 * an `example`.
 */
export function openStructure(schema: JsonObject): JsonObject {
  const { properties, description } = schema;
  const members = Object.entries(isObject(properties) ? properties : {});
  const below = members.map(([name, member]): [string, JsonObject] => [name, openStructure(isObject(member) ? member : {})]);
  const example = exampleOf(schema);
  return {
    ...(below.length === 0 ? {} : { properties: Object.fromEntries(below) }),
    ...ANYTHING,
    nullable: true,
    ...(example === undefined ? {} : { example }),
    ...(description === undefined ? {} : { description }),
  };
}

function exampleOf({ type, items, default: fallback }: JsonObject): Json | undefined {
  if (type === undefined) return fallback === '' ? '' : undefined;
  if (Array.isArray(type)) return 0;
  if (type === 'array' && items === undefined) return undefined;
  return TYPES.find(({ schema }) => schema['type'] === type)?.example;
}

/** The schema for a form of a field that takes any value: with the type that its example has, where `openStructure` made it. */
export function withTypeOfExample(schema: JsonObject): JsonObject {
  const { example, type, ...rest } = schema;
  if (example === undefined || type !== undefined || schema['x-kubernetes-preserve-unknown-fields'] !== true) return schema;
  const found = TYPES.find((one) => sameJson(one.example, example));
  return found === undefined ? schema : { ...rest, ...found.schema };
}
