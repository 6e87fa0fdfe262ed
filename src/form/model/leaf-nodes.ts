import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Constraints, EnumNode, MeasureNode, NodeBase, ScalarNode, ScalarType, YamlNode } from './form-node.ts';
import { hasQuantityPattern, textMeaning } from './heuristics.ts';
import { humanise } from './label.ts';
import { isPercentage, isPort, portLimits } from '../controls/special-number.ts';
import { cronParts, specialText } from '../controls/special-text.ts';

/** What a control is made of beside its type. */
export interface AboutScalar {
  readonly schema: JsonObject;
  /** The names of the members beside it. */
  readonly siblings: readonly string[];
  /** Whether the catalogue, or the schema of what is around it, says so. */
  readonly sensitive: boolean;
}

const SECRET = { kind: 'secret' } as const;

/** The control of a scalar that has one or several types. */
export function scalarNode(base: NodeBase, types: readonly ScalarType[], about: AboutScalar): ScalarNode {
  const { schema } = about;
  const constraints = constraintsOf(schema);
  if (types.length > 1) {
    const kind = mixedKind(nameOf(base), types, schema);
    const limits = kind === 'port' ? portLimits(schema, constraints) : withoutPattern(constraints, kind);
    return { ...base, kind, types, strict: kind === 'quantity', constraints: limits };
  }
  const [type] = types;
  if (type === 'boolean') return { ...base, kind: 'boolean' };
  if (isPort(nameOf(base), types, schema))
    return { ...base, kind: 'port', types, strict: true, constraints: portLimits(schema, constraints) };
  if (type === 'integer' || type === 'number') return { ...base, kind: type, types, strict: true, constraints };
  return textNode(base, about, constraints);
}

function mixedKind(name: string, types: readonly ScalarType[], schema: JsonObject): MeasureNode['kind'] {
  if (hasQuantityPattern(schema)) return 'quantity';
  if (isPercentage(name, types, schema)) return 'percentage';
  return isPort(name, types, schema) ? 'port' : 'int-or-string';
}

/** What a node is called; rows of `hosts` are each a host. */
function nameOf({ key, path }: NodeBase): string {
  return key === '' ? (path.findLast((step) => step !== '*') ?? '').replace(/s$/i, '') : key;
}

function textNode(base: NodeBase, { schema, siblings, sensitive }: AboutScalar, constraints: Constraints): ScalarNode {
  const meaning = sensitive ? SECRET : textMeaning({ path: base.path, schema, siblings });
  if (meaning.kind === 'quantity' || meaning.kind === 'duration') {
    return { ...base, kind: meaning.kind, types: ['string'], strict: meaning.strict, constraints };
  }
  const format = typeof schema['format'] === 'string' ? schema['format'] : '';
  if (meaning.kind === 'secret') return { ...base, kind: 'secret', types: ['string'], format, constraints };
  if (isPercentage(nameOf(base), ['string'], schema)) return { ...base, kind: 'percentage', types: ['string'], strict: true, constraints };
  const special = specialText(nameOf(base), schema);
  if (special === undefined) return { ...base, kind: meaning.kind, types: ['string'], format, constraints };
  const parts = special.kind === 'cron' ? cronParts(schema) : undefined;
  return { ...base, ...special, types: ['string'], format, ...(parts === undefined ? {} : { parts }), constraints };
}

/** The grammar of quantities says what the pattern says, in words that people understand. */
function withoutPattern(constraints: Constraints, kind: MeasureNode['kind']): Constraints {
  const { pattern: _, ...others } = constraints;
  return kind === 'quantity' ? others : constraints;
}

/** A choice. A text that reads like an option of another type stands in quotes. */
export function enumNode(base: NodeBase, values: readonly Json[]): EnumNode {
  const unique = [...new Set(values)];
  const others = new Set(unique.filter((value) => typeof value !== 'string' || value === '').map((value) => JSON.stringify(value)));
  const isMixed = unique.some((value) => typeof value === 'string' && others.has(value));
  const options = unique.map((value) => {
    const text = typeof value === 'string' && value !== '' && !isMixed ? value : JSON.stringify(value);
    return { text, label: isMixed && typeof value === 'string' ? text : optionLabel(value), value };
  });
  return { ...base, kind: 'enum', options };
}

function optionLabel(value: Json): string {
  if (value === '') return 'Empty text';
  if (typeof value === 'boolean') return humanise(String(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;

/** The limits of a schema. Draft 4's boolean `exclusiveMinimum` moves the limit there. */
export function constraintsOf(schema: JsonObject): Constraints {
  const constraints: { -readonly [key in keyof Constraints]: Constraints[key] } = {};
  for (const name of NUMBERS) {
    const value = schema[name];
    if (typeof value === 'number') constraints[name] = value;
  }
  if (schema['exclusiveMinimum'] === true && constraints.minimum !== undefined) constraints.exclusiveMinimum = constraints.minimum;
  if (schema['exclusiveMaximum'] === true && constraints.maximum !== undefined) constraints.exclusiveMaximum = constraints.maximum;
  if (typeof schema['pattern'] === 'string') constraints.pattern = schema['pattern'];
  return constraints;
}

/** A node that no typed control expresses. */
export function yamlNode(base: NodeBase, reason: string): YamlNode {
  return { ...base, kind: 'yaml', reason };
}

/** The same of one that has become a node of another kind. */
export function asYaml(node: NodeBase, reason: string): YamlNode {
  const { key, path, label, help, required, fallback, fallbackSource, immutable, nullable, layer } = node;
  const known = { ...(fallback === undefined ? {} : { fallback }), ...(fallbackSource === undefined ? {} : { fallbackSource }) };
  return yamlNode({ key, path, label, help, required, immutable, nullable, layer, ...known }, reason);
}
