import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { JournalEntry, JournalQuery } from '../../domain/audit/audit-log.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Ports } from '../ports.ts';

/** A page of the journal. */
export interface JournalPage {
  /** The newest first. */
  readonly entries: readonly JournalEntry[];
  /** The `before` of the next page; absent on the last one. */
  readonly next?: number;
}

/** No api-server serves it; rights on it are granted as on any other resource. */
const JOURNAL_RIGHT = { verb: 'list', group: OURS.group, resource: 'journal' } as const;

/** Who did what through pages and the REST API. @throws AppError `Forbidden` without the right to list `journal.chandlery.dev`. */
export async function listJournal(ports: Pick<Ports, 'clusters' | 'journal'>, actor: Actor, query: JournalQuery): Promise<JournalPage> {
  const { allowed } = await ports.clusters.asActor(actor).review(JOURNAL_RIGHT);
  if (!allowed) throw new AppError('Forbidden', 'journal: you may not read who did what', { missing: JOURNAL_RIGHT });
  const found = await ports.journal.search({ ...query, limit: query.limit + 1 });
  const entries = found.slice(0, query.limit);
  const last = entries.at(-1);
  return found.length > entries.length && last !== undefined ? { entries, next: last.id } : { entries };
}
