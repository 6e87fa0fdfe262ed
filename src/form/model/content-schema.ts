import { isObject } from '../../domain/core/read.ts';
import type { Kind } from '../../domain/kind/kind.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { memberNames } from '../../schema/work.ts';

/** What is not asked of people: the cluster fills it in, or it follows from the App. */
const OF_THE_CLUSTER = ['apiVersion', 'kind', 'metadata', 'status'];

/** A DNS prefix and a name, as Kubernetes has keys of labels and annotations. */
const KEY = '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$';
const LABEL_VALUE = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$';

const LABELS: JsonObject = {
  type: 'object',
  description:
    'Labels for operators and people to select the instance. A key has a name of at most 63 characters, and may have a domain before it: team.example.com/tier.',
  additionalProperties: false,
  patternProperties: { [KEY]: { type: 'string', maxLength: 63, pattern: LABEL_VALUE } },
};
const ANNOTATIONS: JsonObject = {
  type: 'object',
  description: 'Annotations for operators and tools.',
  additionalProperties: false,
  patternProperties: { [KEY]: { type: 'string' } },
};
const FINALIZERS: JsonObject = {
  type: 'array',
  description:
    'Controllers that have to clean up before the instance is deleted. Each removes its own line; otherwise the instance is never deleted.',
  items: { type: 'string', pattern: KEY },
};
const METADATA: JsonObject = {
  type: 'object',
  title: 'Labels and annotations',
  properties: { labels: LABELS, annotations: ANNOTATIONS },
};
const WITH_FINALIZERS: JsonObject = { ...METADATA, properties: { labels: LABELS, annotations: ANNOTATIONS, finalizers: FINALIZERS } };

/** The schema of a resource of ours, from the same definition as its CRD. */
export function schemaOfKind({ spec }: Pick<Kind<unknown, unknown>, 'spec'>): JsonObject {
  return { type: 'object', properties: { spec: spec.schema }, required: ['spec'] } as unknown as JsonObject;
}

const known = new WeakMap<JsonObject, Partial<Record<Finalizers, JsonObject>>>();
type Finalizers = 'finalizers' | 'no finalizers';

/**
 * The schema of what people decide about an instance, from the schema of the whole object: `spec` and the members beside it, labels and annotations. The
 * same object for the same schema, so that forms can be remembered by it.
 */
export function contentSchema(schema: JsonObject, finalizers: Finalizers = 'no finalizers'): JsonObject {
  const before = known.get(schema) ?? {};
  const made = before[finalizers] ?? makeSchema(schema, finalizers === 'finalizers' ? WITH_FINALIZERS : METADATA);
  known.set(schema, { ...before, [finalizers]: made });
  return made;
}

function makeSchema(schema: JsonObject, metadata: JsonObject): JsonObject {
  const own = Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([key]) => !OF_THE_CLUSTER.includes(key)));
  const spec = own['spec'] ?? (hasSpec(schema) ? {} : undefined);
  const { required } = schema;
  return {
    ...schema,
    type: 'object',
    properties: { metadata, ...own, ...(spec === undefined ? {} : { spec }) },
    required: Array.isArray(required) ? required.filter((key) => !OF_THE_CLUSTER.includes(String(key))) : [],
  };
}

/** Whether a kind has a `spec`; one of which nothing is known may have one. */
export function hasSpec(schema: JsonObject): boolean {
  const properties = propertiesOf(schema);
  return properties['spec'] !== undefined || memberNames(properties).every((key) => OF_THE_CLUSTER.includes(key));
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}
