import { mayBeSecret, saysSecret, sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import { type FieldFacts, formatOf, ownerOf } from './field-facts.ts';
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

/** A text that nobody is shown. */
export interface SecretNode extends StringNode {
  readonly kind: 'secret';
}

/** Private keys have lines, which an input of one line would join. */
const LONG_SECRET = /(private|tls|ssh)[_-]?key$/i;

export const secret: Control<SecretNode> = {
  ...TYPED_TEXT,
  kind: 'secret',
  secret: true,
  claim: (field) => (field.sensitive || saysSecret(field.schema) ? textTraits(field) : undefined),
  detect: (field) => (isCalledSecret(field) ? textTraits(field) : undefined),
  takes: () => 'a secret',
  view: ({ key }) => ({ part: LONG_SECRET.test(key) ? 'lines' : 'secret', width: 'medium' }),
  examples: [
    {
      name: 'adminPassword',
      schema: { type: 'string', pattern: '^[a-z-]+$' },
      text: 'correct-horse',
      value: 'correct-horse',
      wrong: { text: 'Correct', says: 'Use the form ^[a-z-]+$' },
    },
  ],
};

function isCalledSecret({ path, schema, siblings }: FieldFacts): boolean {
  return mayBeSecret(ownerOf(path)) && sensitivityOf({ path, schema, siblings }) === 'secret';
}
