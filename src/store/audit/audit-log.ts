import { mkdir, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditEntry, type AuditLog, type AuditQuery, type AuditRecord, matchesQuery } from '../../domain/audit/audit-log.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject, numberAt } from '../../domain/core/read.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';

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

export interface AuditFileLimits {
  /** A file that has so many bytes gets no further entries. */
  readonly fileBytes: number;
  /** Neither does one that was begun so many milliseconds ago. */
  readonly fileAgeMs: number;
  /** The oldest files beyond this number are deleted. */
  readonly files: number;
  /** So are those that got their last entry so many milliseconds ago. */
  readonly retentionMs: number;
}

const DAY_MS = 86_400_000;
export const AUDIT_FILE_LIMITS: AuditFileLimits = {
  fileBytes: 4 * 1024 * 1024,
  fileAgeMs: 30 * DAY_MS,
  files: 64,
  retentionMs: 400 * DAY_MS,
};

const NAME = /^([0-9]{15})\.jsonl$/;
/** Lines that are read without letting others run. */
const LINES_A_TURN = 400;

interface Current {
  readonly path: string;
  readonly begun: number;
  bytes: number;
}

/**
 * The entries of the audit log as lines of JSON in append-only files that only their owner may read. A file is named after its first entry; the cost of an entry
 * does not depend on how many there are. The calls of `append` must come one after another.
 */
export class AuditFiles {
  readonly #folder: string;
  readonly #limits: AuditFileLimits;
  readonly #clock: () => number;
  #current: Current | undefined;

  constructor(folder: string, { limits = AUDIT_FILE_LIMITS, clock }: { readonly limits?: AuditFileLimits; readonly clock: () => number }) {
    this.#folder = folder;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Appends entries and waits until they are on the disk. When that fails, none of them is there. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const current = await this.#fileFor(first);
    const text = entries.map((entry) => `${stringifyJson(entry)}\n`).join('');
    const handle = await open(current.path, 'a', 0o600);
    try {
      await handle.appendFile(text);
      await handle.datasync();
      current.bytes += Buffer.byteLength(text);
    } catch (error) {
      await truncate(current.path, current.bytes).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** The entries older than an id, the newest first, a few at a time, so that reading a long log holds nobody up. */
  async *before(id: number): AsyncGenerator<readonly AuditEntry[]> {
    const names = (await this.#names()).filter((name) => Number.parseInt(name, 10) < id);
    for (const name of names.toReversed()) {
      const lines = (await readFile(join(this.#folder, name), 'utf8').catch(() => '')).split('\n');
      for (let end = lines.length; end > 0; end -= LINES_A_TURN) {
        const entries = lines.slice(Math.max(0, end - LINES_A_TURN), end).flatMap(parseEntry);
        yield entries.filter((entry) => entry.id < id).toReversed();
        await yieldToEventLoop();
      }
    }
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#names()).length === 0;
  }

  /** The file that an entry goes to. */
  async #fileFor(entry: AuditEntry): Promise<Current> {
    const current = this.#current ?? (await this.#last());
    const now = this.#clock();
    if (current !== undefined && current.bytes < this.#limits.fileBytes && now - current.begun < this.#limits.fileAgeMs) {
      this.#current = current;
      return current;
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#deleteOld(now);
    this.#current = { path: join(this.#folder, `${String(entry.id).padStart(15, '0')}.jsonl`), begun: now, bytes: 0 };
    return this.#current;
  }

  /** The newest file. A line that a crash cut short is ended, so that the next entry has one of its own. */
  async #last(): Promise<Current | undefined> {
    const name = (await this.#names()).at(-1);
    if (name === undefined) return undefined;
    const path = join(this.#folder, name);
    const text = await readFile(path, 'utf8');
    const begun = Date.parse(text.split('\n', 1).flatMap(parseEntry)[0]?.time ?? '');
    const handle = await open(path, 'a', 0o600);
    try {
      await handle.chmod(0o600);
      if (text !== '' && !text.endsWith('\n')) await handle.appendFile('\n');
      return { path, begun: Number.isNaN(begun) ? this.#clock() : begun, bytes: (await handle.stat()).size };
    } finally {
      await handle.close();
    }
  }

  async #deleteOld(now: number): Promise<void> {
    const { files, retentionMs } = this.#limits;
    const names = await this.#names();
    for (const [index, name] of names.entries()) {
      const path = join(this.#folder, name);
      const isBeyond = names.length - index >= files;
      if (isBeyond || now - (await stat(path)).mtimeMs > retentionMs) await rm(path, { force: true });
    }
  }

  /** The oldest first. */
  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.filter((name) => NAME.test(name)).toSorted();
  }
}

const BLANK: AuditRecord = {
  time: '',
  user: '',
  groups: [],
  action: '',
  environment: '',
  target: '',
  outcome: 'succeeded',
  code: '',
  via: 'page',
  requestId: '',
};

/** The entry of a line; nothing for a line that is none, such as one that a crash cut short. */
function parseEntry(line: string): readonly AuditEntry[] {
  if (line === '') return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && numberAt(entry, 'id') !== undefined ? [completed(entry, 0)] : [];
  } catch {
    return [];
  }
}

/** The entry of an object that an older version wrote, which may know less. @param id for one without */
export function completed(entry: Readonly<Record<string, unknown>>, id: number): AuditEntry {
  return { ...BLANK, ...entry, id: numberAt(entry, 'id') ?? id };
}
