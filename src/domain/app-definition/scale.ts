import { at, isObject, textAt } from '../core/read.ts';
import { listInShort } from '../core/name-words.ts';
import { object, text, type ValueOf } from '../kind/field.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** `spec.scale` of an AppDefinition. */
export const scaleField = object(
  {
    specReplicasPath: text({
      description:
        'The path of the integer that says how many replicas an instance has, a value of the chart below spec.values, for example spec.values.replicaCount.',
      maxLength: 512,
      pattern: String.raw`^spec\.values(\.[^.\[\]\s]+)+$`,
    }),
  },
  {
    description:
      'Gives the generated kind the subresource scale, for kubectl scale and HorizontalPodAutoscalers. Its status comes from the Deployments and StatefulSets of the release.',
  },
);

export type Scale = ValueOf<typeof scaleField>;

/** `subresources.scale` of a CRD. */
export function scaleSubresource({ specReplicasPath }: Scale): JsonObject {
  return { specReplicasPath: `.${specReplicasPath}`, statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };
}

/** The structural schema of the values of a chart with an integer at the path of the replicas, or why it has none, a sentence. */
export type ScaledValues =
  { readonly kind: 'Scaled'; readonly values: JsonObject } | { readonly kind: 'NoInteger'; readonly message: string };

/**
 * An integer of the schema stays as it is. A schema that was inferred takes anything in place of a single value, so a field with an integer in the values of the chart
 * becomes one here: the api-server has no scale of a resource whose replicas are a text.
 *
 * @param defaults the values of the chart.
 */
export function scaledValues({ specReplicasPath }: Scale, values: JsonObject, defaults: JsonObject): ScaledValues {
  const path = specReplicasPath.split('.').slice(2);
  const replaced = replaceAt(values, path, (field) => integerField(field, at(defaults, ...path)));
  if (replaced !== undefined) return { kind: 'Scaled', values: replaced };
  const others = integerPaths(values, defaults).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const offer = others.length === 0 ? 'there are no integers' : `integers: ${listInShort(others, NAMED)}`;
  const message = `spec.scale.specReplicasPath: the values of the chart have no integer at ${specReplicasPath}; ${offer}`;
  return { kind: 'NoInteger', message };
}

const NAMED = 5;
const INT32_MAX = 2_147_483_647;

function integerField(field: JsonObject, given: unknown): JsonObject | undefined {
  if (field['type'] === 'integer') return field;
  if (field['x-kubernetes-preserve-unknown-fields'] !== true || field['type'] !== undefined || !Number.isInteger(given)) return undefined;
  const description = textAt(field, 'description');
  return { type: 'integer', minimum: 0, maximum: INT32_MAX, nullable: true, ...(description === undefined ? {} : { description }) };
}

function replaceAt(
  schema: JsonObject,
  [name, ...rest]: readonly string[],
  change: (field: JsonObject) => JsonObject | undefined,
): JsonObject | undefined {
  if (name === undefined) return change(schema);
  const { properties } = schema;
  const member = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const changed = isObject(member) ? replaceAt(member, rest, change) : undefined;
  return changed === undefined ? undefined : { ...schema, properties: { ...(properties as JsonObject), [name]: changed } };
}

function integerPaths(schema: JsonObject, defaults: unknown, path = 'spec.values'): string[] {
  const { properties } = schema;
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([name, member]) => {
    if (!isObject(member)) return [];
    const [given, own] = [at(defaults, name), `${path}.${name}`];
    return integerField(member, given) === undefined ? integerPaths(member, given, own) : [own];
  });
}

/** Those that are called replicas first. */
function rank(path: string): number {
  return /replica/i.test(path) ? 0 : 1;
}
