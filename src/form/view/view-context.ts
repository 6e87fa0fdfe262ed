import type { Choices } from '../../domain/app/choices.ts';
import type { FieldFault } from '../../domain/core/errors.ts';
import { sizeOf } from '../input/form-budget.ts';
import { fieldMap, fieldName, parseFieldName, type FieldPart, type FieldMap } from '../input/form-fields.ts';
import { sealSecrets } from '../input/sealed-secrets.ts';
import { nodeToFields } from '../input/values-to-fields.ts';
import type { FallbackSource } from '../model/field.ts';
import { isSecret, isTop, type FormModel, type FormNode } from '../model/form-node.ts';
import type { FieldFrame, FieldView, KeepView } from './form-view-model.ts';
import { hintOf, MAX_DEFAULT_LENGTH } from './hints.ts';
import type { NodeRef } from './node-ref.ts';
import { addToPage, type PageBudget } from './page-budget.ts';
import type { PageErrors } from './page-errors.ts';
import { fallbackWords } from './value-words.ts';
import { formatPath, type FormPath, idOfPath, parsePath } from '../../schema/form-path.ts';

/** Where values may come from, beside who fills in what is empty. The sets hold the paths of the fields that have such a value. */
interface Origins {
  readonly preset?: { readonly title: string; readonly holds: ReadonlySet<string> };
  /** On edit: what is as the live object has it. */
  readonly live: ReadonlySet<string>;
}

const FALLBACKS: Readonly<Record<FallbackSource, string>> = {
  schema: 'Default',
  chart: 'Chart',
  operator: 'Catalogue',
  environment: 'Environment',
};

/** What the fields of a page can refer to. */
export interface ShownChoices {
  /** Where it was looked for, as people call it; empty while no environment is chosen. */
  readonly environment: string;
  readonly byResource: ReadonlyMap<string, Choices>;
}

/** A form that is being shown. */
export interface ViewContext {
  readonly model: FormModel;
  readonly fields: FieldMap;
  readonly errors: PageErrors;
  /** The texts of the paths at or below which something was filled in, opened, or is wrong. */
  readonly filled: ReadonlySet<string>;
  /** How many inputs hold something at or below a path, where they are more than a page has room for; else empty. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Whether the form has so many fields that empty groups are left closed. */
  readonly large: boolean;
  /** Whether these are the fields that a search found: their groups stand open. */
  readonly searching: boolean;
  /** What fields can refer to; undefined where nothing was looked for. */
  readonly choices: ShownChoices | undefined;
  /** The path whose value was just made up; empty when none was. */
  readonly generated: string;
  /** The inputs of secrets whose fields are on the page so far, by their names. */
  readonly secrets: Map<string, string>;
  /** The lists of choices on the page so far: resource -> id. */
  readonly listed: Map<string, string>;
  readonly origins: Origins;
  /** What the page may still show. */
  readonly page: PageBudget;
  /** The present, for what happens next. */
  readonly now: Date;
  /** Shows any node; handed in so that the parts need not know each other. */
  readonly show: (context: ViewContext, node: FormNode, ref: ShowNode) => FieldView;
}

export interface ShowNode extends NodeRef {
  /** What the field is called where its own label does not say it: the row of a list. */
  readonly title?: string;
  /** `more` shows what the first appearance of a group on the page left out. */
  readonly part?: 'main' | 'more';
  /** Within a group that cannot be changed: what it lacks cannot be added. */
  readonly frozen?: true;
}

/** The paths with content, and all their ancestors. */
export function filledPaths(fields: FieldMap, faults: readonly FieldFault[]): Set<string> {
  const filled = new Set<string>();
  for (const [name, text] of fields) {
    const parsed = parseFieldName(name);
    if (parsed !== undefined && isContent(parsed.part, text)) addWithAncestors(filled, parsed.path);
  }
  for (const { field } of faults) addWithAncestors(filled, parsePath(field ?? '') ?? []);
  return filled;
}

function isContent(part: FieldPart, text: string): boolean {
  return part === 'count' ? text !== '0' : part !== 'original' && part !== 'page' && text !== '';
}

function addWithAncestors(filled: Set<string>, path: FormPath): void {
  for (let length = path.length; length > 0; length -= 1) {
    const text = formatPath(path.slice(0, length));
    if (filled.has(text)) return;
    filled.add(text);
  }
}

export function fieldText(context: ViewContext, part: FieldPart, path: FormPath): string | undefined {
  return context.fields.get(fieldName(part, path));
}

/** Whether the node may not be changed, and the context in which it shows its live value: what is disabled is not sent. */
export function frozen(context: ViewContext, node: FormNode, ref: ShowNode): ViewContext | undefined {
  if (!isFrozen(context, node, ref)) return undefined;
  const value = ref.base ?? (node.locked === undefined ? undefined : node.fallback);
  if (value === undefined || isSecret(node)) return { ...context, fields: new Map() };
  // Rows of a form that was made by hand may all show the same live row.
  context.page.characters -= sizeOf(value) / LIVE;
  const shown = node.locked === undefined ? value : sealSecrets(node, value, ref.path);
  const live = nodeToFields(context.model, { node, path: ref.path, value: shown, origins: 'rows' });
  return { ...context, fields: fieldMap(live) };
}

