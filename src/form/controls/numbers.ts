import type { Control, TypedNode } from './control.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** A whole number. */
export interface IntegerNode extends TypedNode {
  readonly kind: 'integer';
}

/** Every whole number that no other control wants. */
export const integer: Control<IntegerNode> = {
  ...TYPED_NUMBER,
  kind: 'integer',
  holds: ['integer'],
  detect: numberTraits,
  takes: () => 'a whole number',
  view: () => ({ part: 'text', width: 'short', inputMode: 'numeric' }),
  examples: [
    {
      name: 'replicas',
      schema: { type: 'integer' },
      text: '3',
      value: 3,
      wrong: { text: 'three', says: 'Enter a whole number, such as 3' },
    },
    {
      name: 'revision',
      schema: { type: 'integer', minimum: 1 },
      text: '9007199254740993',
      value: 9007199254740993n,
      wrong: { text: '0', says: 'Enter 1 or more' },
    },
  ],
};

/** A number that may have a fraction. */
export interface NumberNode extends TypedNode {
  readonly kind: 'number';
}

export const number: Control<NumberNode> = {
  ...TYPED_NUMBER,
  kind: 'number',
  holds: ['number'],
  detect: numberTraits,
  takes: () => 'a number',
  view: () => ({ part: 'text', width: 'short', inputMode: 'decimal' }),
  examples: [
    { name: 'ratio', schema: { type: 'number' }, text: '2.5', value: 2.5, wrong: { text: '2,5', says: 'Enter a number, such as 2.5' } },
  ],
};

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
