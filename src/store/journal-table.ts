import { isObject, numberAt } from '../domain/read.ts';
import { matchesQuery, type Journal, type JournalEntry, type JournalLine } from '../domain/journal.ts';

/** The part of a file that the journal is in. */
export interface JournalData {
  readonly journal: JournalEntry[];
}

interface JournalFile {
  readonly data: JournalData;
  write(): Promise<void>;
}

/** Entries that one file can carry: it is written whole at each change. */
const JOURNAL_LENGTH = 2000;

/** The journal of one machine: the newest entries, the oldest first. An entry that could not be written goes with the next one that can. */
export function journalOf(low: JournalFile): Journal {
  return {
    append: async (line) => {
      const { journal } = low.data;
      journal.push({ ...line, id: (journal.at(-1)?.id ?? 0) + 1 });
      journal.splice(0, journal.length - JOURNAL_LENGTH);
      await low.write();
    },
    search: async (query) => {
      const older = low.data.journal.filter(({ id }) => query.before === undefined || id < query.before);
      return older
        .filter((entry) => matchesQuery(entry, query))
        .toReversed()
        .slice(0, query.limit);
    },
  };
}

const BLANK: JournalLine = {
  time: '',
  user: '',
  groups: [],
  action: '',
  environment: '',
  target: '',
  outcome: 'done',
  code: '',
  via: 'page',
  requestId: '',
};

/** The entries of a file; those of an older version know less. */
export function parseJournal(entries: readonly unknown[]): JournalEntry[] {
  return entries.filter(isObject).map((entry, index) => ({ ...BLANK, ...entry, id: numberAt(entry, 'id') ?? index + 1 }));
}
