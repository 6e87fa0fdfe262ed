import type { HistoryEntry, InventoryItem } from './catalog-source.ts';
import { nameOfItem } from './check-documents.ts';
import type { SourceCommit } from './git-source.ts';

/** The revisions that a CatalogSource remembers. */
export const MAX_REVISIONS = 20;
/** Names of an entry, so that the status of a source stays small. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 120;
const MAX_SUBJECT = 100;
const MAX_AUTHOR = 80;
const MAX_MESSAGE = 240;

/** What an attempt to apply a revision changed in the cluster, as `Kind namespace/name`. */
export interface RevisionChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export const NO_CHANGES: RevisionChanges = { added: [], changed: [], removed: [] };

interface Attempt {
  readonly revision: string;
  readonly lastAppliedRevision: string | undefined;
  /** What the source owned before. */
  readonly inventory: readonly InventoryItem[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * What of an attempt belongs to its revision. What was applied again although the revision was live already had been changed or deleted by others.
 */
export function changesOfRevision({ revision, lastAppliedRevision, inventory, changed, removed }: Attempt): RevisionChanges {
  if (revision === lastAppliedRevision) return { ...NO_CHANGES, removed };
  const owned = new Set(inventory.flatMap((item) => (item.uid === undefined ? [] : [nameOfItem(item)])));
  return { added: changed.filter((name) => !owned.has(name)), changed: changed.filter((name) => owned.has(name)), removed };
}

export interface RevisionResult extends Pick<HistoryEntry, 'revision' | 'time' | 'outcome' | 'applied' | 'message'> {
  readonly changes: RevisionChanges;
  readonly commit?: SourceCommit;
}

/**
 * One more entry, the newest first. A further result of the newest revision adds its changes to those before; it replaces the entry, unless its outcome is another one. The same
 * again changes nothing.
 */
export function withResult(history: readonly HistoryEntry[], { changes, commit, ...result }: RevisionResult): readonly HistoryEntry[] {
  const [newest, ...others] = history;
  const known = newest?.revision === result.revision ? newest : undefined;
  const isRepeated = known?.outcome === result.outcome;
  const message = result.message.slice(0, MAX_MESSAGE);
  const isEmpty = Object.values(changes).every((names: readonly string[]) => names.length === 0);
  if (known !== undefined && isRepeated && isEmpty && known.message === message) return history;
  const entry: HistoryEntry = { ...result, message, ...addedTo(known, changes), ...subjectOf(commit, known) };
  return [entry, ...(isRepeated ? others : history)].slice(0, MAX_REVISIONS);
}

type Counted = Pick<HistoryEntry, 'added' | 'changed' | 'deleted' | 'resources'>;

/** A resource that a revision has added counts as that, also when it was changed once more. */
function addedTo(known: HistoryEntry | undefined, { added, changed, removed }: RevisionChanges): Counted {
  const before = known?.resources ?? [];
  const named = new Set(before.map(({ resource }) => resource));
  const fresh = [
    ...added.map((resource) => ({ change: 'Added', resource }) as const),
    ...changed.filter((resource) => !named.has(resource)).map((resource) => ({ change: 'Changed', resource }) as const),
    ...removed.map((resource) => ({ change: 'Removed', resource }) as const),
  ];
  const counted = (change: (typeof fresh)[number]['change']): number => fresh.filter((one) => one.change === change).length;
  return {
    added: (known?.added ?? 0) + counted('Added'),
    changed: (known?.changed ?? 0) + counted('Changed'),
    deleted: (known?.deleted ?? 0) + counted('Removed'),
    resources: [...before, ...fresh].slice(0, MAX_NAMES).map((one) => ({ ...one, resource: one.resource.slice(0, MAX_NAME_LENGTH) })),
  };
}

function subjectOf(commit: SourceCommit | undefined, known: HistoryEntry | undefined): Pick<HistoryEntry, 'subject' | 'author'> {
  if (commit === undefined) {
    const { subject, author } = known ?? {};
    return { ...(subject === undefined ? {} : { subject }), ...(author === undefined ? {} : { author }) };
  }
  const [subject = ''] = commit.message.split('\n');
  return { subject: subject.slice(0, MAX_SUBJECT), author: commit.author.slice(0, MAX_AUTHOR) };
}
