import type { FormNode, ListNode, MapNode } from '../model/form-node.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { fieldName, type FieldMap } from '../input/form-fields.ts';
import { countControls } from './page-budget.ts';

/** A stretch of the rows of a list or map; numbers of rows count from 0, those of pages from 1. */
export interface RowsPage {
  readonly page: number;
  readonly pages: number;
  /** Rows on a page that is full. */
  readonly size: number;
  readonly first: number;
  /** The row behind the last one. */
  readonly end: number;
}

const MAX_ON_PAGE = 50;
const LEAST_ON_PAGE = 5;
/** Rows of objects take so much room that fewer of them stand on a page. */
const CONTROLS_ON_PAGE = 100;

/** The page of rows that the form was turned to. */
export function shownRows(fields: FieldMap, node: ListNode | MapNode, { path, count }: { path: FormPath; count: number }): RowsPage {
  const size = pageSize(node);
  const pages = Math.max(1, Math.ceil(count / size));
  const wanted = Math.trunc(Number(fields.get(fieldName('page', path)) ?? 1)) || 1;
  const page = Math.min(pages, Math.max(1, wanted));
  return { page, pages, size, first: (page - 1) * size, end: Math.min(count, page * size) };
}

/** The page on which a row stands. */
export function pageOfRow(node: ListNode | MapNode, row: number): number {
  return Math.floor(row / pageSize(node)) + 1;
}

/** It goes by the schema alone, so that no row changes its page while somebody types. */
export function pageSize(node: ListNode | MapNode): number {
  const content: FormNode = node.kind === 'list' ? node.item : node.value;
  return Math.max(LEAST_ON_PAGE, Math.min(MAX_ON_PAGE, Math.floor(CONTROLS_ON_PAGE / countControls(content))));
}
