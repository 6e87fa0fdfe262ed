import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { ValueChange, ValueLayer } from '../../domain/values/value-change.ts';
import { valueWords } from '../../form/view/value-words.ts';

/** A view of `parts/value-changes`: which values differ, as a table that folds. */
export interface ValueChangesView {
  readonly title: string;
  readonly count: number;
  /** A sentence instead of the table; empty when there is one. */
  readonly none: string;
  /** The headings of both columns of values. */
  readonly before: string;
  readonly after: string;
  readonly layered: boolean;
  readonly rows: readonly ValueChangeRow[];
  /** What is folded away, and how it is called. */
  readonly more: readonly ValueChangeRow[];
  readonly moreLabel: string;
  /** A sentence about what is left out; empty when all is here. */
  readonly omitted: string;
}

export interface ValueChangeRow {
  readonly path: string;
  readonly from: ShownValue;
  readonly to: ShownValue;
  readonly layer: string;
}

/** A value as text; where there is none to show, a note about it. */
export interface ShownValue {
  readonly text: string;
  readonly note: string;
}

const SHOWN_AT_ONCE = 20;
const MAX_ITEMS = 300;
const MAX_LENGTH = 160;

const LAYERS: Readonly<Record<ValueLayer, string>> = {
  schema: 'Default',
  operator: 'Catalogue',
  environment: 'Environment',
  you: 'You',
};

/** Values that came with a preset. */
export interface PresetValues {
  readonly title: string;
  /** Whether a value of a person is the one of the preset. */
  readonly holds: (path: string) => boolean;
}

/** For the review of a new instance: what differs from the defaults, and who sets it. */
export function newValuesView(changes: readonly ValueChange[], preset?: PresetValues): ValueChangesView {
  const none = 'None: every field has its default.';
  const view = viewOf(changes, { title: 'Differences from the defaults', none, before: 'Default', after: 'This instance', layered: true });
  if (preset === undefined) return view;
  const ofPreset = (row: ValueChangeRow): ValueChangeRow =>
    row.layer === LAYERS.you && preset.holds(row.path) ? { ...row, layer: `Preset ${preset.title}` } : row;
  return { ...view, rows: view.rows.map(ofPreset), more: view.more.map(ofPreset) };
}

/** For the review of a change: what differs from what is live. */
export function changedValuesView(changes: readonly ValueChange[]): ValueChangesView {
  const none = 'No differences from the live values.';
  return viewOf(changes, { title: 'Differences from the live object', none, before: 'Current', after: 'New', layered: false });
}

/** For a saved configuration beside the defaults of a new instance. */
export function savedConfigurationValuesView(changes: readonly ValueChange[]): ValueChangesView {
  const none = 'None: all of its values are the present defaults.';
  return viewOf(changes, { title: 'Differences from the defaults', none, before: 'Default', after: 'Configuration', layered: false });
}

/** For a saved configuration that is laid over an instance. */
export function appliedValuesView(changes: readonly ValueChange[], name: string): ValueChangesView {
  const none = `None: ${name} has all of its values.`;
  return viewOf(changes, { title: `Changes in ${name}`, none, before: 'Current', after: 'New', layered: false });
}

/** For an earlier revision of an instance: what a rollback to it would change. */
export function rollbackValuesView(changes: readonly ValueChange[], revision: number): ValueChangesView {
  const none = 'None: the values are the live ones.';
  return viewOf(changes, { title: `Changes by a rollback to revision ${revision}`, none, before: 'Current', after: 'New', layered: false });
}

/** For a revision of a release: what differs from the one before. */
export function releasedValuesView(
  changes: readonly ValueChange[],
  { revision, before }: { readonly revision: number; readonly before: number | undefined },
): ValueChangesView {
  const none = before === undefined ? 'There is no earlier revision to compare with.' : `No differences from revision ${before}.`;
  const title = `Changes since revision ${before ?? 0}`;
  return viewOf(changes, { title, none, before: `Revision ${before ?? 0}`, after: `Revision ${revision}`, layered: false });
}

type Words = Pick<ValueChangesView, 'title' | 'none' | 'before' | 'after' | 'layered'>;

function viewOf(changes: readonly ValueChange[], words: Words): ValueChangesView {
  const rows = changes.slice(0, MAX_ITEMS).map(rowOf);
  const more = rows.slice(SHOWN_AT_ONCE);
  const left = changes.length - rows.length;
  return {
    ...words,
    none: changes.length === 0 ? words.none : '',
    count: changes.length,
    rows: rows.slice(0, SHOWN_AT_ONCE),
    more,
    moreLabel: more.length === 1 ? 'Show 1 more field' : `Show ${more.length} more fields`,
    omitted: left === 0 ? '' : `${left} more are not shown here; the REST API lists all of them.`,
  };
}

function rowOf({ path, from, to, layer, secret }: ValueChange): ValueChangeRow {
  return { path, from: shown(from, secret), to: shown(to, secret), layer: LAYERS[layer] };
}

function shown(value: Json | undefined, secret: boolean): ShownValue {
  if (value === undefined) return { text: '', note: 'not set' };
  if (secret) return { text: '', note: 'secret, not shown' };
  if (value === '') return { text: '', note: 'an empty text' };
  const { words, whole } = valueWords(value, MAX_LENGTH);
  // Two lists of as many entries would read the same.
  const text = whole ? words : stringifyJson(value);
  return { text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text, note: '' };
}
