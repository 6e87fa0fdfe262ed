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
