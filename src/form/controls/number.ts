import type { Control, TypedNode } from './control.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

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
