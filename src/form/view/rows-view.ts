import { isScalar, type FormNode, type ListNode, type MapNode } from '../model/form-node.ts';
import { formatPath, type FormPath, idOfPath } from '../../schema/form-path.ts';
import { fieldName, MAX_ROWS, rowCount } from '../input/form-fields.ts';
import type { RowsPagerView, RowsView, RowView } from './form-view-model.ts';
import { childViews } from './group-view.ts';
import { pageOfRow, shownRows, type RowsPage } from './rows-page.ts';
import { isFull, leaveOut } from './page-budget.ts';
import { hiddenOpenName } from './put-away.ts';
import { withoutMessage } from './page-errors.ts';
import { rowRef } from './node-ref.ts';
import { fieldText, frameOf, frozen, keepView, type ShowNode, type ViewContext } from './view-context.ts';

/** Rows of other pages that are shown because something is wrong in them. */
const MAX_INVALID = 20;
const NAMING_KEYS = ['name', 'key', 'id', 'hostname', 'host'];

/** A list or a map as rows with buttons that the server answers. */
export function rowsView(context: ViewContext, node: ListNode | MapNode, ref: ShowNode): RowsView {
  const live = frozen(context, node, ref);
  const shown = live ?? context;
  const path = formatPath(ref.path);
  const count = rowCount(shown.fields, ref.path) ?? 0;
  const page = shownRows(context.fields, node, { path: ref.path, count });
  const wrong = (shown.errors.rows.get(path) ?? []).filter((row) => row < count && (row < page.first || row >= page.end));
  const here = Array.from({ length: page.end - page.first }, (_, index) => page.first + index);
  const wanted = [...here, ...wrong.slice(0, MAX_INVALID)].toSorted((a, b) => a - b);
  const one = singular(ref.title ?? node.label);
  const mayBeEmpty = node.kind === 'map' || (node.constraints.minItems ?? 0) === 0;
  const offered = node.required && mayBeEmpty ? 'always' : 'when ticked';
  const what = node.kind === 'list' ? 'an empty list' : 'an empty map';
  const keep = count > 0 ? false : keepView(shown, ref.path, { what, offered });
  const frame = frameOf(shown, node, ref, { partial: 'parts/field-rows', disabled: live !== undefined, keep });
  const rows = wanted.flatMap((row) => rowOnPage(shown, node, { ref, row, count, one, page }));
  return {
    ...frame,
    isMap: node.kind === 'map',
    countName: fieldName('count', ref.path),
    count,
    openName: hiddenOpenName(context, ref),
    rows,
    pager: page.pages === 1 ? false : pagerView(page, ref.path, { count, wrong }),
    collapsible: false,
    open: true,
    addOp: live !== undefined || count >= MAX_ROWS ? '' : `add:${path}`,
    addLabel: `Add ${inSentence(one)}`,
    yamlOp: live === undefined && (count > 0 || !isScalar(node.kind === 'list' ? node.item : node.value)) ? `yaml:${path}` : '',
  };
}

function pagerView(page: RowsPage, path: FormPath, { count, wrong }: { count: number; wrong: readonly number[] }): RowsPagerView {
  const text = formatPath(path);
  const turn = (to: number): string => (to >= 1 && to <= page.pages && to !== page.page ? `rows:${text}:${to}` : '');
  const { size } = page;
  return {
    id: `${idOfPath(path)}--page`,
    said: `Rows ${page.first + 1} to ${page.end} of ${count}`,
    wrong: wrongSentence(wrong),
    name: fieldName('page', path),
    options: Array.from({ length: page.pages }, (_, index) => ({
      value: String(index + 1),
      label: `${index * size + 1} to ${Math.min(count, (index + 1) * size)}`,
      selected: index + 1 === page.page,
    })),
    goOp: `rows:${text}`,
    firstOp: turn(1),
    previousOp: turn(page.page - 1),
    nextOp: turn(page.page + 1),
    lastOp: turn(page.pages),
  };
}

