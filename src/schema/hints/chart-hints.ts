import { isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { kubernetesType, typeAt } from './kubernetes-types.ts';
import { describes, type Example, examplesInComments, schemaOfContent } from './examples-in-comments.ts';
import { type Form, scalarByName, typeByName } from './type-by-name.ts';
import { type SubchartTemplates, valuesInTemplates, type ValueUse } from './templates/values-in-templates.ts';

/**
 * What a chart tells of its values beside their schema, as a tree by their keys, `*` for rows. `type` is a type as `kubernetesType` takes it, or a schema
 * that only describes. Plain data.
 */
export interface ChartHints {
  readonly type?: string | JsonObject;
  readonly members?: Readonly<Record<string, ChartHints>>;
}

const NO_HINTS: ChartHints = {};

/** What a chart is read for hints. All of it is foreign. */
export interface HintSources {
  /** values.yaml as it is written. */
  readonly valuesText: string;
  /** The same, read. */
  readonly values: JsonObject;
  /** The files of its folder `templates/`, by name. */
  readonly templates?: ReadonlyMap<string, string>;
  /** Those of the charts in it that only define what others include. */
  readonly libraries?: ReadonlyMap<string, string>;
  /** The others of the charts in it. */
  readonly subcharts?: readonly SubchartTemplates[];
  /** What the values files in its folder `ci/` hold. */
  readonly ciValues?: readonly JsonObject[];
  /** The CRDs of the chart. */
  readonly crds?: readonly KubeObject[];
}

const NOTHING: ReadonlyMap<string, string> = new Map();
const MAX_HINTS = 5_000;
const DEEPEST = 40;

/** What a chart tells of its values, by its templates, and by the examples in its folder `ci/` and in the comments of values.yaml. Bounded: the rest is left out. */
export function chartHints({
  valuesText,
  values,
  templates = NOTHING,
  libraries = NOTHING,
  subcharts = [],
  ciValues = [],
  crds = [],
}: HintSources): ChartHints {
  const root: MutableHints = {};
  const uses = typesOfUses(valuesInTemplates(templates, libraries, subcharts), crds).slice(0, MAX_HINTS);
  for (const { path, type } of uses) nodeAt(root, path).type ??= type;
  const examples = [...examplesInComments(valuesText), ...ciValues.flatMap((one) => examplesBeside(values, one))];
  for (const example of examples.slice(0, MAX_HINTS)) addExample(root, example);
  return root;
}

interface MutableHints extends ChartHints {
  type?: string | JsonObject;
  members?: Record<string, MutableHints>;
}

/** What somebody sets where values.yaml has nothing. */
function examplesBeside(values: JsonObject, set: JsonObject, path: readonly string[] = []): readonly Example[] {
  return Object.entries(set).flatMap(([key, content]): readonly Example[] => {
    const [here, known] = [[...path, key], Object.hasOwn(values, key) ? values[key] : undefined];
    if (content === undefined || isEmpty(content) || path.length > DEEPEST) return [];
    if (isEmpty(known ?? null)) return [{ path: here, content }];
    return isObject(known) && isObject(content) ? examplesBeside(known, content, here) : [];
  });
}

function isEmpty(content: Json): boolean {
  if (content === null || content === '') return true;
  return typeof content === 'object' && Object.keys(content).length === 0;
}

/** What the templates or the name say is better than an example, which rarely has every member, unless the example is something else. */
function addExample(root: MutableHints, { path, content }: Example): void {
  const node = nodeAt(root, path);
  const said = node.type ?? typeByName(path, Array.isArray(content) ? 'list' : isObject(content) ? 'object' : 'any');
  const known = typeof said === 'string' ? kubernetesType(said) : said;
  const schema = schemaOfContent([content]);
  if (schema !== undefined && (known === undefined || !describes(known, content))) node.type = schema;
}

function nodeAt(root: MutableHints, path: readonly string[]): MutableHints {
  return path.reduce((at, step) => {
    at.members ??= {};
    const known = Object.hasOwn(at.members, step) ? at.members[step] : undefined;
    const next = known ?? {};
    // A key called __proto__ is one like any other.
    if (known === undefined) Object.defineProperty(at.members, step, { value: next, enumerable: true, configurable: true, writable: true });
    return next;
  }, root);
}

/** A value of which the schema of a chart tells nothing, or only that it is an object or a list. */
export interface Untyped {
  /** Keys of the values, `*` for rows. */
  readonly path: readonly string[];
  readonly form: Form;
  /** What it is unless somebody sets it. */
  readonly fallback: Json | undefined;
  readonly description: string;
  /** The schema that says nothing. */
  readonly schema: JsonObject;
}

/**
 * What a value most likely is, of which its schema says nothing: by the chart's templates and examples, by the type that the schema points to in a document
 * that is not fetched, by its name, by its default. What does not describe the default is no guess.
 *
 * @returns a schema that describes and never restricts; undefined where nothing tells.
 */
export function expectedSchema(hints: ChartHints, value: Untyped): JsonObject | undefined {
  const { path, form, fallback = null, description, schema } = value;
  const hinted = schemaOfHint(hintAt(hints, path), form);
  // A value that templates write into a text may be anything; its name says more.
  const isScalarHint = hinted === undefined || isScalar(hinted);
  const guesses = [
    () => (isScalarHint && form === 'any' && fallback === null ? scalarByName(path) : undefined),
    () => hinted,
    () => kubernetesType(referredType(schema, form)),
    () => kubernetesType(saysNames(path, description) ? 'text[]' : (typeByName(path, form) ?? '')),
    () => (fallback === '' ? undefined : schemaOfContent([fallback])),
  ];
  for (const guess of guesses) {
    const found = guess();
    if (found !== undefined && hasForm(found, form) && describes(found, fallback)) return found;
  }
  return undefined;
}

function hintAt(hints: ChartHints, path: readonly string[]): ChartHints {
  return path.reduce((at, step) => memberOf(at, step), hints);
}

function memberOf({ type, members = {} }: ChartHints, step: string): ChartHints {
  if (Object.hasOwn(members, step)) return members[step] ?? NO_HINTS;
  const below = typeof type === 'object' ? memberSchema(type, step) : typeAt(type ?? '', [step]);
  return below === undefined ? NO_HINTS : { type: below };
}

function memberSchema({ properties, items, additionalProperties }: JsonObject, step: string): JsonObject | undefined {
  const found =
    isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : step === '*' ? (items ?? additionalProperties) : undefined;
  return isObject(found) ? found : undefined;
}

/** Members that somebody looks at are members; rows are those of a map or of a list, as the schema or the default says. */
function schemaOfHint({ type, members = {} }: ChartHints, form: Form): JsonObject | undefined {
  if (typeof type === 'string') return kubernetesType(type);
  if (type !== undefined) return Object.keys(type).length === 0 ? undefined : type;
  const rows = Object.hasOwn(members, '*') ? schemaOfHint(members['*'] ?? NO_HINTS, 'any') : undefined;
  if (rows !== undefined) return form === 'object' ? { type: 'object', additionalProperties: rows } : { type: 'array', items: rows };
  const known = Object.entries(members).flatMap(([name, member]): [string, JsonObject][] => {
    const schema = name === '*' ? undefined : schemaOfHint(member, 'any');
    return schema === undefined ? [] : [[name, schema]];
  });
  return known.length === 0 ? undefined : { type: 'object', properties: Object.fromEntries(known), additionalProperties: true };
}

/** Schemas of charts often point into the published ones of Kubernetes: `…/_definitions.json#/definitions/io.k8s.api.core.v1.Toleration`. */
function referredType({ $ref: ref, items }: JsonObject, form: Form): string {
  if (form === 'list' && isObject(items)) return `${referredType(items, 'any')}[]`;
  if (typeof ref !== 'string') return '';
  const [, name = ''] = /\/io\.k8s\.[\w.-]*\.(\w+)(?:\/[\w/]*)?$/.exec(ref.slice(-300)) ?? [];
  return name;
}

/** Charts take pull secrets as objects or by their names. */
function saysNames(path: readonly string[], description: string): boolean {
  return /pullSecrets$/i.test(path.at(-1) ?? '') && /\bnames\b/i.test(description);
}

function hasForm({ type }: JsonObject, form: Form): boolean {
  if (form === 'any') return true;
  return type === (form === 'list' ? 'array' : 'object');
}

/** What a use of a value tells of it. */
export interface UseType {
  readonly path: readonly string[];
  readonly type: string | JsonObject;
}

/** What is a part of a text may be any scalar. */
const SCALAR: JsonObject = { type: ['number', 'string', 'boolean'] };
const MAX_CRD_NODES = 3_000;
const MAX_USE_DEPTH = 12;

/**
 * The types of values by where a chart writes them: those of fields of Kubernetes, and of the custom resources whose CRDs the chart has. Of several uses of a
 * value, one that takes an object or a list tells more than one that takes a text.
 *
 * @param crds the CustomResourceDefinitions of the chart.
 */
function typesOfUses(uses: readonly ValueUse[], crds: readonly KubeObject[]): readonly UseType[] {
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
  if (budget.nodes < 0 || depth > MAX_USE_DEPTH) return {};
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
