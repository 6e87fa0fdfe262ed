import type { FormNode } from '../model/form-node.ts';
import { countControls } from './count-controls.ts';
import { SMALL_GROUP } from './group-view.ts';

/** What a page holds at most, unless a single field is more. */
const CONTROLS_PER_PAGE = 80;
/** Large groups are closed at first, so none weighs more than this. */
const HEAVIEST = 10;
/** So many choices of one field weigh as much as another field. */
const OPTIONS = 25;

/** The fields page by page. What is filled in does not count, so that nothing moves to another page while somebody types. */
export function pagesOf(nodes: readonly FormNode[]): readonly (readonly FormNode[])[] {
  const pages: FormNode[][] = [[]];
  let weight = 0;
  for (const node of nodes) {
    const own = weightOf(node);
    if (weight > 0 && weight + own > CONTROLS_PER_PAGE) {
      pages.push([]);
      weight = 0;
    }
    pages.at(-1)?.push(node);
    weight += own;
  }
  return pages;
}

function weightOf(node: FormNode): number {
  const controls = countControls(node);
  return controls > SMALL_GROUP ? HEAVIEST : Math.max(1, controls) + Math.floor(optionsIn(node) / OPTIONS);
}

/** The choices that a node offers while it is empty. */
function optionsIn(node: FormNode): number {
  if (node.kind === 'enum') return node.options.length;
  return node.kind === 'group' ? node.children.reduce((sum, child) => sum + optionsIn(child), 0) : 0;
}
