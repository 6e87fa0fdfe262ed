import type { HistoryEntry } from '../../domain/source/catalog-source.ts';
import type { SourceView } from '../../domain/source/source-view.ts';
import type { Badge } from '../page/badges.ts';
import { hrefWith, sourcePath } from '../page/paths.ts';
import { shortRevision } from './sources-page.ts';

/** A revision with what it changed: a row of `parts/source-history`. */
export interface HistoryRow extends RevisionChangesView {
  readonly revision: string;
  readonly outcome: Badge;
  /** Why the revision is not live; empty for one that is. */
  readonly message: string;
  readonly subject: string;
  readonly author: string;
  readonly time: string;
  /** Whether it is the one that was read last. */
  readonly current: boolean;
  /** Empty for the current revision, for one that never was live, and without the permission to patch the source. */
  readonly returnHref: string;
}

export interface RevisionChangesView {
  /** `2 added, 1 changed`; empty where nothing is known to have changed. */
  readonly changes: string;
  readonly names: readonly { readonly text: string; readonly change: string }[];
  /** `and 12 more`; empty where all are named. */
  readonly moreNames: string;
}

export function historyRows({ name, history, revision: read }: SourceView, mayPatch: boolean): readonly HistoryRow[] {
  return history.map((entry, index) => {
    const { revision, outcome, message, subject = '', author = '', time } = entry;
    const current = revision === read && history.findIndex((one) => one.revision === read) === index;
    const isReturnable = mayPatch && outcome === 'Applied' && revision !== read;
    return {
      revision: shortRevision(revision),
      outcome: OUTCOMES[outcome],
      message: outcome === 'Applied' ? '' : message,
      subject,
      author: authorName(author),
      time,
      current,
      returnHref: isReturnable ? rollbackPath(name, revision) : '',
      ...revisionChanges(entry),
    };
  });
}

export const OUTCOMES: Readonly<Record<HistoryEntry['outcome'], Badge>> = {
  Applied: { label: 'Applied', tone: 'good', symbol: 'check' },
  Failed: { label: 'Failed', tone: 'bad', symbol: 'bad' },
  Waiting: { label: 'Waiting', tone: 'warn', symbol: 'warn' },
};

export function revisionChanges({ added = 0, changed = 0, deleted, resources }: HistoryEntry): RevisionChangesView {
  const counts = [
    [added, 'added'],
    [changed, 'changed'],
    [deleted, 'removed'],
  ] as const;
  const more = added + changed + deleted - resources.length;
  return {
    changes: counts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', '),
    names: resources.map(({ change, resource }) => ({ text: resource, change: change.toLowerCase() })),
    moreNames: more > 0 ? `and ${more} more` : '',
  };
}

/** The name of an author, without the email address. */
export function authorName(author: string): string {
  return author.replace(/ <.*>$/, '');
}

/** The page that returns a source to a revision. */
export function rollbackPath(name: string, revision: string): string {
  return hrefWith(sourcePath(name, 'rollback'), { revision });
}
