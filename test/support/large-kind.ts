import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';

/** What the largest kind that we know has. */
export const MAX_LEAVES = 5_900;

const WORDS = 'name host image size replicas enabled timeout labels mode policy port weight class region level'.split(' ');

/**
 * A kind shaped like the largest real ones, which hold whole pod templates again and again: groups within groups, lists of objects, maps, choices,
 * texts with help; some fields required.
 *
 * @param leaves how many the schema has, to within one part of about twenty.
 */
export function largeKind(leaves: number): JsonObject {
  const properties: [string, JsonObject][] = [];
  const part = partOf(0);
  const each = leavesOf(part);
  for (let count = 0; count + each <= leaves; count += each) properties.push([`component${properties.length}`, partOf(properties.length)]);
  for (let count = properties.length * each; count < leaves; count += 1) properties.push([`option${count}`, scalar(count)]);
  return { type: 'object', required: ['component0'], properties: Object.fromEntries(properties) };
}

function partOf(seed: number): JsonObject {
  const container = group(seed, 9, {
    env: list(group(seed + 1, 3, { valueFrom: group(seed + 2, 2, { secretKeyRef: group(seed, 3, {}) }) })),
    resources: group(seed + 3, 2, { limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } } }),
  });
  return group(seed, 6, {
    template: group(seed + 4, 8, {
      containers: list(container),
      volumes: list(group(seed + 5, 10, {})),
      security: group(seed + 6, 12, {}),
    }),
    storage: { type: 'object', oneOf: [closed('disk', group(seed, 5, {})), closed('bucket', group(seed + 1, 5, {}))] },
  });
}

function group(seed: number, scalars: number, members: JsonObject): JsonObject {
  const own = Array.from({ length: scalars }, (_, n) => [`${WORDS[(seed + n) % WORDS.length] ?? 'field'}${n}`, scalar(seed + n)]);
  return {
    type: 'object',
    description: 'What belongs together here. It is used by the operator while it makes the objects of this part.',
    properties: { ...Object.fromEntries(own), ...members },
  };
}

function closed(key: string, member: JsonObject): JsonObject {
  return { type: 'object', required: [key], properties: { [key]: member } };
}

function list(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

function scalar(seed: number): JsonObject {
  const description = 'How this part behaves while it runs. More is said in the handbook of the operator, in the chapter about tuning.';
  const kinds: readonly JsonObject[] = [
    { type: 'string', description },
    { type: 'integer', minimum: 0, maximum: 65_535, description },
    { type: 'boolean', description, default: seed % 2 === 0 },
    { type: 'string', enum: ['Always', 'Never', 'OnDemand'], description },
    { type: 'string', pattern: '^[a-z0-9-]+$', maxLength: 63, description },
  ];
  return kinds[seed % kinds.length] ?? {};
}

function leavesOf(schema: JsonObject): number {
  const { properties, items, additionalProperties, oneOf } = schema;
  const below = [
    ...Object.values((properties ?? {}) as JsonObject),
    ...(items === undefined ? [] : [items]),
    ...(additionalProperties === undefined ? [] : [additionalProperties]),
    ...((oneOf ?? []) as readonly JsonObject[]),
  ] as readonly JsonObject[];
  return below.length === 0 ? 1 : below.reduce((sum, member) => sum + leavesOf(member), 0);
}
