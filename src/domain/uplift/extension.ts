import { stringifyJson } from '../core/exact-json.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import {
  compact,
  type Fields,
  fieldsOf,
  isFields,
  type Lifted,
  listOf,
  rulesFor,
  type RuleTable,
  without,
  withSpec,
} from './conversion.ts';

const CURRENT = 'apiextensions.k8s.io/v1';
const APPROVAL = 'api-approved.kubernetes.io';

export const crdRules: RuleTable = rulesFor(['apiextensions.k8s.io/v1beta1'], ['CustomResourceDefinition'], liftDefinition);

/** What v1beta1 allowed at the top of the spec for all versions at once, and v1 only in each version. */
const PER_VERSION = ['validation', 'subresources', 'additionalPrinterColumns'];

function liftDefinition(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const notes = new Set<string>();
  const versions = versionsOf(spec).map((version) => currentVersion(version, spec, notes));
  if (versions.length === 0) return { failed: 'it names no version' };
  const conversion = isFields(spec['conversion']) ? currentConversion(spec['conversion']) : undefined;
  const rest = without(spec, 'version', 'preserveUnknownFields', ...PER_VERSION);
  const current = compact({ scope: 'Namespaced', ...rest, versions, conversion });
  const lifted = approved(withSpec(object, CURRENT, current), spec, notes);
  return { object: lifted, notes: [...notes] };
}

function versionsOf(spec: Fields): Fields[] {
  const versions = listOf(spec['versions']);
  if (versions.length > 0) return versions;
  return typeof spec['version'] === 'string' ? [{ name: spec['version'], served: true, storage: true }] : [];
}

function currentVersion(version: Fields, spec: Fields, notes: Set<string>): Fields {
  const validation = fieldsOf(version['schema'] ?? spec['validation']);
  const root = structuralRoot(validation['openAPIV3Schema'], spec['preserveUnknownFields'] === false ? 'prune' : 'preserve');
  for (const note of root.notes) notes.add(note);
  const columns = version['additionalPrinterColumns'] ?? spec['additionalPrinterColumns'];
  return compact({
    ...version,
    schema: { openAPIV3Schema: root.schema },
    subresources: version['subresources'] ?? spec['subresources'],
    additionalPrinterColumns: columns === undefined ? undefined : listOf(columns).map(currentColumn),
  });
}

function currentColumn(column: Fields): Fields {
  return compact({ ...without(column, 'JSONPath'), jsonPath: column['jsonPath'] ?? column['JSONPath'] });
}

function currentConversion(conversion: Fields): Fields {
  const { strategy, webhookClientConfig } = conversion;
  if (webhookClientConfig === undefined) return { strategy: strategy ?? 'None' };
  const conversionReviewVersions = conversion['conversionReviewVersions'] ?? ['v1beta1'];
  return { strategy, webhook: { clientConfig: webhookClientConfig, conversionReviewVersions } };
}

/** v1 asks every kind in a group of the Kubernetes project for an approval; "unapproved" is the value for those that never had one. */
function approved(object: KubeObject, spec: Fields, notes: Set<string>): KubeObject {
  const annotations = object.metadata.annotations ?? {};
  const guarded = /(^|\.)(k8s|kubernetes)\.io$/.test(String(spec['group']));
  if (!guarded || APPROVAL in annotations) return object;
  notes.add('the annotation that marks the kind as not approved by the Kubernetes project was added');
  const metadata = { ...object.metadata, annotations: { ...annotations, [APPROVAL]: 'unapproved, converted from v1beta1' } };
  return { ...object, metadata };
}

/** `preserve` keeps fields that the schema does not name, as v1beta1 did unless configured otherwise. */
type UnknownFields = 'preserve' | 'prune';

interface StructuralRoot {
  readonly schema: Fields;
  /** What could not be kept, a sentence each. */
  readonly notes: readonly string[];
}

const KEEP = { 'x-kubernetes-preserve-unknown-fields': true };
const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not'];
/** Keywords that a structural schema may not hold; what they meant is checked no more. */
const FORBIDDEN = [
  '$ref',
  '$schema',
  'additionalItems',
  'definitions',
  'dependencies',
  'deprecated',
  'discriminator',
  'id',
  'patternProperties',
  'readOnly',
  'selfLink',
  'uniqueItems',
  'writeOnly',
  'xml',
];
/** Keywords that say something of the value, not of its shape: all that a branch of a junctor may hold. */
const VALUE_ONLY = new Set(
  'enum format maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems multipleOf maxProperties minProperties required'.split(
    ' ',
  ),
);

/**
 * Makes a structural schema (the rules of `apiextensions.k8s.io/v1`) of a free one: the shape stays, types that follow from other keywords
 * are written out, and what the rules forbid is left out, so that nothing valid before becomes invalid. Without a schema, `spec` and
 * `status` hold anything.
 */
function structuralRoot(schema: unknown, unknown: UnknownFields): StructuralRoot {
  const known = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  if (!isFields(schema) || Object.keys(schema).length === 0) {
    const free = { type: 'object', ...KEEP };
    const openRoot = unknown === 'preserve' ? KEEP : {};
    return {
      schema: { type: 'object', ...openRoot, properties: { ...known, spec: free, status: free } },
      notes: ['there was no schema, so spec and status accept anything'],
    };
  }
  const notes = new Set<string>();
  const root = structural({ ...schema, type: 'object' }, { unknown, notes });
  const properties = { ...fieldsOf(root['properties']), ...known };
  return { schema: { ...root, properties }, notes: [...notes] };
}

