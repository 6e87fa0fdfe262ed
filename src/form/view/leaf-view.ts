import type { ControlView, Option } from '../controls/control.ts';
import { controlOf } from '../controls/controls.ts';
import { advise, readScalar } from '../controls/scalar.ts';
import { WHOLE_OBJECTS } from '../model/shape.ts';
import { fieldName } from '../input/form-fields.ts';
import { isScalar, isSecret, type FormNode, type ScalarNode, type YamlNode } from '../model/form-node.ts';
import { pickView, referenceOf } from '../references/pick-view.ts';
import type { AdvisedView, ChoiceView, FieldView, KeepView, OptionView, SearchView, SecretView, TextView } from './form-view-model.ts';
import { defaultHint } from './hints.ts';
import { pageErrors } from './page-errors.ts';
import { valueWords } from './value-words.ts';
import { describedBy, fieldText, frameOf, frozen, keepView, type ShowNode, type ViewContext } from './view-context.ts';
import { formatPath, idOfPath } from '../../schema/form-path.ts';
import { STAND_IN } from '../../schema/sensitive/mask.ts';

const MAX_LINES = 24;
const NO_CONTROL: Pick<ControlView, 'width' | 'inputMode'> = { width: 'medium' };
const MAX_SHOWN = 100;
const MAX_QUERY_LENGTH = 200;

const keys = new WeakMap<readonly Option[], string>();

/** A single control. */
export function scalarView(context: ViewContext, node: ScalarNode, ref: ShowNode): FieldView {
  const live = frozen(context, node, ref);
  const shown = live ?? context;
  const { part } = controlOf(node).view(node);
  if (part === 'search') return searchView(shown, node, { ...ref, disabled: live !== undefined });
  if (part === 'radios' || part === 'select') return choiceView(shown, node, { ...ref, disabled: live !== undefined });
  const value = fieldText(shown, 'value', ref.path) ?? '';
  const lines = part === 'lines' || value.includes('\n');
  const masked = isSecret(node);
  const hasSecret = masked && ref.base !== undefined && ref.base !== '' && ref.base !== null;
  const keep = hasSecret ? forgetView(context, node, ref) : keepView(shown, ref.path, { what: 'an empty text', offered: 'when ticked' });
  const typed = masked && live === undefined ? typedSecret(context, ref) : undefined;
  const note = typed !== undefined ? TYPED : hasSecret ? 'A value is set. Leave this empty to keep it.' : '';
  const partial = lines ? 'parts/field-lines' : 'parts/field-text';
  const view: TextView = {
    ...frameOf(shown, node, ref, { partial, disabled: live !== undefined, keep, note }),
    ...plainText(node, { name: fieldName('value', ref.path), value: typed === undefined ? value : '' }),
    placeholder: hasSecret || typed !== undefined ? '' : defaultHint(node),
    type: masked ? 'password' : 'text',
    autocomplete: masked ? 'new-password' : 'off',
    masked,
    required: node.required && !hasSecret && typed === undefined,
    clearOp: typed === undefined ? '' : `clear:${formatPath(ref.path)}`,
  };
  if (part === 'secret' && !lines && live === undefined) return secretView(context, view, ref);
  if (part === 'advised' && !lines) return advisedView(shown, view, node);
  const reference = lines || live !== undefined ? undefined : referenceOf(node);
  return reference === undefined ? view : pickView(shown, view, { reference, ref });
}

