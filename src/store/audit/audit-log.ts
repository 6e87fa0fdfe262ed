import { type AuditEntry, type AuditLog, type AuditQuery, type AuditRecord, matchesQuery } from '../../domain/audit/audit-log.ts';
import type { AuditFiles } from './audit-files.ts';

/** The newest entries that searches find without reading files. */
const IN_MEMORY = 1000;
/** Entries that wait while the disk takes none; all of them are in the process log. */
const MAX_PENDING = 2000;

/** The audit log of one machine: the newest entries in memory, all in files. An entry that could not be written goes with the next one that can. */
export class FileAuditLog implements AuditLog {
  readonly #files: AuditFiles;
  /** The oldest first. */
  readonly #newest: AuditEntry[];
  #waiting: AuditEntry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #searching: Promise<unknown> = Promise.resolve();
  #lastId: number;

  private constructor(files: AuditFiles, newest: AuditEntry[]) {
    this.#files = files;
    this.#newest = newest;
    this.#lastId = newest.at(-1)?.id ?? 0;
  }

  static async open(files: AuditFiles): Promise<FileAuditLog> {
    return new FileAuditLog(files, (await firstOf(files.before(Number.POSITIVE_INFINITY), IN_MEMORY)).toReversed());
  }

  async append(line: AuditRecord): Promise<void> {
    const entry = { ...line, id: this.#lastId + 1 };
    this.#lastId = entry.id;
    this.#newest.push(entry);
    this.#newest.splice(0, this.#newest.length - IN_MEMORY);
    this.#waiting.push(entry);
    this.#waiting.splice(0, this.#waiting.length - MAX_PENDING);
    const written = this.#writing.then(async () => await this.#write());
    this.#writing = written.catch(() => undefined);
    await written;
  }

  /** One search after another, because one that finds little reads all files. */
  async search(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const searched = this.#searching.then(async () => await this.#search(query));
    this.#searching = searched.catch(() => undefined);
    return await searched;
  }

  /** Waits for what is being written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    try {
      await this.#files.append(entries);
    } catch (error) {
      this.#waiting = [...entries, ...this.#waiting].slice(-MAX_PENDING);
      throw error;
    }
  }

  async #search(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const before = query.before ?? Number.POSITIVE_INFINITY;
    const near = this.#newest.filter((entry) => entry.id < before && matchesQuery(entry, query)).toReversed();
    if (near.length >= query.limit) return near.slice(0, query.limit);
    const older = this.#files.before(Math.min(before, this.#newest[0]?.id ?? before));
    return [...near, ...(await firstOf(older, query.limit - near.length, (entry) => matchesQuery(entry, query)))];
  }
}

async function firstOf(
  slices: AsyncIterable<readonly AuditEntry[]>,
  limit: number,
  isWanted: (entry: AuditEntry) => boolean = () => true,
): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const slice of slices) {
    found.push(...slice.filter(isWanted));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}
