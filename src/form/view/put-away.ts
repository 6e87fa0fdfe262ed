import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { type FieldMap, fieldName, parseFieldName, rowCount } from '../input/form-fields.ts';
import type { FormMode, FormNode } from '../model/form-node.ts';
import type { FieldView, GroupView } from './form-view-model.ts';
import { PAGE_ROOM } from './page-budget.ts';
import { pageSize } from './rows-page.ts';
import { fieldText, frameOf, type ShowNode, type ViewContext } from './view-context.ts';

/** So little is shown even where the page has no room left, until that comes to much. */
const LITTLE = 3;
const MUCH = 5;

/**
 * How many inputs hold something at or below each path, by its text. Empty where all of them have room on one page, so that nothing is put away.
 */
export function inputsBelow(fields: FieldMap): ReadonlyMap<string, number> {
  const below = new Map<string, number>();
  if (fields.size <= PAGE_ROOM) return below;
  for (const [name, text] of fields) {
    // Names that are longer than those of any form are no part of one.
    if (text === '' || name.startsWith('x.') || name.startsWith('o.') || parseFieldName(name) === undefined) continue;
    for (const path of pathsAround(name.slice(2))) below.set(path, (below.get(path) ?? 0) + 1);
  }
  return below;
}

/** The text of a path and those of all its ancestors; keys in quotes are one step. */
function pathsAround(path: string): string[] {
  const ends = [...path.matchAll(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\.?[^.[\]]+/g)].map(({ index, 0: step }) => index + step.length);
  return ends.map((end) => path.slice(0, end));
}

/**
 * Whether a part of the form that is filled in takes more room than the page has left. It is then a button that shows it; what it holds stays among
 * the inputs. Whatever is wrong is shown, and what was once open stays so.
 */
export function isPutAway(context: ViewContext, node: FormNode, ref: ShowNode): boolean {
  if (context.inputs.size === 0 || ref.part !== undefined || ref.title !== undefined) return false;
  const path = formatPath(ref.path);
  const inputs = context.inputs.get(path) ?? 0;
  if (inputs === 0 || context.errors.around.has(path) || fieldText(context, 'opened', ref.path) !== undefined) return false;
  const { room } = context.page;
  return roomOf(context, node, { ref, inputs }) > Math.max(room > -MUCH ? LITTLE : 0, room);
}

/** The fields that it would show at least. */
function roomOf(context: ViewContext, node: FormNode, { ref, inputs }: { readonly ref: ShowNode; readonly inputs: number }): number {
  if (node.kind === 'group') return Math.max(inputs, node.children.length);
  if (node.kind !== 'list' && node.kind !== 'map') return inputs;
  const rows = Math.max(1, rowCount(context.fields, ref.path) ?? 0);
  const shown = Math.min(rows, pageSize(node));
  const row = node.kind === 'list' ? node.item : node.value;
  return Math.max((inputs * shown) / rows, row.kind === 'group' ? shown * row.children.length : shown);
}

export function putAwayView(context: ViewContext, node: FormNode, ref: ShowNode): GroupView {
  const path = formatPath(ref.path);
  return {
    ...frameOf(context, node, ref, { partial: 'parts/field-group', disabled: false, keep: false }),
    collapsible: true,
    open: true,
    children: [],
    openName: '',
    openOp: `open:${path}`,
    count: context.inputs.get(path) ?? 0,
    yamlOp: '',
  };
}

/** The name of the hidden input that keeps open what might be put away otherwise; empty where nothing is. */
export function hiddenOpenName(context: ViewContext, ref: ShowNode): string {
  if (ref.part === 'more') return '';
  const isOpened = fieldText(context, 'opened', ref.path) !== undefined;
  const isLarge = ref.title === undefined && (context.inputs.get(formatPath(ref.path)) ?? 0) > LITTLE;
  return isOpened || isLarge ? fieldName('opened', ref.path) : '';
}

/** What is shown of a form. */
export interface Shown {
  readonly mode: FormMode;
  /** The steps of the path of the root. */
  readonly top: number;
  readonly views: readonly FieldView[];
  /** Whether the page had room for all rows and groups on it. */
  readonly isWhole: boolean;
}

/**
 * The inputs that the page does not show: those of other pages, and what was typed into a branch that is not chosen now. On create an empty one says
 * nothing; on edit it says that a live value was taken away.
 */
export function hiddenFields(fields: URLSearchParams, { mode, top, views, isWhole }: Shown): { name: string; value: string }[] {
  const names = new Set(views.flatMap(namesIn));
  const sent = new Set(fields.keys());
  const paths = new Set(views.flatMap((view) => pathsIn(view, isWhole)));
  const frozen = new Set(views.flatMap(frozenIn));
  return [...fields].flatMap(([name, value]) => {
    const parsed = parseFieldName(name);
    if (parsed?.part === 'source') return value === '' ? [] : [{ name, value }];
    if (parsed === undefined || names.has(name) || parsed.path.length <= top) return [];
    const { part, path } = parsed;
    if (frozen.size > 0 && isShown(path, frozen)) return [];
    const isHere = isShown(path, paths);
    if (isHere && !['value', 'rest', 'count', 'key', 'branch'].includes(part)) return [];
    const isMeant = part === 'key' || part === 'original' || sent.has(fieldName('state', path));
    const isEmpty = !isMeant && (value === '' || (part === 'count' && value === '0'));
    return isEmpty && (mode === 'create' || isHere) ? [] : [{ name, value }];
  });
}

function isShown(path: FormPath, paths: ReadonlySet<string>): boolean {
  return path.some((_, index) => paths.has(formatPath(path.slice(0, index + 1))));
}

/** The fields that are whole on the page; of a group a search may show a part only, of many rows a page. */
function pathsIn(view: FieldView, isWhole: boolean): string[] {
  const inside = (): string[] => contentOf(view).flatMap((inner) => pathsIn(inner, isWhole));
  if ('children' in view || hasPager(view)) return inside();
  if (!isWhole && ('branchName' in view || 'countName' in view)) return inside();
  return 'name' in view && view.name.startsWith('r.') ? [] : [view.path];
}

/** Rows that cannot be changed are not sent, those of their other pages neither. */
function frozenIn(view: FieldView): string[] {
  return 'countName' in view && view.disabled ? [view.path] : contentOf(view).flatMap(frozenIn);
}

function hasPager(view: FieldView): boolean {
  return ('countName' in view && view.pager !== false) || contentOf(view).some(hasPager);
}

function contentOf(view: FieldView): readonly FieldView[] {
  if ('children' in view) return view.children;
  if ('branchName' in view) return view.content;
  return 'countName' in view ? view.rows.flatMap((row) => row.content) : [];
}

function namesIn(view: FieldView): string[] {
  const own = [view.keep === false ? '' : view.keep.name, 'make' in view && view.make !== false ? view.make.modeName : ''];
  if ('children' in view) return [...own, view.openName, ...view.children.flatMap(namesIn)];
  if ('branchName' in view) return [...own, view.openName, view.branchName, ...view.content.flatMap(namesIn)];
  if (!('countName' in view)) return [...own, view.name];
  const paged = view.pager === false ? [] : [view.pager.name];
  return [
    ...own,
    ...paged,
    view.openName,
    view.countName,
    ...view.rows.flatMap((row) => [row.keyName, row.originName, ...row.content.flatMap(namesIn)]),
  ];
}
