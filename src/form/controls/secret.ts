import { mayBeSecret, saysSecret, sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import type { Control, StringNode } from './control.ts';
import { ownerOf, type FieldFacts } from './field-facts.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

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
