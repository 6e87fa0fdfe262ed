import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isScalar, type FormModel, type FormNode, type GroupNode } from '../model/form-node.ts';
import { branchesView } from './branches-view.ts';
import { formatPath } from '../../schema/form-path.ts';
import { fieldMap, fieldName } from '../input/form-fields.ts';
import { pathsHolding } from '../input/form-units.ts';
import type { FieldView, FormView, PagerView } from './form-view-model.ts';
import { countControls } from './count-controls.ts';
import { childViews, groupView, partChildren } from './group-view.ts';
import { scalarView, yamlView } from './leaf-view.ts';
import { keptFields } from '../input/kept-fields.ts';
import { wholePage } from './page-budget.ts';
import { pagesOf } from './pages.ts';
import { searchWords, matchingChildren } from './search-fields.ts';
import { rowsView } from './rows-view.ts';
import type { ShownChoices } from '../references/shown-choices.ts';
import { pageErrors } from './page-errors.ts';
import { filledPaths, type ShowSpot, type ViewContext } from './view-context.ts';
import { wholeYamlView } from '../yaml/whole-yaml-view.ts';

export interface FormState {
  /** What the inputs hold: `valuesToFields` at first, what was sent afterwards. */
  readonly fields: URLSearchParams;
  /** The live values on edit; `{}` on create. Secrets in them are never shown. */
  readonly base: Json;
  /** With paths of the form, as `formToValues` and `locateFaults` give them. */
  readonly faults: readonly FieldFault[];
  /** What the fields can refer to, once it was read. */
  readonly choices?: ShownChoices;
  /** The preset that was chosen, to mark what it set. */
  readonly preset?: ShownPreset;
  /** By default the present. */
  readonly now?: Date;
}

/** The values of a preset, without the key of the root. */
export interface ShownPreset {
  readonly title: string;
  readonly values: JsonObject;
}

const LARGE_FORM = 150;
/** What a form looks like with these inputs and faults. */
export function formView(model: FormModel, state: FormState): FormView {
  const context = startView(model, state);
  const { fields, base, faults } = state;
  const spot: ShowSpot = { path: [model.root.key], base, basePath: [model.root.key] };
  const yamlOp = `yaml:${model.root.key}`;
  const reduced = model.reduced === undefined ? {} : { reduced: model.reduced };
  if (model.root.kind === 'yaml' || context.fields.has(fieldName('y', spot.path))) {
    const yaml = wholeYamlView(model, yamlView(context, model.root, spot), { faults, fields });
    return { yaml, ...reduced, leftOut: '', main: [], all: [], allOpen: false, allCount: 0, pager: NO_PAGER, kept: [], yamlOp };
  }
  const { filled, page } = context;
  const main = childViews(context, model.root, { ...spot, part: 'main' });
  const rest = restOf(context, model.root, { spot, fields });
  const allOpen = main.length === 0 || rest.asked || rest.views.some((view) => filled.has(view.path) && hasContent(view, filled));
  const kept = keptFields(fields, { mode: model.mode, views: [...main, ...rest.views], isWhole: page.leftOut === 0 });
  const leftOut = leftOutSentence(page.leftOut);
  return { yaml: false, ...reduced, leftOut, main, all: rest.views, allOpen, allCount: rest.count, pager: rest.pager, kept, yamlOp };
}

function startView(model: FormModel, { fields, base, faults, choices, preset, now = new Date() }: FormState): ViewContext {
  const map = fieldMap(fields);
  return {
    model,
    fields: map,
    errors: pageErrors(faults),
    filled: filledPaths(map, faults),
    large: countControls(model.root) > LARGE_FORM,
    searching: false,
    choices,
    now,
    generated: fields.get('_generated') ?? '',
    listed: new Map(),
    page: wholePage(),
    origins: {
      live: model.mode === 'edit' ? pathsHolding(model, fields, base) : new Set(),
      ...(preset === undefined ? {} : { preset: { title: preset.title, holds: pathsHolding(model, fields, preset.values) } }),
    },
    show,
  };
}

const NO_PAGER: PagerView = { offered: false, query: '', found: '', page: 1, pages: 1, previousOp: '', nextOp: '' };

function leftOutSentence(count: number): string {
  if (count === 0) return '';
  const fields = count === 1 ? '1 more field is' : `${count} more fields are`;
  return `${fields} in the rows and groups of this page than it can show. They keep what they hold. To see or change them, choose YAML.`;
}

interface Rest {
  readonly views: readonly FieldView[];
  readonly pager: PagerView;
  readonly count: number;
  /** Whether somebody searched or turned a page. */
  readonly asked: boolean;
}

/** The page of all other fields that was asked for; what is wrong is on every page. */
function restOf(context: ViewContext, root: GroupNode, { spot, fields }: { spot: ShowSpot; fields: URLSearchParams }): Rest {
  const words = searchWords(fields.get('_q') ?? '');
  const found = words.length === 0 ? root.children : matchingChildren(root, words);
  const others = partChildren(context, { ...root, children: found }, { ...spot, part: 'more' });
  const pages = pagesOf(others);
  const page = Math.min(pages.length, Math.max(1, Math.trunc(Number(fields.get('_page') ?? 1)) || 1));
  const faulty = root.children.filter((child) => context.errors.around.has(formatPath([root.key, child.key])));
  const onPage = pages[page - 1] ?? [];
  const wrong = partChildren(context, { ...root, children: faulty }, { ...spot, part: 'more' });
  const shown = [...wrong.filter((child) => !onPage.some((node) => node.key === child.key)), ...onPage];
  const open = root.open && words.length === 0 && page === pages.length;
  const looking = words.length === 0 ? context : { ...context, searching: true };
  const count = others.reduce((sum, child) => sum + countControls(child), 0);
  return {
    views: childViews(looking, { ...root, children: shown, open }, { ...spot, part: 'more' }),
    pager: {
      offered: context.large || words.length > 0,
      query: words.join(' '),
      found: words.length === 0 ? '' : foundText(count),
      page,
      pages: pages.length,
      previousOp: page > 1 ? `page:${page - 1}` : '',
      nextOp: page < pages.length ? `page:${page + 1}` : '',
    },
    count,
    asked: words.length > 0 || page > 1,
  };
}

function foundText(count: number): string {
  if (count === 0) return 'No other field has these words in its name or description.';
  return count === 1 ? '1 field found.' : `${count} fields found.`;
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
