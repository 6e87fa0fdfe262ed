import { matchesPattern } from '../../schema/matches-pattern.ts';
import { warnUnless } from './advice.ts';
import type { Control, Traits, TypedNode } from './control.ts';
import { descriptionOf, formatOf, nameOf, wordsOfName, type FieldFacts } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './typed-number.ts';

/** The number of a port, or its name where text is taken too. */
export interface PortNode extends TypedNode {
  readonly kind: 'port';
}

const LAST_PORT = 65_535;
const NAME = /(^| )port$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/;

export const port: Control<PortNode> = {
  ...TYPED_NUMBER,
  kind: 'port',
  holds: ['integer', 'mixed'],
  detect: (field) => (isPort(field) ? portTraits(field) : undefined),
  advise: (_node, value) => warnUnless(PORT_NAME.test(value), value, 'This is no number and no name of a port, such as http'),
  hint: ({ types }) => (types.length > 1 ? 'A number, or the name of a port.' : ''),
  takes: () => 'a port',
  view: ({ types }) => ({ part: 'advised', width: 'short', ...(types.length === 1 ? { inputMode: 'numeric' } : {}) }),
  examples: [
    { name: 'port', schema: { type: 'integer' }, text: '8080', value: 8080, wrong: { text: '70000', says: 'Enter 65535 or less' } },
    {
      name: 'targetPort',
      schema: { 'x-kubernetes-int-or-string': true },
      text: 'http',
      value: 'http',
      wrong: { text: '70000', says: 'Enter 65535 or less' },
    },
  ],
};

/** Whether a whole number is a port: its format, its name, or its limits together with its words say so, and nothing speaks against it. */
function isPort(field: FieldFacts): boolean {
  const { schema, types } = field;
  if (!types.includes('integer') || types.includes('boolean')) return false;
  const { maximum = LAST_PORT, default: fallback = 1, pattern } = schema;
  if (formatOf(schema) === 'port') return true;
  if (typeof maximum !== 'number' || maximum > LAST_PORT || (typeof fallback === 'number' && fallback > LAST_PORT)) return false;
  if (typeof pattern === 'string' && !matchesPattern(pattern, 'http')) return false;
  return (
    NAME.test(wordsOfName(field)) || (schema['maximum'] === LAST_PORT && /\bports?\b/i.test(`${nameOf(field)} ${descriptionOf(schema)}`))
  );
}

/** The limits of a port, where its schema has none of its own. Only a format says that there is a lower one: many apps take 0 for off, or for any. */
function portTraits(field: FieldFacts): Traits<PortNode> {
  const { types, constraints: limits } = numberTraits(field);
  const isOpen = limits.minimum === undefined && limits.exclusiveMinimum === undefined;
  const least = isOpen && formatOf(field.schema) === 'port' ? { minimum: 1 } : {};
  const most = limits.maximum === undefined && limits.exclusiveMaximum === undefined ? { maximum: LAST_PORT } : {};
  return { types, constraints: { ...limits, ...least, ...most } };
}
