import type { ObjectChange, PreviewedObjects } from '../../domain/upgrade/preview/previewed-objects.ts';
import type { Badge } from './badges.ts';
import { plural } from './view-helpers.ts';

/** Objects that change, of a release or of a source. */
export interface ObjectsView {
  readonly sentence: string;
  readonly changes: readonly DiffRow[];
  /** Those of which only labels change. */
  readonly labelled: readonly DiffRow[];
  /** Empty where all are listed. */
  readonly omitted: string;
}

/** A view of `parts/object-diff`. */
export interface DiffRow {
  readonly badge: Badge;
  readonly kind: string;
  readonly place: string;
  readonly note: string;
  readonly lines: readonly { readonly text: string; readonly mark: '' | 'new' | 'gone' | 'gap' }[];
  readonly cut: string;
}

/** The objects of a release that change, with a sentence about all of them. */
export function objectsView({ changes, unchanged, omitted }: PreviewedObjects): ObjectsView {
  const count = (change: ObjectChange['change']): number => changes.filter((one) => one.change === change).length;
  const parts = [
    ...(count('changed') === 0 ? [] : [plural(count('changed'), 'object changes', 'objects change')]),
    ...(count('added') === 0 ? [] : [`${count('added')} ${count('added') === 1 ? 'is' : 'are'} new`]),
    ...(count('removed') === 0 ? [] : [`${count('removed')} ${count('removed') === 1 ? 'goes' : 'go'}`]),
    ...(unchanged === 0 ? [] : [`${unchanged} ${unchanged === 1 ? 'stays' : 'stay'} as ${unchanged === 1 ? 'it is' : 'they are'}`]),
  ];
  return {
    sentence: changes.length === 0 ? 'No object of the release changes.' : `${parts.join(', ')}.`,
    changes: changes.filter(({ labelsOnly }) => !labelsOnly).map(diffRow),
    labelled: changes.filter(({ labelsOnly }) => labelsOnly).map(diffRow),
    omitted: omitted === 0 ? '' : `${plural(omitted, 'more object is', 'more objects are')} not listed.`,
  };
}

const CHANGES: Readonly<Record<ObjectChange['change'], Badge>> = {
  added: { label: 'new', tone: 'good', symbol: 'plus' },
  changed: { label: 'changes', tone: 'busy', symbol: 'edit' },
  removed: { label: 'goes', tone: 'warn', symbol: 'trash' },
};

/** One object that changes, with its lines. */
export function diffRow({ change, kind, namespace, name, restarts, lines, omittedLines }: ObjectChange): DiffRow {
  return {
    badge: CHANGES[change],
    kind,
    place: namespace === undefined ? name : `${namespace}/${name}`,
    note: restarts ? 'Its pods are replaced' : '',
    lines: lines.map((text) => ({ text, mark: markOf(text) })),
    cut: omittedLines === 0 ? '' : `${plural(omittedLines, 'more line is', 'more lines are')} not shown`,
  };
}

function markOf(text: string): '' | 'new' | 'gone' | 'gap' {
  if (text.startsWith('+')) return 'new';
  if (text.startsWith('-')) return 'gone';
  return text.startsWith('@@') ? 'gap' : '';
}
