import type { HiddenInput } from '../../domain/core/packed-inputs.ts';
import { fieldName, parseFieldName, withFields } from './form-fields.ts';

/**
 * A form with inputs that its page carried on where nobody reads them. Those that were sent keep their order and come first; the field of a secret that was
 * left empty gets what was typed into it earlier, unless the form says that the secret is to be taken away.
 */
export function restoreInputs(form: URLSearchParams, carried: readonly HiddenInput[]): URLSearchParams {
  const sent = new Map([...form].toReversed());
  const isLeftEmpty = (name: string): boolean => {
    const field = sent.get(name) === '' ? parseFieldName(name) : undefined;
    return field?.part === 'value' && sent.get(fieldName('state', field.path)) !== 'unset';
  };
  const typed = carried.filter(({ name }) => isLeftEmpty(name)).map(({ name, value }) => [name, value] as const);
  const restored = withFields(form, new Map(typed));
  for (const { name, value } of carried) if (!sent.has(name)) restored.append(name, value);
  return restored;
}