function wrongSentence(wrong: readonly number[]): string {
  if (wrong.length === 0) return '';
  const shown =
    wrong.length === 1
      ? 'A row of another page has to be corrected and is shown here as well.'
      : `${wrong.length} rows of other pages have to be corrected and are shown here as well.`;
  return wrong.length > MAX_INVALID
    ? `${wrong.length} rows of other pages have to be corrected; the first ${MAX_INVALID} are shown here as well.`
    : shown;
}

interface RowPlace {
  readonly ref: ShowNode;
  readonly row: number;
  readonly count: number;
  readonly one: string;
  readonly page: RowsPage;
}

function rowOnPage(context: ViewContext, node: ListNode | MapNode, place: RowPlace): RowView[] {
  if (!isFull(context.page)) return [rowView(context, node, place)];
  leaveOut(context.page, node.kind === 'list' ? node.item : node.value);
  return [];
}

function rowView(context: ViewContext, node: ListNode | MapNode, { ref, row, count, one, page }: RowPlace): RowView {
  const here = rowRef(context.fields, ref, row);
  const content = node.kind === 'list' ? node.item : node.value;
  const path = formatPath(ref.path);
  const origin = fieldText(context, 'original', here.path);
  const key = fieldText(context, 'key', here.path) ?? '';
  const title = `${one} ${row + 1}`;
  const isFrozen = node.locked !== undefined || (node.immutable && context.model.mode === 'edit' && ref.base !== undefined);
  const asFields =
    content.kind === 'group' && fieldText(context, 'yaml', here.path) === undefined && fieldText(context, 'state', here.path) !== 'null';
  const error = asFields || (node.kind === 'map' && key === '') ? (context.errors.messages.get(formatPath(here.path)) ?? '') : '';
  // What the row says already is not said again by its control.
  const inner = error === '' ? context : { ...context, errors: withoutMessage(context.errors, here.path) };
  return {
    id: idOfPath(here.path),
    pageOp: row >= page.first && row < page.end ? '' : `rows:${path}:${pageOfRow(node, row)}`,
    title: asFields ? `${title}${nameIn(context, content, here.path)}` : title,
    error,
    keyName: fieldName('key', here.path),
    keyId: `${idOfPath(here.path)}--key`,
    key,
    originName: fieldName('original', here.path),
    origin: origin ?? '',
    hasOrigin: origin !== undefined,
    block: !isScalar(content),
    content: asFields ? childViews(inner, content, here) : [context.show(inner, content, { ...here, title })],
    removeOp: isFrozen ? '' : `remove:${path}:${row}`,
    upOp: isFrozen || row === 0 || node.kind === 'map' ? '' : `up:${path}:${row}`,
    downOp: isFrozen || row === count - 1 || node.kind === 'map' ? '' : `down:${path}:${row}`,
    // The row behind takes the place of one that goes.
    removeTo: idOfPath(row === count - 1 ? ref.path : here.path),
    upTo: idOfPath([...ref.path, row - 1]),
    downTo: idOfPath([...ref.path, row + 1]),
  };
}

/** `: anna`, when a row has a name that tells it from the others. */
function nameIn(context: ViewContext, node: FormNode, path: FormPath): string {
  const keys = node.kind === 'group' ? node.children.filter((child) => child.kind === 'text').map((child) => child.key) : [];
  const naming = NAMING_KEYS.find((key) => keys.includes(key));
  const name = naming === undefined ? '' : (fieldText(context, 'value', [...path, naming]) ?? '');
  return name === '' ? '' : `: ${name.slice(0, 60)}`;
}

/** `Users` reads `User`. A word that does not look like a plural stays. */
function singular(label: string): string {
  if (/[^aeiou]ies$/i.test(label)) return label.replace(/ies$/i, 'y');
  if (/(ss|us|is|\d)$/i.test(label)) return label;
  return /(x|ch|sh|ss)es$/i.test(label) ? label.slice(0, -2) : label.replace(/s$/, '');
}

function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;
}
