import { nameWords } from '../../domain/core/name-words.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { type FieldFacts, saysSecret, sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { isDuration, isQuantity } from '../controls/measures.ts';
import { cronParts, specialText } from '../controls/special-text.ts';
import type { Constraints, EnumNode, MeasureNode, NodeBase, ScalarNode, ScalarType, YamlNode } from './form-node.ts';
import { humanise } from './label.ts';

/** What a control is made of beside its type. */
export interface AboutScalar {
  readonly schema: JsonObject;
  /** The names of the members beside it. */
  readonly siblings: readonly string[];
  /** Whether the catalogue, or the schema of what is around it, says so. */
  readonly sensitive: boolean;
}

const SECRET = { kind: 'secret' } as const;

/** What is read from a text property beyond its type. `strict` when the schema itself says so, not its name or its words. */
type TextMeaning =
  { readonly kind: 'text' | 'multiline' | 'secret' } | { readonly kind: 'quantity' | 'duration'; readonly strict: boolean };

const AMOUNT_NAME = /(size|storage|memory|cpu|capacity|disk|volume|limit|request)s?$/i;
const TIME_NAME = /(timeout|interval|period|delay|duration|ttl|retention|lifetime|age)s?$/i;
const LONG_NAME = /(script|certificate|publickey|manifest|cabundle)$/i;
// The pattern that controller-tools writes for resource.Quantity has this alternative in it.
const QUANTITY_PATTERN = /\[KMGTPE\]i|Ki\|Mi\|Gi/;
const QUANTITY_EXAMPLE = /\b\d+(Ki|Mi|Gi|Ti)\b/;

const SHARE_NAME = /^(maxUnavailable|maxSurge|minAvailable)$/;
const LAST_PORT = 65_535;
const SAYS_SHARE = /\bper ?cent(age)?s?\b|\b\d{1,3} ?%/i;

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

/** What a text property is about: its format and pattern first, then its name together with an example. */
function textMeaning(facts: FieldFacts & { readonly schema: JsonObject }): TextMeaning {
  const { schema, path } = facts;
  const key = String(path.at(-1) ?? '');
  const format = schema['format'];
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
  if (saysSecret(schema)) return { kind: 'secret' };
  if (format === 'quantity' || hasQuantityPattern(schema)) return { kind: 'quantity', strict: true };
  if (format === 'duration') return { kind: 'duration', strict: true };
  if (sensitivityOf(facts) === 'secret') return { kind: 'secret' };
  if (AMOUNT_NAME.test(key) && (isUnitful(schema['default']) || QUANTITY_EXAMPLE.test(description)))
    return { kind: 'quantity', strict: false };
  if (TIME_NAME.test(key) && isTime(schema['default'])) return { kind: 'duration', strict: false };
  if (format === 'multiline' || format === 'textarea' || hasLines(schema['default'])) return { kind: 'multiline' };
  if (LONG_NAME.test(key) && !isFilePath(schema['default'])) return { kind: 'multiline' };
  return { kind: 'text' };
}

/** Whether the pattern of a schema is that of quantities. */
function hasQuantityPattern(schema: JsonObject): boolean {
  return typeof schema['pattern'] === 'string' && QUANTITY_PATTERN.test(schema['pattern'].slice(0, 500));
}

function isUnitful(value: unknown): boolean {
  return typeof value === 'string' && isQuantity(value) && /[a-z]$/i.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDuration(value) && value !== '0';
}

function isFilePath(value: unknown): boolean {
  return typeof value === 'string' && /^\.{0,2}\/\S*$/.test(value);
}

function hasLines(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n');
}

/** Whether a whole number is a port: its format, its name, or its limits together with its words say so, and nothing speaks against it. */
function isPort(name: string, types: readonly ScalarType[], schema: JsonObject): boolean {
  if (!types.includes('integer') || types.includes('boolean')) return false;
  const { format, maximum = LAST_PORT, default: fallback = 1 } = schema;
  if (format === 'port') return true;
  if (typeof maximum !== 'number' || maximum > LAST_PORT || (typeof fallback === 'number' && fallback > LAST_PORT)) return false;
  if (typeof schema['pattern'] === 'string' && !matchesPattern(schema['pattern'], 'http')) return false;
  return nameWords(name).at(-1) === 'port' || (schema['maximum'] === LAST_PORT && /\bports?\b/i.test(`${name} ${wordsOf(schema)}`));
}

/** The limits of a port, where its schema has none of its own. Only a format says that there is a lower one: many apps take 0 for off, or for any. */
function portLimits(schema: JsonObject, limits: Constraints): Constraints {
  const isOpen = limits.minimum === undefined && limits.exclusiveMinimum === undefined;
  const least = isOpen && schema['format'] === 'port' ? { minimum: 1 } : {};
  return { ...limits, ...least, ...(limits.maximum === undefined && limits.exclusiveMaximum === undefined ? { maximum: LAST_PORT } : {}) };
}

/** Whether a value is a number or a share such as `25%`, by its pattern, its name or its words. */
function isPercentage(name: string, types: readonly ScalarType[], schema: JsonObject): boolean {
  if (!types.includes('string') || types.includes('boolean')) return false;
  const { pattern } = schema;
  if (typeof pattern === 'string') {
    return pattern.includes('%') && matchesPattern(pattern, '25%') && !['http', 'x%'].some((text) => matchesPattern(pattern, text));
  }
  return types.includes('integer') && (SHARE_NAME.test(name) || SAYS_SHARE.test(wordsOf(schema)));
}

function wordsOf(schema: JsonObject): string {
  return typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
}
