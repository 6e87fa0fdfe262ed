import type { Control, Option, ScalarBase } from './control.ts';

export interface BooleanNode extends ScalarBase {
  readonly kind: 'boolean';
}

const OPTIONS: readonly Option[] = [
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
  options: () => OPTIONS,
  view: ({ required }) => ({ part: required ? 'radios' : 'select', width: 'medium' }),
  examples: [
    { name: 'enabled', schema: { type: 'boolean' }, text: 'true', value: true, wrong: { text: 'maybe', says: 'Choose Yes or No' } },
  ],
};
