import type { ChoiceNode, FormNode, GroupNode } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { countControls, isFull, leaveOut } from './page-budget.ts';
import { fillsItself } from '../input/fill-required.ts';
import type { BranchesView, FieldFrame, FieldView, GroupView } from './form-view-model.ts';
import { othersView } from './leaf-view.ts';
import { hiddenOpenName } from './put-away.ts';
import { memberRef } from './node-ref.ts';
import { describedBy, fieldText, frameOf, frozen, isFrozen, keepView, type ShowNode, type ViewContext } from './view-context.ts';
import { chosenBranch, fieldName } from '../input/form-fields.ts';
import { branchRef } from '../input/read-group.ts';

/** On a large form an empty optional group of more controls than this is left closed. */
export const SMALL_GROUP = 8;
const LARGE_GROUP = 30;
/** A button for YAML on every little group would only be in the way: the form as a whole has one. */
const YAML_GROUP = 4;

/** The fields of an object under one heading. Optional ones fold away; they are open while something is in them. */
export function groupView(context: ViewContext, node: GroupNode, ref: ShowNode): GroupView {
  const path = formatPath(ref.path);
  const count = countControls(node);
  const filled = context.filled.has(path);
  const closed = context.large && !filled && (!node.required || ref.part === 'more') && count > closedFrom(context, node, ref);
  const children = closed ? [] : childViews(context, node, ref);
  const isMore = ref.part === 'more';
  // What wants nothing from a person is not asked for until the api-server misses it.
  const offered = context.errors.messages.has(path) && fillsItself(node) ? 'always' : 'when ticked';
  return {
    ...frameOf(context, node, ref, {
      partial: 'parts/field-group',
      disabled: false,
      keep: isMore ? false : keepView(context, ref.path, { what: 'an empty object', offered }),
    }),
    collapsible: !node.required && ref.part !== 'main' && ref.title === undefined,
    open: isMore
      ? context.searching || children.some((child) => context.filled.has(child.path))
      : context.searching || filled || (node.layer === 'curated' && ref.path.length <= 2),
    children,
    openName: hiddenOpenName(context, ref),
    openOp: closed ? `open:${path}` : '',
    count,
    ...(node.conditionals === undefined || closed || isFrozen(context, node, ref) ? {} : { updateOp: `open:${path}` }),
    yamlOp: isMore || closed || node.immutable || node.locked !== undefined || count < YAML_GROUP ? '' : `yaml:${path}`,
  };
}

/** The fields of a group. The main part of the page shows what is required or picked, the other part what is left. */
export function childViews(context: ViewContext, node: GroupNode, ref: ShowNode): FieldView[] {
  const { part } = ref;
  const children = partChildren(context, node, ref);
  const views = children.flatMap((child) => {
    if (isFull(context.page)) {
      leaveOut(context.page, child);
      return [];
    }
    const here: ShowNode = { ...memberRef(ref, child.key), ...(isFrozen(context, node, ref) ? { frozen: true } : {}) };
    const split = part !== undefined && child.kind === 'group' && isSplit(context, child, here);
    return [context.show(context, child, split ? { ...here, part } : here)];
  });
  const others = part !== 'main' && (node.open || fieldText(context, 'rest', ref.path) !== undefined);
  return others ? [...views, othersView(context, node, ref)] : views;
}

/** How many controls an empty group shows at most without being asked to; of what was picked field by field, all. */
function closedFrom(context: ViewContext, node: GroupNode, { part }: ShowNode): number {
  if (context.searching) return LARGE_GROUP;
  if (part !== 'main') return SMALL_GROUP;
  return node.children.every((child) => child.layer === 'curated') ? LARGE_GROUP : Infinity;
}

/** The members of a group that stand in a part of the page. */
export function partChildren(context: ViewContext, node: GroupNode, ref: ShowNode): readonly FormNode[] {
  const { part } = ref;
  return node.children.filter((child) => part === undefined || showsIn(context, child, { ref, part }));
}

/** Whether a field appears in a part of the page: in the main one when it or something in it is required or picked, else in the other. */
function showsIn(context: ViewContext, node: FormNode, { ref, part }: { ref: ShowNode; part: 'main' | 'more' }): boolean {
  if (node.layer === 'all') return part === 'more';
  return part === 'main' || isSplit(context, node, memberRef(ref, node.key));
}

/** Whether a group has fields in both parts of the page. One that is shown as YAML is whole. */
function isSplit(context: ViewContext, node: FormNode, ref: ShowNode): boolean {
  if (node.kind !== 'group' || node.layer === 'all' || fieldText(context, 'yaml', ref.path) !== undefined) return false;
  return node.children.some((child) => child.layer === 'all' || isSplit(context, child, memberRef(ref, child.key))) || node.open;
}

/** A choice of shapes: buttons that the server answers, and the fields of the one that is chosen. */
export function branchesView(context: ViewContext, node: ChoiceNode, ref: ShowNode): BranchesView {
  const live = frozen(context, node, ref);
  const shown = live ?? context;
  const path = formatPath(ref.path);
  const branch = chosenBranch(node, shown.fields, ref.path);
  const number = branch === undefined ? '' : (fieldText(shown, 'branch', ref.path) ?? '');
  const here = branch === undefined ? ref : branchRef(node, branch, ref);
  const asFields = branch?.kind === 'group' && fieldText(shown, 'state', ref.path) !== 'null';
  const chosen = node.branches[Number(number || -1)]?.label ?? '';
  const { part: _part, ...whole } = here;
  const keep = branch === undefined ? keepView(shown, ref.path, { what: 'nothing', offered: 'when ticked' }) : false;
  const frame = frameOf(shown, node, ref, { partial: 'parts/field-branches', disabled: live !== undefined, keep });
  const inner = branch === undefined ? [] : [context.show(context, branch, { ...whole, title: chosen })];
  return {
    ...frame,
    // The control of a single value has the id and the error of the path itself.
    ...(branch === undefined || asFields ? {} : ofBranch(frame)),
    branchName: fieldName('branch', ref.path),
    branch: number,
    openName: hiddenOpenName(context, ref),
    chosen,
    others:
      live === undefined
        ? node.branches.map(({ label }, index) => ({ label, op: `branch:${path}:${index}` })).filter((_, index) => String(index) !== number)
        : [],
    clearOp: live !== undefined || branch === undefined || node.required ? '' : `branch:${path}`,
    content: asFields ? childViews(shown, branch, whole) : inner,
    yamlOp: live === undefined && branch !== undefined ? `yaml:${path}` : '',
  };
}

function ofBranch({ id, hint }: FieldFrame): Pick<FieldFrame, 'id' | 'error' | 'describedBy'> {
  const own = `${id}--branch`;
  return { id: own, error: '', describedBy: describedBy(own, { origin: '', hint, error: '' }) };
}