/** A node as YAML: because nothing else can hold it, or because somebody asked for it. */
export function yamlView(context: ViewContext, node: FormNode, ref: ShowNode): TextView {
  const live = frozen(context, node, ref);
  const value = fieldText(live ?? context, 'yaml', ref.path) ?? '';
  const note = node.kind === 'yaml' ? noteOn(node) : 'Shown as YAML.';
  return {
    ...frameOf(context, node, ref, { partial: 'parts/field-lines', disabled: live !== undefined, keep: false, note }),
    ...plainText(node, { name: fieldName('yaml', ref.path), value }),
    placeholder: node.kind === 'yaml' ? defaultHint(node) : '',
    rows: linesOf(value, 4),
    width: 'full',
    code: true,
    fieldsOp: node.kind === 'yaml' || live !== undefined ? '' : `fields:${fieldName('value', ref.path).slice(2)}`,
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
  const value = fieldText(live ?? context, 'rest', ref.path) ?? '';
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
    ...plainText(others, { name: fieldName('rest', ref.path), value }),
    rows: linesOf(value, 3),
    width: 'full',
    code: true,
  };
}

function plainText(node: FormNode, { name, value }: { name: string; value: string }): Omit<TextView, keyof ReturnType<typeof frameOf>> {
  const { width, inputMode } = isScalar(node) ? controlOf(node).view(node) : NO_CONTROL;
  return {
    name,
    value,
    placeholder: '',
    required: node.required,
    type: 'text',
    inputMode: inputMode ?? 'text',
    autocomplete: 'off',
    width,
    rows: linesOf(value, 4),
    code: false,
    masked: false,
    fieldsOp: '',
    clearOp: '',
  };
}

function linesOf(value: string, least: number): number {
  return Math.min(MAX_LINES, Math.max(least, value.split('\n').length + 1));
}

function forgetView(context: ViewContext, node: ScalarNode, ref: ShowNode): KeepView | false {
  if (node.required) return false;
  const checked = fieldText(context, 'state', ref.path) === 'unset';
  return { id: `${idOfPath(ref.path)}--keep`, name: fieldName('state', ref.path), value: 'unset', label: 'Remove the value', checked };
}

function choiceView(context: ViewContext, node: ScalarNode, ref: ShowNode & { readonly disabled: boolean }): ChoiceView {
  const control = controlOf(node);
  const { part } = control.view(node);
  const value = fieldText(context, 'value', ref.path) ?? '';
  const named = control.options?.(node) ?? [];
  const asked = node.required && part === 'select' ? 'Choose one' : '';
  const first = node.required ? asked : unsetLabel(node, ref, named);
  const all = [...(first === '' ? [] : [{ text: '', label: first }]), ...named];
  const options = all.map(({ text, label }, index): OptionView => ({
    id: index === 0 ? idOfPath(ref.path) : `${idOfPath(ref.path)}--${index}`,
    value: text,
    label,
    selected: text === value,
  }));
  const keep = keepView(context, ref.path, { what: 'nothing', offered: 'when ticked' });
  return {
    ...frameOf(context, node, ref, { partial: `parts/field-${part}`, disabled: ref.disabled, keep }),
    name: fieldName('value', ref.path),
    required: node.required,
    options,
  };
}

function unsetLabel({ fallback }: ScalarNode, { title }: ShowNode, options: readonly Option[]): string {
  if (title !== undefined) return 'Choose one';
  if (fallback === undefined) return 'Not set';
  const option = options.find(({ value }) => value === fallback);
  return `Default (${option?.words ?? option?.label ?? valueWords(fallback, 60).words.slice(0, 60)})`;
}

/** The same input, and below it what its value means, or that of the default while it is empty. Where the text is wrong, the error is there instead. */
function advisedView({ now }: ViewContext, view: TextView, node: ScalarNode): TextView | AdvisedView {
  const checkOp = controlOf(node).view(node).checkable === true && !view.disabled ? 'check' : '';
  const isDefault = view.value === '';
  const read = isDefault ? { value: node.fallback ?? '' } : readScalar(node, view.value);
  const { says, next, warning } = advise(node, view.error === '' ? (read.value ?? '') : '', now);
  if (says === '' && warning === '' && checkOp === '') return view;
  const noteId = says === '' && warning === '' ? '' : `${view.id}-note`;
  return {
    ...view,
    partial: 'parts/field-advised',
    isNoted: noteId !== '',
    says: says === '' ? '' : `${isDefault ? 'By default: ' : ''}${says}.`,
    next: next.map((time) => time.toISOString()),
    warning: isDefault ? '' : warning,
    checkOp,
    describedBy: [view.describedBy, noteId].filter((id) => id !== '').join(' '),
  };
}

