import type { FieldFault } from '../../domain/errors.ts';
import type { Json } from '../../domain/resource.ts';
import { isScalar, type FormModel, type FormNode } from '../../schema/form-node.ts';
import { branchesView } from './branches-view.ts';
import { fieldMap, fieldName } from './form-fields.ts';
import type { FieldView, FormView } from './form-view-model.ts';
import { childViews, countControls, groupView } from './group-view.ts';
import { scalarView, yamlView } from './leaf-view.ts';
import { rowsView } from './rows-view.ts';
import { errorsByPath, filledPaths, type ShowSpot, type ViewContext } from './view-context.ts';

/** The template that renders a `FormView`. */
export const FORM_PARTIAL = 'parts/form';

export interface FormState {
  /** What the inputs hold: `valuesToFields` at first, what was sent afterwards. */
  readonly fields: URLSearchParams;
  /** The live values on edit; `{}` on create. Secrets in them are never shown. */
  readonly base: Json;
  /** With paths of the form, as `formToValues` and `locateFaults` give them. */
  readonly faults: readonly FieldFault[];
}

const LARGE_FORM = 150;
/** Empty fields of the outermost level beyond this number are left to YAML, so that no schema makes a page of megabytes. */
const MOST_TOP_FIELDS = 400;

/** What a form looks like with these inputs and faults. */
export function formView(model: FormModel, { fields, base, faults }: FormState): FormView {
  const map = fieldMap(fields);
  const filled = filledPaths(map, faults);
  const context: ViewContext = {
    model,
    fields: map,
    errors: errorsByPath(faults),
    filled,
    large: countControls(model.root) > LARGE_FORM,
    show,
  };
  const spot: ShowSpot = { path: [model.root.key], base, basePath: [model.root.key] };
  const yamlOp = `yaml:${model.root.key}`;
  if (model.root.kind === 'yaml' || map.has(fieldName('y', spot.path))) {
    const yaml = yamlView(context, model.root, spot);
    return { yaml, main: [], all: [], allOpen: false, allCount: 0, hidden: 0, yamlOp };
  }
  const main = childViews(context, model.root, { ...spot, part: 'main' });
  const every = childViews(context, model.root, { ...spot, part: 'more' });
  const all = every.filter((view, index) => index < MOST_TOP_FIELDS || filled.has(view.path));
  const allOpen = main.length === 0 || all.some((view) => filled.has(view.path) && hasContent(view, filled));
  return { yaml: false, main, all, allOpen, allCount: countViews(all), hidden: every.length - all.length, yamlOp };
}

function show(context: ViewContext, node: FormNode, spot: ShowSpot): FieldView {
  if (node.kind === 'yaml' || context.fields.has(fieldName('y', spot.path))) return yamlView(context, node, spot);
  if (isScalar(node)) return scalarView(context, node, spot);
  if (node.kind === 'choice') return branchesView(context, node, spot);
  return node.kind === 'group' ? groupView(context, node, spot) : rowsView(context, node, spot);
}

/** A group that is split over the page counts as filled here only for the fields that it has here. */
function hasContent(view: FieldView, filled: ReadonlySet<string>): boolean {
  return 'children' in view ? view.open || view.children.some((child) => filled.has(child.path)) : true;
}

function countViews(views: readonly FieldView[]): number {
  return views.reduce((sum, view) => sum + ('children' in view ? (view.openOp === '' ? countViews(view.children) : view.count) : 1), 0);
}
