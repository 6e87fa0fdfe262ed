import type { FieldFault } from '../../domain/core/errors.ts';
import { packInputs } from '../../domain/core/packed-inputs.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { forgottenFile, MAX_UPLOAD_BYTES } from '../input/load-file.ts';
import { formatPath } from '../../schema/form-path.ts';
import { fieldMap, fieldName, nodesAt, parseFieldName } from '../input/form-fields.ts';
import { formToValues } from '../input/form-to-values.ts';
import { pathsHolding } from '../input/form-units.ts';
import { hiddenFields, inputsBelow, isPutAway, putAwayView } from './put-away.ts';
import { applyConditions, isConditional } from '../model/apply-conditions.ts';
import { type FormModel, type FormNode, type GroupNode, isScalar, isTop } from '../model/form-node.ts';
import { branchesView, childViews, groupView, partChildren, SMALL_GROUP } from './group-view.ts';
import { countControls, wholePage } from './page-budget.ts';
import type { ExcerptLine, FieldView, FormView, PagerView, TextView, WholeYamlView } from './form-view-model.ts';
import { scalarView, yamlView } from './leaf-view.ts';
import { memberRef } from './node-ref.ts';
import { pageErrors } from './page-errors.ts';
import { rowsView } from './rows-view.ts';
import { filledPaths, type ShownChoices, type ShowNode, type ViewContext } from './view-context.ts';

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

/** What a page holds at most, unless a single field is more. */
const CONTROLS_PER_PAGE = 80;

/** Large groups are closed at first, so none weighs more than this. */
const HEAVIEST = 10;

/** So many choices of one field weigh as much as another field. */
const OPTIONS = 25;

const MAX_QUERY_LENGTH = 200;

/** What a form looks like with these inputs and faults. */
export function formView(model: FormModel, state: FormState): FormView {
  const context = startView(model, state);
  const { root } = model;
  const ref: ShowNode = { path: root.path, base: state.base, basePath: root.path };
  const whole = { yamlOp: `yaml:${formatPath(root.path)}`, ...(model.reduced === undefined ? {} : { reduced: model.reduced }) };
  if (root.kind === 'yaml' || context.fields.has(fieldName('yaml', ref.path))) {
    const yaml = wholeYamlView(model, yamlView(context, root, ref), state);
    return {
      yaml,
      leftOut: '',
      main: [],
      all: [],
      beneath: [],
      allOpen: false,
      allCount: 0,
      pager: NO_PAGER,
      kept: [],
      secrets: [],
      ...whole,
    };
  }
  return { yaml: false, ...whole, ...fieldsView(context, sectionsOf(model, conditionalRoot(context, root, state), ref), state) };
}

/** The root with the fields that its conditions leave for what stands in the form. */
function conditionalRoot({ model, filled }: ViewContext, root: GroupNode, { fields, base }: FormState): GroupNode {
  if (!isConditional(root)) return root;
  const { values } = formToValues(model, fields, base);
  const shown = applyConditions(model, { values, filled }).root;
  return shown.kind === 'group' ? shown : root;
}

/** A form that is fields. */
function fieldsView(context: ViewContext, sections: readonly Section[], { fields }: FormState): Omit<FormView, 'yaml' | 'yamlOp'> {
  const { model, filled, page } = context;
  const main = sections.flatMap((section) => sectionViews(context, section, 'main'));
  const rest = restOf(context, sections, fields);
  // A search finds them like any other.
  const beneath = sections
    .filter(({ isBeneath }) => isBeneath && searchWords(fields.get('_q') ?? '').length === 0)
    .flatMap((section) => sectionViews(context, section, 'more'));
  const allOpen = main.length === 0 || rest.asked || rest.views.some((view) => filled.has(view.path) && hasContent(view, filled));
  const views = [...main, ...rest.views, ...beneath];
  const kept = hiddenFields(fields, { mode: model.mode, top: model.root.path.length, views, isWhole: page.leftOut === 0 });
  const isSecret = ({ name }: { readonly name: string }): boolean => holdsSecret(model, name);
  return {
    leftOut: leftOutSentence(page.leftOut),
    main,
    all: rest.views,
    beneath,
    allOpen,
    allCount: rest.count,
    pager: rest.pager,
    kept: packInputs(kept.filter((input) => !isSecret(input))),
    secrets: [...[...context.secrets].map(([name, value]) => ({ name, value })), ...kept.filter(isSecret)],
  };
}