interface Walk {
  readonly unknown: UnknownFields;
  readonly notes: Set<string>;
}

function structural(node: Fields, walk: Walk): Fields {
  if (isIntOrString(node)) return { ...without(node, 'type', 'format', 'anyOf', ...FORBIDDEN), 'x-kubernetes-int-or-string': true };
  const lost = FORBIDDEN.filter((keyword) => keyword in node);
  if (lost.length > 0) walk.notes.add(`the schema’s ${lost.join(', ')} is no longer validated`);
  const type = '$ref' in node ? undefined : typeOf(node);
  const bare = without(node, ...FORBIDDEN, ...JUNCTORS, 'type', 'properties', 'items', 'additionalProperties');
  if (type === undefined) return { ...bare, ...KEEP };
  const shape = { ...bare, type, ...nullability(node), ...childrenOf(node, type, walk) };
  return { ...shape, ...junctorsOf(node, shape, walk.notes) };
}

function isIntOrString(node: Fields): boolean {
  if (node['x-kubernetes-int-or-string'] === true || node['format'] === 'int-or-string') return true;
  const types = listOf(node['anyOf']).map((branch) => branch['type']);
  return node['type'] === undefined && types.length === 2 && types.includes('integer') && types.includes('string');
}

function typeOf(node: Fields): string | undefined {
  const { type } = node;
  if (typeof type === 'string' && type !== '') return type;
  if (Array.isArray(type)) return type.find((name): name is string => typeof name === 'string' && name !== 'null');
  if ('properties' in node || 'additionalProperties' in node || 'required' in node) return 'object';
  if ('items' in node) return 'array';
  if ('pattern' in node || 'minLength' in node || 'maxLength' in node) return 'string';
  const values = Array.isArray(node['enum']) ? node['enum'] : [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? 'string' : undefined;
}

function nullability(node: Fields): Fields {
  return Array.isArray(node['type']) && node['type'].includes('null') ? { nullable: true } : {};
}

function childrenOf(node: Fields, type: string, walk: Walk): Fields {
  if (type === 'array') {
    const items = Array.isArray(node['items']) ? undefined : node['items'];
    return { items: isFields(items) ? structural(items, walk) : KEEP };
  }
  if (type !== 'object') return {};
  const { properties, additionalProperties } = node;
  if (isFields(properties) && Object.keys(properties).length > 0) {
    const known = Object.entries(properties).map(([name, child]) => [name, structural(fieldsOf(child), walk)] as const);
    return { ...open(walk), properties: Object.fromEntries(known) };
  }
  if (isFields(additionalProperties)) return { additionalProperties: structural(additionalProperties, walk) };
  return additionalProperties === true ? KEEP : open(walk);
}

/** Every level must say so itself: named fields switch pruning on again for what is below them. */
function open(walk: Walk): Fields {
  return walk.unknown === 'preserve' ? KEEP : {};
}

function junctorsOf(node: Fields, shape: Fields, notes: Set<string>): Fields {
  const kept = JUNCTORS.map((junctor) => {
    const branches = node[junctor];
    if (branches === undefined) return [junctor, undefined] as const;
    const bare = Array.isArray(branches) ? branches.map(valuesOnly) : valuesOnly(branches);
    const lost = Array.isArray(bare) ? bare.includes(undefined) : bare === undefined;
    if (lost) notes.add(`a condition (${junctor}) of the schema is no longer validated`);
    return [junctor, lost ? undefined : bare] as const;
  });
  return 'x-kubernetes-int-or-string' in shape ? {} : compact(Object.fromEntries(kept));
}

/** A branch reduced to what a structural schema allows there; undefined when that would change what it says. */
function valuesOnly(branch: unknown): Fields | undefined {
  if (!isFields(branch)) return undefined;
  const says = without(branch, 'description', 'title', 'type', 'properties');
  if (!Object.keys(says).every((keyword) => VALUE_ONLY.has(keyword))) return undefined;
  return 'type' in branch || 'properties' in branch ? undefined : says;
}

export const webhookRules: RuleTable = rulesFor(
  ['admissionregistration.k8s.io/v1beta1'],
  ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  liftWebhooks,
);

/** What v1beta1 took for granted and v1 does not. */
const OLD_DEFAULTS = { failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30, admissionReviewVersions: ['v1beta1'] };

function liftWebhooks(object: KubeObject): Lifted {
  const webhooks = listOf(object['webhooks']);
  const failed = webhooks.map(whyNot).find((reason) => reason !== undefined);
  if (failed !== undefined) return { failed };
  const current = webhooks.map((webhook) => ({ ...OLD_DEFAULTS, ...webhook }));
  return {
    object: { ...object, apiVersion: 'admissionregistration.k8s.io/v1', webhooks: current },
    notes: ['the old defaults for failure policy, match policy, timeout and review versions are written out'],
  };
}

function whyNot(webhook: Fields): string | undefined {
  const name = stringifyJson(webhook['name'] ?? '');
  const effects = webhook['sideEffects'] ?? 'Unknown';
  if (effects !== 'None' && effects !== 'NoneOnDryRun') {
    return `the webhook ${name} has sideEffects ${stringifyJson(effects)}; the current API requires None or NoneOnDryRun, which only its author can declare`;
  }
  const versions = webhook['admissionReviewVersions'] ?? ['v1beta1'];
  if (Array.isArray(versions) && versions.some((version) => version === 'v1' || version === 'v1beta1')) return undefined;
  return `the webhook ${name} understands none of the review versions v1 and v1beta1`;
}
