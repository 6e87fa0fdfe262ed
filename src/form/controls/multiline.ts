import type { Control, StringNode } from './control.ts';
import { formatOf, type FieldFacts } from './field-facts.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

/** A text of several lines: a script, a certificate. */
export interface MultilineNode extends StringNode {
  readonly kind: 'multiline';
}

const LONG_NAME = /(script|certificate|publickey|manifest|cabundle)$/i;
const FILE_PATH = /^\.{0,2}\/\S*$/;

export const multiline: Control<MultilineNode> = {
  ...TYPED_TEXT,
  kind: 'multiline',
  detect: (field) => (hasLines(field) ? textTraits(field) : undefined),
  takes: () => 'text of several lines',
  view: () => ({ part: 'lines', width: 'full' }),
  examples: [
    {
      name: 'initScript',
      schema: { type: 'string', maxLength: 20 },
      text: 'set -e\nstart',
      value: 'set -e\nstart',
      wrong: { text: 'set -e\nstart --in-the-foreground', says: 'Enter at most 20 characters; there are 32' },
    },
  ],
};

function hasLines({ key, schema }: FieldFacts): boolean {
  const format = formatOf(schema);
  const fallback = typeof schema['default'] === 'string' ? schema['default'] : '';
  if (format === 'multiline' || format === 'textarea' || fallback.includes('\n')) return true;
  return LONG_NAME.test(key) && !FILE_PATH.test(fallback);
}