/** Whether the node shows its live value and takes no other. */
export function isFrozen({ model }: ViewContext, node: FormNode, { base, frozen: inFrozen }: ShowNode): boolean {
  if (node.locked !== undefined) return true;
  return node.immutable && model.mode === 'edit' && (base !== undefined || inFrozen === true);
}

/** Characters of a live value that are as much work as one of a page. */
const LIVE = 8;

export interface FrameOptions {
  readonly partial: string;
  readonly disabled: boolean;
  readonly keep: KeepView | false;
  /** A sentence that stands before the hint. */
  readonly note?: string;
}

/** Where the origin stands in the legend, and so is read out with the name already. */
const IN_LEGEND: ReadonlySet<string> = new Set(['parts/field-rows', 'parts/field-branches', 'parts/field-radios']);

/** What every field shows around its control. */
export function frameOf(context: ViewContext, node: FormNode, ref: ShowNode, options: FrameOptions): FieldFrame {
  const path = formatPath(ref.path);
  const isMore = ref.part === 'more' && !isTop(context.model, ref.path);
  const isNamed = ref.title === undefined && !isMore;
  const id = isMore ? `more-${idOfPath(ref.path)}` : idOfPath(ref.path);
  const error = isMore ? '' : (context.errors.messages.get(path) ?? '');
  const frozenNote = options.disabled ? (node.locked === undefined ? 'This field is immutable.' : `Locked by ${node.locked}.`) : '';
  const origin = isNamed && !isInRow(ref.path) ? originOf(node, path, { origins: context.origins, filled: context.filled.has(path) }) : '';
  const more = isNamed ? node.help.more : '';
  const fallback = isNamed ? defaultYaml(node) : {};
  const hint = [frozenNote, options.note ?? '', isNamed ? hintOf(node) : ''].filter((text) => text !== '').join(' ');
  addToPage(context.page, node, hint.length + more.length + (fallback.defaultYaml ?? '').length);
  return {
    partial: options.partial,
    id,
    path,
    search: `${node.label} ${path} ${node.help.summary}`.toLowerCase(),
    label: ref.title ?? (isMore ? `${node.label}: more` : node.label),
    labelHidden: ref.title !== undefined,
    mark: node.required && isNamed ? 'Required' : '',
    origin,
    hint,
    more,
    ...fallback,
    error,
    describedBy: describedBy(id, { origin: IN_LEGEND.has(options.partial) ? '' : origin, hint, error }),
    disabled: options.disabled,
    keep: options.keep,
  };
}

/** The ids of what stands around a control and says more about it. */
export function describedBy(id: string, said: Pick<FieldFrame, 'origin' | 'hint' | 'error'>): string {
  return (['origin', 'hint', 'error'] as const)
    .filter((part) => said[part] !== '')
    .map((part) => `${id}-${part}`)
    .join(' ');
}

/** The whole default of a list, a map or a free-form part that the hint only counts. */
function defaultYaml(node: FormNode): { readonly defaultYaml?: string } {
  if (node.kind === 'group') return {};
  const { yaml } = fallbackWords(node, MAX_DEFAULT_LENGTH);
  return yaml === '' ? {} : { defaultYaml: yaml };
}

/** Rows are set as a whole, which the list says. */
function isInRow(path: FormPath): boolean {
  return path.some((step) => typeof step === 'number');
}

/** The box of an empty field. `offered` shows it although nobody ticked it yet. */
export function keepView(
  context: ViewContext,
  path: FormPath,
  { what, offered }: { what: string; offered: 'always' | 'when ticked' },
): KeepView | false {
  const kept = fieldText(context, 'state', path);
  if (kept !== 'null' && kept !== 'empty' && offered === 'when ticked') return false;
  const value = kept === 'null' ? 'null' : 'empty';
  const label = value === 'null' ? 'Set it to null while it is empty' : `Set it to ${what} while nothing is entered`;
  return { id: `${idOfPath(path)}--keep`, name: fieldName('state', path), value, label, checked: kept === value };
}

/** Who sets the value of a field, in a word or two; empty where it has none. */
function originOf(node: FormNode, path: string, { origins, filled }: { readonly origins: Origins; readonly filled: boolean }): string {
  if (node.kind === 'group') return '';
  const isLive = origins.live.has(path);
  if (!filled || (node.locked !== undefined && !isLive)) return node.fallbackSource === undefined ? '' : FALLBACKS[node.fallbackSource];
  if (isLive) return 'Live value';
  return origins.preset?.holds.has(path) === true ? `Preset ${origins.preset.title}` : 'You';
}
