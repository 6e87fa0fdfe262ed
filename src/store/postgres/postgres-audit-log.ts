import { randomUUID } from 'node:crypto';
import { type AuditEntry, type AuditLog, type AuditQuery, type AuditRecord, searchedWords } from '../../domain/audit/audit-log.ts';
import type { Database } from './database.ts';

/** Entries that wait while the database takes none; all of them are in the process log. */
const MAX_PENDING = 2_000;
/** How often old entries are deleted, and how many at once. */
const [CLEAN_MS, CLEAN_ROWS] = [3_600_000, 5_000];
/** Of each cluster, whatever the retention: some gigabytes. */
const MAX_ENTRIES = 5_000_000;

interface Pending {
  /** An entry that was written although no answer came is not written again. */
  readonly entry: string;
  readonly record: AuditRecord;
}

interface AuditRow {
  /** A bigint, which the driver gives as a text. */
  readonly id: string;
  readonly event: AuditRecord;
}

const APPEND = `INSERT INTO chandlery_audit_events (cluster, entry, environment, person, words, event)
  SELECT $1, entry, environment, person, words, event
  FROM json_to_recordset($2) AS one (entry uuid, environment text, person text, words text, event json)
  ON CONFLICT (cluster, entry) DO NOTHING`;
const SEARCH = `SELECT id, event FROM chandlery_audit_events
  WHERE cluster = $1 AND ($2::bigint IS NULL OR id < $2) AND ($3 = '' OR environment = $3)
    AND ($4 = '' OR strpos(person, $4) > 0) AND ($5 = '' OR strpos(words, $5) > 0)
  ORDER BY id DESC LIMIT $6`;
const CLEAN = `DELETE FROM chandlery_audit_events WHERE cluster = $1 AND id IN (
  SELECT id FROM chandlery_audit_events
  WHERE cluster = $1 AND (recorded_at < now() - make_interval(secs => $2)
    OR id <= (SELECT id FROM chandlery_audit_events WHERE cluster = $1 ORDER BY id DESC OFFSET ${MAX_ENTRIES} LIMIT 1))
  LIMIT ${CLEAN_ROWS} FOR UPDATE SKIP LOCKED)`;

/** The audit log of all replicas. An entry that could not be written goes with the next one that can. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: Database;
  readonly #retentionMs: number;
  readonly #clock: () => number;
  #waiting: Pending[] = [];
  #writing: Promise<void> = Promise.resolve();
  #cleaned = 0;

  constructor(database: Database, { retentionMs, clock }: { readonly retentionMs: number; readonly clock: () => number }) {
    this.#database = database;
    this.#retentionMs = retentionMs;
    this.#clock = clock;
  }

  async append(record: AuditRecord): Promise<void> {
    this.#waiting.push({ entry: randomUUID(), record });
    this.#waiting.splice(0, this.#waiting.length - MAX_PENDING);
    const written = this.#writing.then(async () => await this.#write());
    this.#writing = written.catch(() => undefined);
    await written;
  }

  async search({ person, environment, text, before, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    const values = [before, environment, person.toLowerCase(), text.toLowerCase(), limit];
    const { rows } = await this.#database.query<AuditRow>(SEARCH, values);
    return rows.map(({ id, event }) => ({ ...event, id: Number(id) }));
  }

  /** Writes what still waits, if the database takes it. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#write().catch(() => undefined);
  }

  async #write(): Promise<void> {
    const pending = this.#waiting;
    if (pending.length === 0) return;
    this.#waiting = [];
    const rows = pending.map(({ entry, record }) => {
      const { environment, user } = record;
      return { entry, environment, person: user.toLowerCase(), words: searchedWords(record), event: record };
    });
    try {
      await this.#database.query(APPEND, [JSON.stringify(rows)]);
    } catch (error) {
      this.#waiting = [...pending, ...this.#waiting].slice(-MAX_PENDING);
      throw error;
    }
    void this.#clean();
  }

  /** By whichever replica comes first; what another one deletes at the moment is skipped. */
  async #clean(): Promise<void> {
    const now = this.#clock();
    if (now - this.#cleaned < CLEAN_MS) return;
    this.#cleaned = now;
    await this.#database.query(CLEAN, [this.#retentionMs / 1000]).catch(() => undefined);
  }
}
