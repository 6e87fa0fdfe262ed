import { compact, fieldsOf, isFields, listOf, without } from './fields.ts';
import type { Fields } from './fields.ts';

/** `preserve` keeps fields that the schema does not name, as v1beta1 did unless configured otherwise. */
export type UnknownFields = 'preserve' | 'prune';

export interface StructuralRoot {
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
export function structuralRoot(schema: unknown, unknown: UnknownFields): StructuralRoot {
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
