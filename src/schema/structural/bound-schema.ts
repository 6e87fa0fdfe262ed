import { stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { ANYTHING } from './open-structure.ts';

/** What a CRD may hold beside what surrounds the schema: etcd takes 1.5 MiB in one request, and the api-server works with every node. */
const SCHEMA_BOUNDS = { bytes: 700 * 1024, nodes: 20_000 };

const DEEPEST = 100;

/** The structural schema within the bounds: where it is too large, whatever is below a level becomes anything, the deepest level first. */
export function boundSchema(schema: JsonObject, bounds: typeof SCHEMA_BOUNDS = SCHEMA_BOUNDS): JsonObject {
  const sizes: { bytes: number; nodes: number }[] = [];
  measure(schema, 0, sizes);
  let left = sizes.reduce((sum, size) => ({ bytes: sum.bytes + size.bytes, nodes: sum.nodes + size.nodes }), { bytes: 0, nodes: 0 });
  let levels = sizes.length;
  while (levels > 1 && (left.bytes > bounds.bytes || left.nodes > bounds.nodes)) {
    levels -= 1;
    const { bytes = 0, nodes = 0 } = sizes[levels] ?? {};
    left = { bytes: left.bytes - bytes, nodes: left.nodes - nodes };
  }
  return levels === sizes.length ? schema : cut(schema, levels);
}

/** What each level takes: its nodes, and the bytes of their own keywords. */
function measure(schema: JsonObject, depth: number, sizes: { bytes: number; nodes: number }[]): void {
  if (depth > DEEPEST) return;
  const { properties, additionalProperties, items, ...own } = schema;
  const size = (sizes[depth] ??= { bytes: 0, nodes: 0 });
  size.nodes += 1;
  size.bytes += Buffer.byteLength(stringifyJson(own)) + 20;
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
    size.bytes += Buffer.byteLength(JSON.stringify(name)) + 2;
    if (isObject(member)) measure(member, depth + 1, sizes);
  }
  for (const member of [additionalProperties, items]) if (isObject(member)) measure(member, depth + 1, sizes);
}

/** Only so many levels stay. A node keeps its type where it can. */
function cut(schema: JsonObject, levels: number): JsonObject {
  const { properties, additionalProperties, items, ...own } = schema;
  if (levels <= 1) {
    const isNested = [properties, additionalProperties, items].some((part) => part !== undefined);
    if (!isNested) return schema;
    const { type, nullable, description } = own;
    const kept = { ...(type === 'object' ? { type } : {}), ...(nullable === true ? { nullable } : {}) };
    return { ...kept, ...ANYTHING, ...(description === undefined ? {} : { description }) };
  }
  const below = (member: unknown): JsonObject => (isObject(member) ? cut(member as JsonObject, levels - 1) : ANYTHING);
  return {
    ...own,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, below(member)])) }
      : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: below(additionalProperties) }),
    ...(items === undefined ? {} : { items: below(items) }),
  };
}