/** A choice of more than a list shows at a glance: an input that the browser completes, and the same list to read, narrowed on the server where it is long. */
function searchView(context: ViewContext, node: ScalarNode, ref: ShowNode & { readonly disabled: boolean }): SearchView {
  const keep = keepView(context, ref.path, { what: 'nothing', offered: 'when ticked' });
  const view: TextView = {
    ...frameOf(context, node, ref, { partial: 'parts/field-search', disabled: ref.disabled, keep }),
    ...plainText(node, { name: fieldName('value', ref.path), value: fieldText(context, 'value', ref.path) ?? '' }),
    placeholder: defaultHint(node),
  };
  return { ...view, ...listOf(context, view, controlOf(node).options?.(node) ?? []) };
}

function listOf(
  { listed }: ViewContext,
  view: TextView,
  options: readonly Option[],
): Omit<SearchView, Exclude<keyof TextView, 'describedBy'>> {
  const texts = options.map(({ text }) => text);
  const key = `enum ${joined(options)}`;
  const first = listed.get(key);
  const listId = first ?? `${view.id}-choices`;
  if (first === undefined) listed.set(key, listId);
  const { shown, heading } = first === undefined || view.error !== '' ? readable(texts, view.value) : { shown: [], heading: '' };
  const noteId = `${view.id}-note`;
  return {
    listId,
    options: first === undefined ? options.map(({ text, label }) => ({ value: text, label: label === text ? '' : label })) : [],
    note: `One of ${options.length}; type a part of it to find it.`,
    heading,
    shown,
    narrowOp: heading !== '' && texts.length > MAX_SHOWN && !view.disabled ? 'check' : '',
    describedBy: [view.describedBy, noteId].filter((id) => id !== '').join(' '),
  };
}

/** All texts as one, which the rows of a list share. */
function joined(options: readonly Option[]): string {
  const known = keys.get(options) ?? options.map(({ text }) => text).join('\n');
  keys.set(options, known);
  return known;
}

function readable(texts: readonly string[], typed: string): { readonly shown: readonly string[]; readonly heading: string } {
  if (texts.length <= MAX_SHOWN) return { shown: texts, heading: `All ${texts.length} choices` };
  const words = typed.slice(0, MAX_QUERY_LENGTH).trim().toLowerCase();
  const found = words === '' || texts.includes(typed) ? texts : texts.filter((text) => text.toLowerCase().includes(words));
  const shown = found.slice(0, MAX_SHOWN);
  const of = found === texts ? `${texts.length} choices` : `${found.length} choices with ${words} in them`;
  return { shown, heading: shown.length < found.length ? `The first ${MAX_SHOWN} of ${of}` : of };
}

const TYPED = 'A value was entered and is kept. Enter another one to replace it.';

/** A secret that was typed, which is in no page: whoever shows the form carries it along. Undefined for one that was made up just now, and for a stand-in. */
function typedSecret(context: ViewContext, { path }: ShowNode): string | undefined {
  const text = fieldText(context, 'value', path) ?? '';
  if (text === '' || STAND_IN.test(text) || context.generated === formatPath(path)) return undefined;
  context.secrets.set(fieldName('value', path), text);
  return text;
}

/** A secret of one line, with a button that makes a value up; right after that, and only then, the page can show what it is. */
function secretView(context: ViewContext, view: TextView, { path }: ShowNode): SecretView {
  const text = formatPath(path);
  return {
    ...view,
    partial: 'parts/field-secret',
    generateOp: `generate:${text}`,
    generated: context.generated === text ? view.value : '',
  };
}
