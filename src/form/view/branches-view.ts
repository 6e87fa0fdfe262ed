import type { ChoiceNode } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { chosenBranch, fieldName } from '../input/form-fields.ts';
import type { BranchesView, FieldFrame } from './form-view-model.ts';
import { childViews } from './group-view.ts';
import { keptOpen } from './put-away.ts';
import { branchRef } from '../input/read-group.ts';
import { describedBy, fieldText, frameOf, frozen, keepView, type ShowNode, type ViewContext } from './view-context.ts';

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
    openName: keptOpen(context, ref),
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