/** Whether an input is the text of a secret, in any branch. */
function holdsSecret({ root }: FormModel, name: string): boolean {
  const parsed = parseFieldName(name);
  return parsed?.part === 'value' && nodesAt(root, parsed.path).some(({ kind }) => kind === 'secret');
}

/** Fields that stand on the page one after another as if they were in one group. */
interface Section {
  readonly node: GroupNode;
  readonly ref: ShowNode;
  /** Whether it stands below all other fields. */
  readonly isBeneath: boolean;
}

/** The fields of a resource: those of its `spec`, those beside it, and labels and annotations. */
function sectionsOf({ hoisted }: FormModel, root: GroupNode, ref: ShowNode): readonly Section[] {
  if (root.path.length > 0) return [{ node: root, ref, isBeneath: false }];
  const inner = root.children.find((child): child is GroupNode => child.key === hoisted && child.kind === 'group');
  const isMetadata = ({ key }: FormNode): boolean => key === 'metadata';
  const siblings = root.children.filter((child) => child !== inner && !isMetadata(child));
  return [
    ...(inner === undefined ? [] : [{ node: inner, ref: memberRef(ref, inner.key), isBeneath: false }]),
    { node: { ...root, children: siblings }, ref, isBeneath: false },
    { node: { ...root, children: root.children.filter(isMetadata), open: false }, ref, isBeneath: true },
  ];
}

function sectionViews(context: ViewContext, { node, ref }: Section, part: 'main' | 'more'): readonly FieldView[] {
  // A part of the form that is shown as YAML is whole.
  const isYaml = !isTop({ root: context.model.root }, ref.path) && context.fields.has(fieldName('yaml', ref.path));
  if (isYaml) return part === 'main' ? [yamlView(context, node, ref)] : [];
  return childViews(context, node, { ...ref, part });
}

