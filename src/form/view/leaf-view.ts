import { advise } from '../controls/advise.ts';
import { readScalar } from '../controls/scalar-text.ts';
import { WHOLE_OBJECTS } from '../model/expected-shape.ts';
import { fieldName } from '../input/form-fields.ts';
import type { BooleanNode, EnumNode, FormNode, ScalarNode, YamlNode } from '../model/form-node.ts';
import { pickView, referenceOf } from '../references/pick-view.ts';
import type { AdvisedView, ChoiceView, FieldView, KeepView, OptionView, SearchView, SecretView, TextView } from './form-view-model.ts';
import { defaultHint } from './hints.ts';
import { pageErrors } from './page-errors.ts';
import { valueWords } from './value-words.ts';
import { describedBy, fieldText, frameOf, frozen, keepView, type ShowNode, type ViewContext } from './view-context.ts';
import { formatPath, idOfPath } from '../../schema/form-path.ts';

const MOST_RADIOS = 4;
const LONGEST_RADIO = 28;
const MOST_LINES = 24;
const ADVISED: readonly ScalarNode['kind'][] = ['cron', 'host', 'url', 'port', 'percentage'];
const MOST_IN_A_LIST = 12;
const MOST_SHOWN = 100;
const LONGEST_QUERY = 200;

const keys = new WeakMap<EnumNode['options'], string>();

/** A single control. */
export function scalarView(context: ViewContext, node: ScalarNode, ref: ShowNode): FieldView {
  const live = frozen(context, node, ref);
  const shown = live ?? context;
  if (node.kind === 'enum' && isLong(node)) return enumSearchView(shown, node, { ...ref, disabled: live !== undefined });
  if (node.kind === 'boolean' || node.kind === 'enum') return choiceView(shown, node, { ...ref, disabled: live !== undefined });
  const value = fieldText(shown, 'v', ref.path) ?? '';
  const lines = node.kind === 'multiline' || value.includes('\n') || isLongSecret(node);
  const hasSecret = node.kind === 'secret' && ref.base !== undefined && ref.base !== '' && ref.base !== null;
  const keep = hasSecret ? forgetView(context, node, ref) : keepView(shown, ref.path, { what: 'an empty text', offered: 'when ticked' });
  const note = hasSecret ? 'A value is set. Leave this empty to keep it.' : '';
  const partial = lines ? 'parts/field-lines' : 'parts/field-text';
  const view: TextView = {
    ...frameOf(shown, node, ref, { partial, disabled: live !== undefined, keep, note }),
    ...plainText(node, { name: fieldName('v', ref.path), value }),
    placeholder: hasSecret ? '' : defaultHint(node),
    type: node.kind === 'secret' ? 'password' : 'text',
    autocomplete: node.kind === 'secret' ? 'new-password' : 'off',
    masked: node.kind === 'secret',
    required: node.required && !hasSecret,
  };
  if (node.kind === 'secret' && !lines && live === undefined) return secretView(context, view, ref);
  if (!lines && isAdvised(node)) return advisedView(shown, view, node);
  const reference = lines || live !== undefined ? undefined : referenceOf(node);
  return reference === undefined ? view : pickView(shown, view, { reference, ref });
}

/** A choice of more than a list shows at a glance. */
function enumSearchView(context: ViewContext, node: EnumNode, ref: ShowNode & { readonly disabled: boolean }): FieldView {
  const keep = keepView(context, ref.path, { what: 'nothing', offered: 'when ticked' });
  const view: TextView = {
    ...frameOf(context, node, ref, { partial: 'parts/field-search', disabled: ref.disabled, keep }),
    ...plainText(node, { name: fieldName('v', ref.path), value: fieldText(context, 'v', ref.path) ?? '' }),
    placeholder: defaultHint(node),
  };
  return searchView(context, view, node);
}

