import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { humanise } from '../model/label.ts';
import type { Control, Option, ScalarBase, TextRead } from './control.ts';

export interface EnumNode extends ScalarBase {
  readonly kind: 'enum';
  readonly options: readonly Option[];
}

const MAX_RADIOS = 4;
const MAX_RADIO_LENGTH = 28;
const MAX_LISTED = 12;
const MAX_INPUT_LENGTH = 100;
const MAX_SUGGESTIONS = 5;
/** Options that are as much work on a page as one field. */
const OPTIONS = 10;

/** One of several values: radio buttons, a list, or a search where there are many. */
export const enumeration: Control<EnumNode> = {
  kind: 'enum',
  holds: ['options'],
  detect: ({ options = [] }) => ({ options: optionsOf(options) }),
  read: readOption,
  format: ({ options }, value) => options.find((option) => option.value === value)?.text,
  takes: ({ options }) => `one of: ${options.map(({ text }) => text).join(', ')}`,
  options: ({ options }) => options,
  work: ({ options }) => options.length / OPTIONS,
  view: ({ options }) => {
    if (options.length > MAX_LISTED) return { part: 'search', width: 'medium' };
    const areFew = options.length <= MAX_RADIOS && options.every(({ label }) => label.length <= MAX_RADIO_LENGTH);
    return { part: areFew ? 'radios' : 'select', width: 'medium' };
  },
  examples: [
    { name: 'tier', schema: { enum: ['small', 3] }, text: '3', value: 3, wrong: { text: 'large', says: 'Choose one of the options' } },
    {
      name: 'zone',
      schema: { enum: Array.from({ length: 20 }, (_, index) => `zone-${index}`) },
      text: 'zone-3',
      value: 'zone-3',
      wrong: { text: 'e-19', says: '"e-19" is not one of the 20 choices: did you mean zone-19?' },
    },
  ],
};

/** A text that reads like an option of another type stands in quotes. */
function optionsOf(values: readonly Json[]): readonly Option[] {
  const unique = [...new Set(values)];
  const others = new Set(unique.filter((value) => typeof value !== 'string' || value === '').map((value) => stringifyJson(value)));
  const isMixed = unique.some((value) => typeof value === 'string' && others.has(value));
  return unique.map((value) => {
    const text = typeof value === 'string' && value !== '' && !isMixed ? value : stringifyJson(value);
    return { text, label: isMixed && typeof value === 'string' ? text : labelOf(value), value };
  });
}

function labelOf(value: Json): string {
  if (value === '') return 'Empty text';
  if (typeof value === 'boolean') return humanise(String(value));
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** By its text, else by its label, else by the only one that differs in capitals alone. */
function readOption({ options }: EnumNode, text: string): TextRead {
  const typed = text.trim();
  const same = options.filter((one) => one.text.toLowerCase() === typed.toLowerCase());
  const option =
    options.find((one) => one.text === text) ?? options.find((one) => one.label === typed) ?? (same.length === 1 ? same[0] : undefined);
  return option === undefined ? { fault: noOption(options, typed) } : { value: option.value };
}

function noOption(options: EnumNode['options'], typed: string): string {
  if (options.length <= MAX_LISTED || typed.length > MAX_INPUT_LENGTH) return 'Choose one of the options';
  const near = options.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase())).slice(0, MAX_SUGGESTIONS);
  const hint = near.length === 0 ? 'choose one of the list' : `did you mean ${near.map(({ text }) => text).join(', ')}?`;
  return `${JSON.stringify(typed)} is not one of the ${options.length} choices: ${hint}`;
}

export interface BooleanNode extends ScalarBase {
  readonly kind: 'boolean';
}

const YES_OR_NO: readonly Option[] = [
  { text: 'true', label: 'Yes', words: 'yes', value: true },
  { text: 'false', label: 'No', words: 'no', value: false },
];

/** Yes or no; where neither is required, a third choice leaves it open. */
export const boolean: Control<BooleanNode> = {
  kind: 'boolean',
  holds: ['boolean'],
  detect: () => ({}),
  read: (_node, text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : { fault: 'Choose Yes or No' }),
  format: (_node, value) => (typeof value === 'boolean' ? String(value) : undefined),
  takes: () => 'true or false',
  options: () => YES_OR_NO,
  view: ({ required }) => ({ part: required ? 'radios' : 'select', width: 'medium' }),
  examples: [
    { name: 'enabled', schema: { type: 'boolean' }, text: 'true', value: true, wrong: { text: 'maybe', says: 'Choose Yes or No' } },
  ],
};