function startView(model: FormModel, { fields, base, faults, choices, preset, now = new Date() }: FormState): ViewContext {
  const map = fieldMap(fields);
  return {
    model,
    fields: map,
    errors: pageErrors(faults),
    filled: filledPaths(map, faults),
    inputs: inputsBelow(map),
    large: countControls(model.root) > LARGE_FORM,
    searching: false,
    choices,
    now,
    generated: fields.get('_generated') ?? '',
    secrets: new Map(),
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
  return `${fields} in the rows and groups of this page than it can show. They keep their values. To see or change them, choose YAML.`;
}

interface Rest {
  readonly views: readonly FieldView[];
  readonly pager: PagerView;
  readonly count: number;
  /** Whether somebody searched or turned a page. */
  readonly asked: boolean;
}

/** The page of all other fields that was asked for; what is wrong is on every page. */
function restOf(context: ViewContext, all: readonly Section[], fields: URLSearchParams): Rest {
  const words = searchWords(fields.get('_q') ?? '');
  const sections = all
    .filter(({ isBeneath }) => words.length > 0 || !isBeneath)
    .map((section) => ({ ...section, found: words.length === 0 ? section.node.children : matchingChildren(section.node, words) }));
  const others = sections.flatMap(({ node, ref, found }) => partChildren(context, { ...node, children: found }, { ...ref, part: 'more' }));
  const pages = pagesOf(others);
  const page = Math.min(pages.length, Math.max(1, Math.trunc(Number(fields.get('_page') ?? 1)) || 1));
  const onPage = new Set(pages[page - 1] ?? []);
  const looking = words.length === 0 ? context : { ...context, searching: true };
  const views = sections.flatMap(({ node, ref, isBeneath, found }) => {
    const faulty = node.children.filter((child) => context.errors.around.has(formatPath([...ref.path, child.key])));
    const wrong = partChildren(context, { ...node, children: faulty }, { ...ref, part: 'more' });
    const shown = found.filter((child) => onPage.has(child));
    const first = wrong.filter((child) => !shown.some(({ key }) => key === child.key));
    const open = node.open && words.length === 0 && page === pages.length;
    return sectionViews(looking, { node: { ...node, children: [...first, ...shown], open }, ref, isBeneath }, 'more');
  });
  const count = others.reduce((sum, child) => sum + countControls(child), 0);
  return {
    views,
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
  if (count === 0) return 'No field matches these words.';
  return count === 1 ? '1 field found.' : `${count} fields found.`;
}

function show(context: ViewContext, node: FormNode, ref: ShowNode): FieldView {
  if (node.kind === 'yaml' || context.fields.has(fieldName('yaml', ref.path))) return yamlView(context, node, ref);
  if (isScalar(node)) return scalarView(context, node, ref);
  if (isPutAway(context, node, ref)) return putAwayView(context, node, ref);
  if (node.kind === 'choice') return branchesView(context, node, ref);
  return node.kind === 'group' ? groupView(context, node, ref) : rowsView(context, node, ref);
}

/** A group that is split over the page counts as filled here only for the fields that it has here. */
function hasContent(view: FieldView, filled: ReadonlySet<string>): boolean {
  return 'children' in view ? view.open || view.children.some((child) => filled.has(child.path)) : true;
}

/** The fields page by page. What is filled in does not count, so that nothing moves to another page while somebody types. */
function pagesOf(nodes: readonly FormNode[]): readonly (readonly FormNode[])[] {
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

/** The words of a search, in lower case. */
function searchWords(query: string): readonly string[] {
  return query
    .slice(0, MAX_QUERY_LENGTH)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * The members of a group in whose names, paths or descriptions every word occurs. A group that matches itself keeps all its fields, any other only
 * those that match; lists, maps and choices stay whole.
 */
function matchingChildren(group: GroupNode, words: readonly string[]): readonly FormNode[] {
  return group.children.flatMap((child): FormNode[] => {
    if (matches(child, words)) return [child];
    if (child.kind !== 'group') return below(child).some((node) => holdsMatch(node, words)) ? [child] : [];
    const children = matchingChildren(child, words);
    return children.length === 0 ? [] : [{ ...child, children, open: false }];
  });
}

function holdsMatch(node: FormNode, words: readonly string[]): boolean {
  return matches(node, words) || below(node).some((inner) => holdsMatch(inner, words));
}

function below(node: FormNode): readonly FormNode[] {
  if (node.kind === 'group') return node.children;
  if (node.kind === 'list') return [node.item];
  if (node.kind === 'map') return [node.value];
  return node.kind === 'choice' ? node.branches.flatMap((branch) => below(branch.node)) : [];
}

function matches(node: FormNode, words: readonly string[]): boolean {
  if (node.key === '') return false;
  const text = `${node.label} ${formatPath(node.path)} ${node.help.summary} ${node.help.more}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

const LEAST_LINES = 16;
const MAX_LINES = 40;
const AROUND = 2;
const MAX_LINE_LENGTH = 200;

/** The YAML field of the root as the whole form: larger, with a way back, and with the lines around what is wrong. */
function wholeYamlView(
  { root }: FormModel,
  view: TextView,
  { faults, fields }: { readonly faults: readonly FieldFault[]; readonly fields: URLSearchParams },
): WholeYamlView {
  const path = formatPath(root.path);
  const wrong = faults.find(({ field, line }) => field === path && line !== undefined);
  const hasFields = root.kind === 'group';
  return {
    ...view,
    hint: hasFields ? 'The values, or a whole resource with apiVersion, kind, metadata and spec.' : view.hint,
    rows: Math.min(MAX_LINES, Math.max(LEAST_LINES, view.value.split('\n').length + 1)),
    fieldsOp: '',
    formOp: hasFields ? `fields:${path}` : '',
    skeletonOp: hasFields ? `skeleton:${path}` : '',
    upload: {
      loaded: fields.get('_loaded') ?? '',
      fault: fields.get('_rejected') ?? forgottenFile(fields)[0]?.message ?? '',
      limit: `${MAX_UPLOAD_BYTES / 1024} KiB`,
    },
    excerpt: excerptOf(view.value, wrong?.line),
  };
}

function excerptOf(text: string, line: number | undefined): ExcerptLine[] {
  if (line === undefined) return [];
  const first = Math.max(1, line - AROUND);
  const lines = text.split('\n').slice(first - 1, line + AROUND);
  return lines.map((content, index) => ({ number: first + index, text: content.slice(0, MAX_LINE_LENGTH), wrong: first + index === line }));
}