/** A node as YAML: because nothing else can hold it, or because somebody asked for it. */
export function yamlView(context: ViewContext, node: FormNode, ref: ShowNode): TextView {
  const live = frozen(context, node, ref);
  const value = fieldText(live ?? context, 'y', ref.path) ?? '';
  const note = node.kind === 'yaml' ? noteOn(node) : 'Shown as YAML.';
  return {
    ...frameOf(context, node, ref, { partial: 'parts/field-lines', disabled: live !== undefined, keep: false, note }),
    ...plainText(node, { name: fieldName('y', ref.path), value }),
    placeholder: node.kind === 'yaml' ? defaultHint(node) : '',
    rows: linesOf(value, 4),
    width: 'full',
    code: true,
    fieldsOp: node.kind === 'yaml' || live !== undefined ? '' : `fields:${fieldName('v', ref.path).slice(2)}`,
  };
}

/** What is to be written where that is known. */
function noteOn({ reason }: YamlNode): string {
  return reason === WHOLE_OBJECTS
    ? 'Written as YAML: whole objects as kubectl takes them, each with apiVersion, kind and metadata.'
    : 'Written as YAML.';
}

/** The members of a group that its schema does not know. */
export function othersView(context: ViewContext, node: FormNode, ref: ShowNode): TextView {
  const live = frozen(context, node, ref);
  const value = fieldText(live ?? context, 'r', ref.path) ?? '';
  const others: YamlNode = {
    ...node,
    kind: 'yaml',
    reason: '',
    label: 'Other fields',
    required: false,
    help: { summary: 'More keys and values, written as YAML.', more: '' },
  };
  const frame = frameOf({ ...context, errors: pageErrors([]) }, others, ref, {
    partial: 'parts/field-lines',
    disabled: live !== undefined,
    keep: false,
  });
  const id = `${idOfPath(ref.path)}--others`;
  return {
    ...frame,
    id,
    describedBy: describedBy(id, { ...frame, error: '' }),
    ...plainText(others, { name: fieldName('r', ref.path), value }),
    rows: linesOf(value, 3),
    width: 'full',
    code: true,
  };
}

function plainText(node: FormNode, { name, value }: { name: string; value: string }): Omit<TextView, keyof ReturnType<typeof frameOf>> {
  return {
    name,
    value,
    placeholder: '',
    required: node.required,
    type: 'text',
    inputMode: inputModeOf(node),
    autocomplete: 'off',
    width: widthOf(node),
    rows: linesOf(value, 4),
    code: false,
    masked: false,
    fieldsOp: '',
  };
}

function linesOf(value: string, least: number): number {
  return Math.min(MOST_LINES, Math.max(least, value.split('\n').length + 1));
}

function inputModeOf(node: FormNode): string {
  if (node.kind === 'integer' || (node.kind === 'port' && node.types.length === 1)) return 'numeric';
  // The type stays text: what a browser refuses as an address would keep a draft from being sent.
  if (node.kind === 'url') return 'url';
  return node.kind === 'number' ? 'decimal' : 'text';
}

function widthOf(node: FormNode): TextView['width'] {
  if (['integer', 'number', 'quantity', 'duration', 'int-or-string', 'port', 'percentage'].includes(node.kind)) return 'short';
  if (node.kind === 'text' && (node.constraints.maxLength ?? Infinity) <= 20) return 'short';
  return node.kind === 'multiline' ? 'full' : 'medium';
}

/** Private keys have lines, which an input of one line would join. */
function isLongSecret(node: ScalarNode): boolean {
  return node.kind === 'secret' && /(private|tls|ssh)[_-]?key$/i.test(node.key);
}

function forgetView(context: ViewContext, node: ScalarNode, ref: ShowNode): KeepView | false {
  if (node.required) return false;
  const checked = fieldText(context, 's', ref.path) === 'unset';
  return { id: `${idOfPath(ref.path)}--keep`, name: fieldName('s', ref.path), value: 'unset', label: 'Remove the value', checked };
}

