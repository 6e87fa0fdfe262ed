import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Control, Traits, TypedNode } from './control.ts';
import { descriptionOf, type FieldFacts } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** An amount with a unit, as resource.Quantity of Kubernetes. */
export interface QuantityNode extends TypedNode {
  readonly kind: 'quantity';
  /** Whether the schema itself asks for one; otherwise it is only a hint. */
  readonly strict: boolean;
}

// Grammar of k8s.io/apimachinery resource.Quantity: a signed decimal number with a binary, decimal or exponent suffix.
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const NAME = /(size|storage|memory|cpu|capacity|disk|volume|limit|request)s?$/i;
// The pattern that controller-tools writes for resource.Quantity has this alternative in it.
const PATTERN = /\[KMGTPE\]i|Ki\|Mi\|Gi/;
const IN_WORDS = /\b\d+(Ki|Mi|Gi|Ti)\b/;

export const quantity: Control<QuantityNode> = {
  ...TYPED_NUMBER,
  kind: 'quantity',
  holds: ['string', 'mixed'],
  ownGrammar: true,
  claim: (field) => (isDeclared(field) ? strictTraits(field) : undefined),
  detect: (field) => (isCalledAmount(field) ? { ...numberTraits(field), strict: false } : undefined),
  check: ({ strict }, value) => (strict && !isQuantity(value) ? 'Enter an amount such as 500m, 2 or 10Gi' : undefined),
  hint: ({ path }) => (/cpu/i.test(path.join('.')) ? 'Such as 500m or 2.' : 'Such as 500Mi or 10Gi.'),
  takes: () => 'an amount, such as 10Gi',
  examples: [
    {
      name: 'reserve',
      schema: { type: 'string', format: 'quantity' },
      text: '10Gi',
      value: '10Gi',
      wrong: { text: '10GB', says: 'Enter an amount such as 500m, 2 or 10Gi' },
    },
  ],
};

/** Whether the text is a Kubernetes quantity such as `500m`, `1.5` or `10Gi`. */
function isQuantity(text: string): boolean {
  return text.length <= 100 && QUANTITY.test(text);
}

/** By its format, or by the pattern of quantities. */
function isDeclared({ schema, types }: FieldFacts): boolean {
  return (types.length === 1 && schema['format'] === 'quantity') || hasPattern(schema);
}

function hasPattern({ pattern }: JsonObject): boolean {
  return typeof pattern === 'string' && PATTERN.test(pattern.slice(0, 500));
}

/** Where numbers are taken too, the grammar says what the pattern says, in words that people understand. */
function strictTraits(field: FieldFacts): Traits<QuantityNode> {
  const traits = numberTraits(field);
  const { pattern: _, ...others } = traits.constraints;
  return { ...traits, strict: true, constraints: field.types.length > 1 ? others : traits.constraints };
}

function isCalledAmount({ key, schema, types }: FieldFacts): boolean {
  return types.length === 1 && NAME.test(key) && (hasUnit(schema['default']) || IN_WORDS.test(descriptionOf(schema)));
}

function hasUnit(value: unknown): boolean {
  return typeof value === 'string' && isQuantity(value) && /[a-z]$/i.test(value);
}
