import { exactNumber } from '../../domain/core/exact-json.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { ScalarType } from '../model/field.ts';
import type { Control, TextRead, Traits, TypedNode } from './control.ts';
import type { FieldFacts } from './field-facts.ts';
import { constraintsOf } from './limits.ts';

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_NUMBER_LENGTH = 400;

/** What the controls of numbers, and of what is a number or a text, have in common: a short input that reads what its types allow. */
export const TYPED_NUMBER = {
  read: readTyped,
  format: formatTyped,
  view: () => ({ part: 'text', width: 'short' }),
} as const satisfies Partial<Control<TypedNode>>;

export function numberTraits({ schema, types }: FieldFacts): Traits<TypedNode> {
  return { types, constraints: constraintsOf(schema) };
}

/** Numbers first, then what else is allowed. Where text is allowed too, quotes make text of a number: `"80"`. */
function readTyped({ types }: TypedNode, text: string): TextRead {
  const trimmed = text.trim();
  const allows = (type: ScalarType) => types.includes(type);
  if (allows('boolean') && (trimmed === 'true' || trimmed === 'false')) return { value: trimmed === 'true' };
  const looks = trimmed.length <= MAX_NUMBER_LENGTH && (allows('number') ? NUMBER : INTEGER).test(trimmed);
  if ((allows('integer') || allows('number')) && looks) return readNumber(trimmed, allows('string'));
  if (allows('string')) return { value: types.length > 1 ? unquoted(text) : text };
  return { fault: allows('number') ? 'Enter a number, such as 2.5' : 'Enter a whole number, such as 3' };
}

function formatTyped(node: TypedNode, value: Json): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value === 0 ? 0 : value);
  if (typeof value !== 'string' || value.includes('\n')) return undefined;
  return node.types.length > 1 && readTyped(node, value).value !== value ? JSON.stringify(value) : value;
}

/** A number whose digits survive; where text is allowed, digits that would not are kept as text. */
function readNumber(text: string, textAllowed: boolean): TextRead {
  const value = exactNumber(text);
  if (value !== undefined) return { value: value === 0 ? 0 : value };
  return textAllowed ? { value: text } : { fault: tooManyDigits(text) };
}

function tooManyDigits(text: string): string {
  const nearest = Number(text);
  if (!Number.isFinite(nearest)) return 'This number is too large to be kept';
  if (INTEGER.test(text))
    return 'This number has too many digits: whole numbers are kept exactly from -9223372036854775808 to 9223372036854775807';
  return `This number has more digits than can be kept; the nearest one is ${nearest}`;
}

function unquoted(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}

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