function choiceView(context: ViewContext, node: BooleanNode | EnumNode, ref: ShowNode & { readonly disabled: boolean }): ChoiceView {
  const value = fieldText(context, 'v', ref.path) ?? '';
  const named = optionsOf(node).map((option) => ({ ...option, label: option.label }));
  const radios =
    named.length <= MOST_RADIOS && named.every((option) => option.label.length <= LONGEST_RADIO) && (node.kind === 'enum' || node.required);
  const unset = unsetLabel(node, ref);
  const asked = node.required && !radios ? 'Choose one' : '';
  const first = node.required ? asked : unset;
  const all = [...(first === '' ? [] : [{ text: '', label: first }]), ...named];
  const options = all.map(({ text, label }, index): OptionView => ({
    id: index === 0 ? idOfPath(ref.path) : `${idOfPath(ref.path)}--${index}`,
    value: text,
    label,
    selected: text === value,
  }));
  const keep = keepView(context, ref.path, { what: 'nothing', offered: 'when ticked' });
  const partial = radios ? 'parts/field-radios' : 'parts/field-select';
  return {
    ...frameOf(context, node, ref, { partial, disabled: ref.disabled, keep }),
    name: fieldName('v', ref.path),
    required: node.required,
    options,
  };
}

function optionsOf(node: BooleanNode | EnumNode): readonly { readonly text: string; readonly label: string }[] {
  if (node.kind === 'enum') return node.options;
  return [
    { text: 'true', label: 'Yes' },
    { text: 'false', label: 'No' },
  ];
}

function unsetLabel(node: BooleanNode | EnumNode, ref: ShowNode): string {
  if (ref.title !== undefined) return 'Choose one';
  if (node.fallback === undefined) return 'Not set';
  if (node.kind === 'boolean') return `Default (${node.fallback === true ? 'yes' : 'no'})`;
  return `Default (${node.options.find((option) => option.value === node.fallback)?.label ?? valueWords(node.fallback, 60).words.slice(0, 60)})`;
}

/** Whether more is understood of such a value than that it is a text or a number. */
function isAdvised(node: ScalarNode): boolean {
  return ADVISED.includes(node.kind);
}

/** The same input, and below it what its value means, or that of the default while it is empty. Where something is refused, that is said instead. */
function advisedView({ now }: ViewContext, view: TextView, node: ScalarNode): TextView | AdvisedView {
  const checkOp = node.kind === 'cron' && !view.disabled ? 'check' : '';
  const isDefault = view.value === '';
  const read = isDefault ? { value: node.fallback ?? '' } : readScalar(node, view.value);
  const { says, next, warning } = advise(node, view.error === '' ? (read.value ?? '') : '', now);
  if (says === '' && warning === '' && checkOp === '') return view;
  const noteId = says === '' && warning === '' ? '' : `${view.id}-note`;
  return {
    ...view,
    partial: 'parts/field-advised',
    told: noteId !== '',
    says: says === '' ? '' : `${isDefault ? 'By default: ' : ''}${says}.`,
    next: next.map((time) => time.toISOString()),
    warning: isDefault ? '' : warning,
    checkOp,
    describedBy: [view.describedBy, noteId].filter((id) => id !== '').join(' '),
  };
}

/** Whether a choice has so many options that they are searched. */
function isLong(node: EnumNode): boolean {
  return node.options.length > MOST_IN_A_LIST;
}

/** An input that the browser completes from a list, and the same list to read, narrowed on the server where it is long. */
function searchView({ listed }: ViewContext, view: TextView, { options }: EnumNode): SearchView {
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

/** A secret of one line, with a button that makes a value up; right after that, and only then, the page can show what it is. */
function secretView(context: ViewContext, view: TextView, { path }: ShowNode): SecretView {
  const text = formatPath(path);
  const isNew = context.generated === text;
  return { ...view, partial: 'parts/field-secret', generateOp: `generate:${text}`, generated: isNew ? view.value : '' };
}
