import { isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { kubernetesType, typeAt } from './kubernetes-types.ts';
import type { ValueUse } from './templates/values-in-templates.ts';

/** What a use of a value tells of it. */
export interface UseType {
  readonly path: readonly string[];
  readonly type: string | JsonObject;
}

/** What is a part of a text may be any scalar. */
const SCALAR: JsonObject = { type: ['number', 'string', 'boolean'] };
const MAX_CRD_NODES = 3_000;
const DEEPEST = 12;

/**
 * The types of values by where a chart writes them: those of fields of Kubernetes, and of the custom resources whose CRDs the chart has. Of several uses of a
 * value, one that takes an object or a list tells more than one that takes a text.
 *
 * @param crds the CustomResourceDefinitions of the chart.
 */
export function typesOfUses(uses: readonly ValueUse[], crds: readonly KubeObject[]): readonly UseType[] {
  const budget = { nodes: MAX_CRD_NODES };
  const found = uses.flatMap((use): UseType[] => {
    const type = typeOfUse(use, crds, budget);
    return type === undefined ? [] : [{ path: use.path, type }];
  });
  return found.toSorted((a, b) => Number(isScalar(a.type)) - Number(isScalar(b.type)));
}

interface NodeBudget {
  nodes: number;
}

function typeOfUse(
  { kind, place, whole, apiVersion }: ValueUse,
  crds: readonly KubeObject[],
  budget: NodeBudget,
): UseType['type'] | undefined {
  if (place === undefined) return SCALAR;
  const field = typeAt(kind, place);
  const type = field === undefined || kubernetesType(field) === undefined ? customType({ kind, apiVersion, place }, crds, budget) : field;
  if (type === undefined) return whole ? undefined : SCALAR;
  // Whole pods are rarely handed on: their containers and volumes are values of their own.
  if (whole) return type === 'PodSpec' ? 'PodSettings' : type;
  return isScalar(type) ? type : SCALAR;
}

function isScalar(type: UseType['type']): boolean {
  const schema = typeof type === 'string' ? kubernetesType(type) : type;
  return schema?.['type'] !== 'object' && schema?.['type'] !== 'array';
}

function customType(
  { kind, apiVersion, place }: { readonly kind: string; readonly apiVersion: string; readonly place: readonly string[] },
  crds: readonly KubeObject[],
  budget: NodeBudget,
): JsonObject | undefined {
  const [group = '', version = ''] = apiVersion.split('/');
  const crd = kind === '' ? undefined : crds.find(({ spec }) => textAt(spec, 'names', 'kind') === kind && textAt(spec, 'group') === group);
  const versions = listAt(crd?.spec, 'versions').filter(isObject) as readonly JsonObject[];
  const chosen = versions.find(({ name }) => name === version) ?? versions.find(({ storage }) => storage === true);
  const schema = isObject(chosen?.['schema']) ? chosen['schema']['openAPIV3Schema'] : undefined;
  const found = place.reduce<unknown>((at, step) => stepInto(at, step), schema);
  return isObject(found) ? describing(found as JsonObject, budget, 0) : undefined;
}

function stepInto(schema: unknown, step: string): unknown {
  if (!isObject(schema)) return undefined;
  const { properties, items, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, step)) return properties[step];
  return step === '*' && isObject(items) ? items : additionalProperties;
}

/** A schema of a CRD without all that it rejects. */
function describing(schema: JsonObject, budget: NodeBudget, depth: number): JsonObject {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > DEEPEST) return {};
  const { type, properties, items, additionalProperties: more, description, enum: options } = schema;
  const help = typeof description === 'string' ? { description: description.slice(0, 300) } : {};
  if (schema['x-kubernetes-int-or-string'] === true || type === 'integer' || type === 'number')
    return { type: ['number', 'string'], ...help };
  if (type === 'string') return { type, ...help, ...(Array.isArray(options) ? { enum: options } : {}) };
  if (type === 'boolean') return { type, ...help };
  if (type === 'array') return { type, ...help, ...(isObject(items) ? { items: describing(items, budget, depth + 1) } : {}) };
  if (type !== 'object') return help;
  if (!isObject(properties)) return { type, ...help, additionalProperties: isObject(more) ? describing(more, budget, depth + 1) : true };
  const members = Object.entries(properties).map(([name, member]): [string, JsonObject] => [
    name,
    isObject(member) ? describing(member, budget, depth + 1) : {},
  ]);
  return { type, ...help, properties: Object.fromEntries(members), additionalProperties: true };
}
