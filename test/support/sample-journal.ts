import { type Asking, type JournalEntry, matchesQuery } from '../../src/domain/journal.ts';
import type { JournalPort } from '../../src/operation/journaled.ts';

/** The request of tests that look at no other. */
export const ASKING: Asking = { via: 'api', requestId: 'r' };

/** Every entry of a short journal. */
export const EVERY_ENTRY = { person: '', environment: '', text: '', limit: 100 } as const;

/** A journal that forgets everything with the test. */
export function sampleJournal(entries: JournalEntry[] = []): JournalPort {
  return {
    append: async (line) => void entries.push({ ...line, id: entries.length + 1 }),
    search: async (query) => {
      const wanted = entries.filter((entry) => (query.before === undefined || entry.id < query.before) && matchesQuery(entry, query));
      return wanted.toReversed().slice(0, query.limit);
    },
    now: Date.now,
  };
}
