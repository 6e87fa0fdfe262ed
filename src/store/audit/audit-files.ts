import { mkdir, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry, AuditRecord } from '../../domain/audit/audit-log.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { isObject, numberAt } from '../../domain/core/read.ts';

export interface AuditFileLimits {
  /** A file that has so many bytes gets no further entries. */
  readonly fileBytes: number;
  /** Neither does one that was begun so many milliseconds ago. */
  readonly fileAgeMs: number;
  /** The oldest files beyond this number are deleted. */
  readonly files: number;
  /** So are those that got their last entry so many milliseconds ago. */
  readonly keptMs: number;
}

const DAY_MS = 86_400_000;
const LIMITS: AuditFileLimits = { fileBytes: 4 * 1024 * 1024, fileAgeMs: 30 * DAY_MS, files: 64, keptMs: 400 * DAY_MS };

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

  constructor(folder: string, { limits = LIMITS, clock }: { readonly limits?: AuditFileLimits; readonly clock: () => number }) {
    this.#folder = folder;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Appends entries and waits until they are on the disk. When that fails, none of them is there. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const current = await this.#fileFor(first);
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
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
    const { files, keptMs } = this.#limits;
    const names = await this.#names();
    for (const [index, name] of names.entries()) {
      const path = join(this.#folder, name);
      const isBeyond = names.length - index >= files;
      if (isBeyond || now - (await stat(path)).mtimeMs > keptMs) await rm(path, { force: true });
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
