import type { Control, TypedNode } from './control.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** A value that may be a number or a text, or true or false. */
export interface IntOrStringNode extends TypedNode {
  readonly kind: 'int-or-string';
}

/** Every value of several types that no other control wants. */
export const intOrString: Control<IntOrStringNode> = {
  ...TYPED_NUMBER,
  kind: 'int-or-string',
  holds: ['mixed'],
  detect: numberTraits,
  hint: ({ types }) => {
    if (!types.includes('string')) return 'A number, or true or false.';
    return types.includes('boolean') ? 'Text, or true or false.' : 'A number, or text.';
  },
  takes: () => 'a number or text',
  examples: [
    {
      name: 'weight',
      schema: { 'x-kubernetes-int-or-string': true, minimum: 1 },
      text: '"080"',
      value: '080',
      wrong: { text: '0', says: 'Enter 1 or more' },
    },
    {
      name: 'weight',
      schema: { 'x-kubernetes-int-or-string': true, maxLength: 4 },
      text: '80',
      value: 80,
      wrong: { text: 'eighty', says: 'Enter at most 4 characters; there are 6' },
    },
  ],
};
