import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { warnUnless } from './advice.ts';
import { type Control, helpText, type Traits, type TypedNode } from './control.ts';
import { descriptionOf, type FieldFacts, nameOf } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './numbers.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';

/** An amount with a unit, as resource.Quantity of Kubernetes. */
export interface QuantityNode extends TypedNode {
  readonly kind: 'quantity';
  /** Whether the schema itself asks for one; otherwise it is only a hint. */
  readonly strict: boolean;
}

// Grammar of k8s.io/apimachinery resource.Quantity: a signed decimal number with a binary, decimal or exponent suffix.
const QUANTITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const QUANTITY_NAME = /(size|storage|memory|cpu|capacity|disk|volume|limit|request)s?$/i;
// The pattern that controller-tools writes for resource.Quantity has this alternative in it.
const PATTERN = /\[KMGTPE\]i|Ki\|Mi\|Gi/;
const UNITS_IN_WORDS = /\b\d+(Ki|Mi|Gi|Ti)\b/;

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
  return types.length === 1 && QUANTITY_NAME.test(key) && (hasUnit(schema['default']) || UNITS_IN_WORDS.test(descriptionOf(schema)));
}

function hasUnit(value: unknown): boolean {
  return typeof value === 'string' && isQuantity(value) && /[a-z]$/i.test(value);
}

/** A time with its units, as Go writes it. */
export interface DurationNode extends TypedNode {
  readonly kind: 'duration';
  /** Whether the schema itself asks for one; otherwise it is only a hint. */
  readonly strict: boolean;
}

// Go's time.ParseDuration, with the days and weeks that OpenAPI's `duration` format adds.
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)\s?(?:ns|us|µs|μs|ms|s|m|h|d|w)\s?)+)$/;
const DURATION_NAME = /(timeout|interval|period|delay|duration|ttl|retention|lifetime|age)s?$/i;

export const duration: Control<DurationNode> = {
  ...TYPED_NUMBER,
  kind: 'duration',
  holds: ['string'],
  ownGrammar: true,
  claim: (field) => (field.schema['format'] === 'duration' ? { ...numberTraits(field), strict: true } : undefined),
  detect: (field) => (isCalledTime(field) ? { ...numberTraits(field), strict: false } : undefined),
  check: ({ strict }, value) => (strict && !isDuration(value) ? 'Enter a duration such as 30s, 5m or 1h30m' : undefined),
  hint: () => 'Such as 30s, 5m or 1h30m.',
  takes: () => 'a duration, such as 1h30m',
  examples: [
    {
      name: 'wait',
      schema: { type: 'string', format: 'duration' },
      text: '1h30m',
      value: '1h30m',
      wrong: { text: '10', says: 'Enter a duration such as 30s, 5m or 1h30m' },
    },
  ],
};

/** Whether the text is a duration such as `30s` or `1h30m`. */
function isDuration(text: string): boolean {
  return text.length <= 100 && DURATION.test(text);
}

function isCalledTime({ key, schema }: FieldFacts): boolean {
  const { default: fallback } = schema;
  return typeof fallback === 'string' && fallback !== '0' && DURATION_NAME.test(key) && isDuration(fallback);
}

/** A share such as `25%`, or a number where that is taken. */
export interface PercentageNode extends TypedNode {
  readonly kind: 'percentage';
}

const PERCENTAGE_NAME = /^(maxUnavailable|maxSurge|minAvailable)$/;
const PERCENT_IN_WORDS = /\bper ?cent(age)?s?\b|\b\d{1,3} ?%/i;
const SHARE = /^\d+(\.\d+)?%$/;

export const percentage: Control<PercentageNode> = {
  ...TYPED_NUMBER,
  kind: 'percentage',
  holds: ['string', 'mixed'],
  detect: (field) => (isPercentage(field) ? numberTraits(field) : undefined),
  explain: () => 'Enter a share such as 25%, or a number where that is taken',
  advise: (_node, value) => warnUnless(SHARE.test(value), value, 'This is no number and no share, such as 25%'),
  hint: (node) => {
    if (/\d%/.test(helpText(node))) return '';
    return node.types.length > 1 ? 'A number, or a share such as 25%.' : 'Such as 25%.';
  },
  takes: () => 'a number, or a share such as 25%',
  view: () => ({ part: 'advised', width: 'short' }),
  examples: [
    {
      name: 'maxSurge',
      schema: { 'x-kubernetes-int-or-string': true, pattern: '^([0-9]|[1-9][0-9]|100)%$' },
      text: '25%',
      value: '25%',
      wrong: { text: '250%', says: 'Enter a share such as 25%, or a number where that is taken' },
    },
  ],
};

/** Whether a value is a number or a share, by its pattern, its name or its words. */
function isPercentage(field: FieldFacts): boolean {
  const { schema, types } = field;
  const { pattern } = schema;
  if (!types.includes('string') || types.includes('boolean')) return false;
  if (typeof pattern === 'string') {
    return pattern.includes('%') && matchesPattern(pattern, '25%') && !['http', 'x%'].some((text) => matchesPattern(pattern, text));
  }
  return types.includes('integer') && (PERCENTAGE_NAME.test(nameOf(field)) || PERCENT_IN_WORDS.test(descriptionOf(schema)));
}
