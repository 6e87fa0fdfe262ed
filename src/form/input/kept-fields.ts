import type { FormMode } from '../model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { fieldName, parseFieldName } from './form-fields.ts';
import type { FieldView } from '../view/form-view-model.ts';

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
export function keptFields(fields: URLSearchParams, { mode, top, views, isWhole }: Shown): { name: string; value: string }[] {
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
