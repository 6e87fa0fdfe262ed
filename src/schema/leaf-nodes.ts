import type { Json, JsonObject } from '../domain/resource.ts';
import type { Constraints, EnumNode, MeasureNode, NodeBase, ScalarNode, ScalarType } from './form-node.ts';
import { hasQuantityPattern, textMeaning } from './heuristics.ts';
import { humanise } from './label.ts';

/** The control of a scalar that has one or several types. */
export function scalarNode(base: NodeBase, types: readonly ScalarType[], schema: JsonObject): ScalarNode {
  const constraints = constraintsOf(schema);
  if (types.length > 1) {
    const kind = hasQuantityPattern(schema) ? 'quantity' : 'int-or-string';
    return { ...base, kind, types, strict: kind === 'quantity', constraints: withoutPattern(constraints, kind) };
  }
  const [type] = types;
  if (type === 'boolean') return { ...base, kind: 'boolean' };
  if (type === 'integer' || type === 'number') return { ...base, kind: type, types, strict: true, constraints };
  return textNode(base, schema, constraints);
}

function textNode(base: NodeBase, schema: JsonObject, constraints: Constraints): ScalarNode {
  const meaning = textMeaning(base.key, schema);
  if (meaning.kind === 'quantity' || meaning.kind === 'duration') {
    return { ...base, kind: meaning.kind, types: ['string'], strict: meaning.strict, constraints };
  }
  return {
    ...base,
    kind: meaning.kind,
    types: ['string'],
    format: typeof schema['format'] === 'string' ? schema['format'] : '',
    constraints,
  };
}

/** The grammar of quantities says what the pattern says, in words that people understand. */
function withoutPattern(constraints: Constraints, kind: MeasureNode['kind']): Constraints {
  const { pattern: _, ...others } = constraints;
  return kind === 'quantity' ? others : constraints;
}

/** A choice; undefined when two of its options would read the same. */
export function enumNode(base: NodeBase, values: readonly Json[]): EnumNode | undefined {
  const options = [...new Set(values)].map((value) => ({ text: optionText(value), label: optionLabel(value), value }));
  return new Set(options.map((option) => option.text)).size === options.length ? { ...base, kind: 'enum', options } : undefined;
}

function optionText(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
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
