import { matchesPattern } from '../../schema/matches-pattern.ts';
import { warnUnless } from './advice.ts';
import { helpText, type Control, type TypedNode } from './control.ts';
import { descriptionOf, nameOf, type FieldFacts } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** A share such as `25%`, or a number where that is taken. */
export interface PercentageNode extends TypedNode {
  readonly kind: 'percentage';
}

const NAME = /^(maxUnavailable|maxSurge|minAvailable)$/;
const IN_WORDS = /\bper ?cent(age)?s?\b|\b\d{1,3} ?%/i;
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
  return types.includes('integer') && (NAME.test(nameOf(field)) || IN_WORDS.test(descriptionOf(schema)));
}
