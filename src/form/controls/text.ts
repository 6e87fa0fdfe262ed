import type { Reference } from '../references/reference-targets.ts';
import type { Control, StringNode } from './control.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

/** A text of one line without a meaning of its own. */
export interface TextNode extends StringNode {
  readonly kind: 'text';
  /** What it names, where it names something. */
  readonly reference?: Reference;
}

const SHORT = 20;
const HINTS: Readonly<Record<string, string>> = {
  'date-time': 'Such as 2026-01-31T12:00:00Z.',
  date: 'Such as 2026-01-31.',
  byte: 'Written in base64.',
};

/** Every text that no other control wants. */
export const text: Control<TextNode> = {
  ...TYPED_TEXT,
  kind: 'text',
  detect: textTraits,
  hint: ({ format }) => (Object.hasOwn(HINTS, format) ? (HINTS[format] ?? '') : ''),
  view: ({ constraints }) => ({ part: 'text', width: (constraints.maxLength ?? Infinity) <= SHORT ? 'short' : 'medium' }),
  examples: [
    {
      name: 'team',
      schema: { type: 'string', minLength: 3 },
      text: '080',
      value: '080',
      wrong: { text: 'é', says: 'Enter at least 3 characters; there is 1' },
    },
  ],
};
