import type { Control, TypedNode } from './control.ts';
import type { FieldFacts } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** A time with its units, as Go writes it. */
export interface DurationNode extends TypedNode {
  readonly kind: 'duration';
  /** Whether the schema itself asks for one; otherwise it is only a hint. */
  readonly strict: boolean;
}

// Go's time.ParseDuration, with the days and weeks that OpenAPI's `duration` format adds.
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)\s?(?:ns|us|µs|μs|ms|s|m|h|d|w)\s?)+)$/;
const NAME = /(timeout|interval|period|delay|duration|ttl|retention|lifetime|age)s?$/i;

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
  return typeof fallback === 'string' && fallback !== '0' && NAME.test(key) && isDuration(fallback);
}
