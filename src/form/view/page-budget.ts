import { controlOf } from '../controls/controls.ts';
import { type FormNode, isScalar } from '../model/form-node.ts';

/** What one page of a form may still show. */
export interface PageBudget {
  /** Fields, and what is as much work as one. */
  fields: number;
  /** Fields that the page shows before parts that are filled in are put away; below 0 once it shows more. */
  room: number;
  /** Of what the schema says about them. */
  characters: number;
  /** Controls that found no place. */
  leftOut: number;
}

/** Half as much again as a page of empty fields has; what more is filled in is opened part by part. */
export const PAGE_ROOM = 120;

/** Twenty times what the pages of the largest kinds that we know show. */
export function wholePage(): PageBudget {
  return { fields: 3_000, room: PAGE_ROOM, characters: 1024 * 1024, leftOut: 0 };
}

/** Branches that are as much as one field. */
const BRANCHES = 10;
/** Characters of help that take as much of a page as a field. */
const LONG_HELP = 200;

export function isFull(page: PageBudget): boolean {
  return page.fields <= 0 || page.characters <= 0;
}

/** Counts a field that is shown. */
export function addToPage(page: PageBudget, node: FormNode, characters: number): void {
  page.fields -= 1 + workOf(node);
  page.room -= 1 + characters / LONG_HELP;
  page.characters -= characters;
}

/** Counts a field that finds no place. */
export function leaveOut(page: PageBudget, node: FormNode): void {
  page.leftOut += Math.max(1, countControls(node));
}

/** What a node is beyond one field. */
function workOf(node: FormNode): number {
  if (isScalar(node)) return controlOf(node).work?.(node) ?? 0;
  return node.kind === 'choice' ? node.branches.length / BRANCHES : 0;
}

const counted = new WeakMap<FormNode, number>();

/** Controls in a node; the row of a list or map counts once. Forms are made once and shown often, so the number is kept. */
export function countControls(node: FormNode): number {
  const known = counted.get(node) ?? controlsIn(node);
  counted.set(node, known);
  return known;
}

function controlsIn(node: FormNode): number {
  if (node.kind === 'group') return node.children.reduce((sum, child) => sum + countControls(child), 0);
  if (node.kind === 'choice') return Math.max(...node.branches.map((branch) => countControls(branch.node)));
  return isScalar(node) || node.kind === 'yaml' ? 1 : Math.min(countControls(node.kind === 'list' ? node.item : node.value), 3);
}
