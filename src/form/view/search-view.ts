import type { EnumNode } from '../model/form-node.ts';
import type { SearchView, TextView } from './form-view-model.ts';
import type { ViewContext } from './view-context.ts';

const MOST_IN_A_LIST = 12;
const MOST_SHOWN = 100;
const LONGEST_QUERY = 200;

/** Whether a choice has so many options that they are searched. */
export function isLong(node: EnumNode): boolean {
  return node.options.length > MOST_IN_A_LIST;
}

/** An input that the browser completes from a list, and the same list to read, narrowed on the server where it is long. */
export function searchView({ listed }: ViewContext, view: TextView, { options }: EnumNode): SearchView {
  const texts = options.map(({ text }) => text);
  const key = `enum ${joined(options)}`;
  const first = listed.get(key);
  const listId = first ?? `${view.id}-choices`;
  if (first === undefined) listed.set(key, listId);
  const { shown, heading } = first === undefined || view.error !== '' ? readable(texts, view.value) : { shown: [], heading: '' };
  const noteId = `${view.id}-note`;
  return {
    ...view,
    listId,
    options: first === undefined ? options.map(({ text, label }) => ({ value: text, label: label === text ? '' : label })) : [],
    note: `One of ${options.length}; type a part of it to find it.`,
    heading,
    shown,
    narrowOp: heading !== '' && texts.length > MOST_SHOWN && !view.disabled ? 'check' : '',
    describedBy: [view.describedBy, noteId].filter((id) => id !== '').join(' '),
  };
}

const keys = new WeakMap<EnumNode['options'], string>();

/** All texts as one, which the rows of a list share. */
function joined(options: EnumNode['options']): string {
  const known = keys.get(options) ?? options.map(({ text }) => text).join('\n');
  keys.set(options, known);
  return known;
}

function readable(texts: readonly string[], typed: string): { readonly shown: readonly string[]; readonly heading: string } {
  if (texts.length <= MOST_SHOWN) return { shown: texts, heading: `All ${texts.length} choices` };
  const words = typed.slice(0, LONGEST_QUERY).trim().toLowerCase();
  const found = words === '' || texts.includes(typed) ? texts : texts.filter((text) => text.toLowerCase().includes(words));
  const shown = found.slice(0, MOST_SHOWN);
  const of = found === texts ? `${texts.length} choices` : `${found.length} choices with ${words} in them`;
  return { shown, heading: shown.length < found.length ? `The first ${MOST_SHOWN} of ${of}` : of };
}
