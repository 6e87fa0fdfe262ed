import { type AccessToken, type AccessTokenTable, EXPIRED_KEPT_MS } from '../../domain/access-token/access-token.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Seal } from '../../domain/core/seal.ts';
import type { SessionRecord } from '../../domain/core/session.ts';
import {
  DEPLOYMENT_RETENTION_DAYS,
  type JobDeployment,
  type JobDeploymentTable,
  MAX_DEPLOYMENT_TARGETS,
  pipelineKey,
} from '../../domain/environment/job-deployment.ts';
import type { SessionTable, Store, UsedIdTable } from '../store.ts';
import { MAX_SESSIONS, openSession, sealSession, type StoredSession } from '../stored-session.ts';
import { type Database, type DatabaseSettings, openDatabase } from './database.ts';
import { randomUUID } from 'node:crypto';
import { type AuditEntry, type AuditLog, type AuditQuery, type AuditRecord, searchedWords } from '../../domain/audit/audit-log.ts';

interface PostgresStoreInput {
  readonly settings: DatabaseSettings;
  /** The uid of the cluster: several clusters may share a database. */
  readonly clusterUid: () => Promise<string>;
  /** For the tokens of sessions. */
  readonly seal: Seal;
  /** How long entries of the audit log are kept, in milliseconds. */
  readonly auditRetention: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Opens the store of all replicas: PostgreSQL, which may be away now. */
export async function createPostgresStore({
  settings,
  clusterUid,
  seal,
  auditRetention,
  clock = Date.now,
}: PostgresStoreInput): Promise<Store> {
  const database = await openDatabase(settings, clusterUid);
  const auditLog = new PostgresAuditLog(database, { retentionMs: auditRetention, clock });
  return {
    sessions: sessionsOf(database, { seal, clock }),
    auditLog,
    accessTokens: accessTokensOf(database, clock),
    usedIds: usedIdsOf(database, clock),
    deployments: deploymentsIn(database),
    unavailableReason: database.unavailableReason,
    close: async () => {
      await auditLog.flush();
      await database.close();
    },
  };
}

interface SessionRow {
  readonly record: StoredSession;
  /** A bigint, which the driver gives as a text. */
  readonly seen_at: string;
}

/** Ended sessions that one sign-in deletes. */
const SWEPT = 100;
const PUT_SESSION = `WITH swept AS (
    DELETE FROM chandlery_sessions WHERE cluster = $1 AND key IN (
      SELECT key FROM chandlery_sessions WHERE cluster = $1 AND expires_at <= $8 LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED)
  ), oldest AS (
    DELETE FROM chandlery_sessions WHERE cluster = $1 AND key IN (
      SELECT key FROM chandlery_sessions WHERE cluster = $1 AND subject = $3 AND key <> $2 ORDER BY seen_at DESC OFFSET ${MAX_SESSIONS - 1})
  )
  INSERT INTO chandlery_sessions (cluster, key, subject, issuer_session, seen_at, expires_at, refresh_at, record)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $9)
  ON CONFLICT (cluster, key) DO UPDATE SET subject = $3, issuer_session = $4, seen_at = $5, expires_at = $6, refresh_at = $7, record = $9`;

function sessionsOf(database: Database, { seal, clock }: { readonly seal: Seal; readonly clock: () => number }): SessionTable {
  const opened = (key: string, [row]: readonly SessionRow[]): SessionRecord | undefined =>
    row === undefined ? undefined : openSession(key, { ...row.record, seenAt: Number(row.seen_at) }, seal);
  return {
    get: async (key) => {
      const text = 'SELECT record, seen_at FROM chandlery_sessions WHERE cluster = $1 AND key = $2 AND expires_at > $3';
      return opened(key, (await database.query<SessionRow>(text, [key, clock()])).rows);
    },
    put: async (key, record) => {
      const { subject, issuerSession, seenAt, expiresAt, refreshAt } = record;
      const values = [key, subject, issuerSession, seenAt, expiresAt, refreshAt, clock(), sealSession(key, record, seal)];
      await database.query(PUT_SESSION, values);
    },
    replace: async (key, record) => {
      const { subject, issuerSession, seenAt, expiresAt, refreshAt } = record;
      const text = `UPDATE chandlery_sessions SET subject = $3, issuer_session = $4, seen_at = greatest(seen_at, $5), expires_at = $6, refresh_at = $7,
        record = $8, renewal_holder = NULL, renewal_until = 0 WHERE cluster = $1 AND key = $2`;
      const values = [key, subject, issuerSession, seenAt, expiresAt, refreshAt, sealSession(key, record, seal)];
      return (await database.query(text, values)).rowCount === 1;
    },
    ...claimsOf(database, opened),
    touch: async (key, seenAt) => {
      await database.query('UPDATE chandlery_sessions SET seen_at = $3 WHERE cluster = $1 AND key = $2', [key, seenAt]);
    },
    delete: async (key) => {
      await database.query('DELETE FROM chandlery_sessions WHERE cluster = $1 AND key = $2', [key]);
    },
    deleteOf: async ({ subject, issuerSession }) => {
      const text = `DELETE FROM chandlery_sessions WHERE cluster = $1 AND expires_at > $4 AND ($2::text IS NOT NULL OR $3::text IS NOT NULL)
        AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR issuer_session = $3)`;
      return (await database.query(text, [subject, issuerSession, clock()])).rowCount ?? 0;
    },
  };
}

function claimsOf(
  database: Database,
  opened: (key: string, rows: readonly SessionRow[]) => SessionRecord | undefined,
): Pick<SessionTable, 'claimRenewal' | 'releaseRenewal'> {
  return {
    claimRenewal: async (key, { holder, now, until }) => {
      const text = `UPDATE chandlery_sessions SET renewal_holder = $3, renewal_until = $5
        WHERE cluster = $1 AND key = $2 AND refresh_at <= $4 AND expires_at > $4 AND renewal_until <= $4 RETURNING record, seen_at`;
      return opened(key, (await database.query<SessionRow>(text, [key, holder, now, until])).rows);
    },
    releaseRenewal: async (key, holder) => {
      const text = 'UPDATE chandlery_sessions SET renewal_until = 0 WHERE cluster = $1 AND key = $2 AND renewal_holder = $3';
      await database.query(text, [key, holder]);
    },
  };
}

function usedIdsOf(database: Database, clock: () => number): UsedIdTable {
  return {
    use: async (id, until) => {
      const text = `WITH swept AS (
          DELETE FROM chandlery_used_ids WHERE cluster = $1 AND id IN (
            SELECT id FROM chandlery_used_ids WHERE cluster = $1 AND until <= $4 AND id <> $2 LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED)
        )
        INSERT INTO chandlery_used_ids AS known (cluster, id, until) VALUES ($1, $2, $3)
        ON CONFLICT (cluster, id) DO UPDATE SET until = $3 WHERE known.until <= $4`;
      return (await database.query(text, [id, until, clock()])).rowCount === 1;
    },
    release: async (id) => {
      await database.query('DELETE FROM chandlery_used_ids WHERE cluster = $1 AND id = $2', [id]);
    },
  };
}

/** What changes has a column of its own; the driver gives a bigint as a text. */
interface AccessTokenRow {
  readonly record: Omit<AccessToken, 'groups' | 'person' | 'seenAt' | 'usedAt' | 'uses'>;
  readonly groups: readonly string[];
  readonly person: AccessToken['person'];
  readonly seen_at: string;
  readonly used_at: string | null;
  readonly uses: number;
}

const TOKEN_COLUMNS = 'record, groups, person, seen_at, used_at, uses';
const LIST_TOKENS = `SELECT ${TOKEN_COLUMNS} FROM chandlery_access_tokens WHERE cluster = $1 AND ($2::text IS NULL OR user_name = $2)
  ORDER BY user_name COLLATE "C", created_at DESC, id`;
const SWEEP_TOKENS = 'DELETE FROM chandlery_access_tokens WHERE cluster = $1 AND expires_at <= $2';
/** A user has as many places as tokens, and each place is taken once, on whichever replica: nobody counts what others add at the same time. */
const ADD_TOKEN = `INSERT INTO chandlery_access_tokens
    (cluster, id, digest, user_name, subject, groups, person, seen_at, created_at, expires_at, record, place)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, free.place FROM generate_series(1, $12) AS free (place)
  WHERE NOT EXISTS (SELECT FROM chandlery_access_tokens AS taken WHERE taken.cluster = $1 AND taken.user_name = $4 AND taken.place = free.place)
  ORDER BY random() LIMIT 1
  ON CONFLICT (cluster, user_name, place) DO NOTHING`;
const ROTATE_TOKEN = `UPDATE chandlery_access_tokens SET digest = $4, created_at = $5, expires_at = $6, record = (record::jsonb || $7::jsonb)::json
  WHERE cluster = $1 AND id = $2 AND user_name = $3 RETURNING ${TOKEN_COLUMNS}`;
const COUNT_TOKENS = 'SELECT count(*)::int AS count FROM chandlery_access_tokens WHERE cluster = $1 AND user_name = $2';
/** Somebody who adds that many tokens at the same moment reaches the limit. */
const ATTEMPTS = 20;

/** The personal access tokens of all replicas. */
function accessTokensOf(database: Database, clock: () => number): AccessTokenTable {
  const read = async (text: string, values: readonly unknown[]): Promise<readonly AccessToken[]> =>
    (await database.query<AccessTokenRow>(text, values)).rows.map(tokenOf);
  return {
    find: async (digest) =>
      (await read(`SELECT ${TOKEN_COLUMNS} FROM chandlery_access_tokens WHERE cluster = $1 AND digest = $2`, [digest]))[0],
    list: async (user) => await read(LIST_TOKENS, [user]),
    add: async (token, most) => {
      const { groups, person, seenAt, usedAt: _usedAt, uses: _uses, ...record } = token;
      const { id, digest, user, subject, createdAt, expiresAt } = token;
      await database.query(SWEEP_TOKENS, [clock() - EXPIRED_KEPT_MS]);
      const values = [id, digest, user, subject, JSON.stringify(groups), person, seenAt, createdAt, expiresAt, record, most];
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        if ((await database.query(ADD_TOKEN, values)).rowCount === 1) return 'added';
        const { rows } = await database.query<{ readonly count: number }>(COUNT_TOKENS, [user]);
        if ((rows[0]?.count ?? 0) >= most) return 'full';
      }
      return 'full';
    },
    touch: async (id, usedAt) => {
      await database.query('UPDATE chandlery_access_tokens SET used_at = $3 WHERE cluster = $1 AND id = $2', [id, usedAt]);
    },
    renew: async ({ user, subject, groups, person, seenAt }) => {
      const text = `UPDATE chandlery_access_tokens SET groups = $4, person = $5, seen_at = greatest(seen_at, $6)
        WHERE cluster = $1 AND user_name = $2 AND subject = $3`;
      await database.query(text, [user, subject, JSON.stringify(groups), person, seenAt]);
    },
    revoke: async (id, user) => {
      const text = `DELETE FROM chandlery_access_tokens WHERE cluster = $1 AND id = $2 AND ($3::text IS NULL OR user_name = $3) RETURNING ${TOKEN_COLUMNS}`;
      return (await read(text, [id, user]))[0];
    },
    ...registrationsOf(database, read),
  };
}

/** What only registration tokens need. */
function registrationsOf(
  database: Database,
  read: (text: string, values: readonly unknown[]) => Promise<readonly AccessToken[]>,
): Pick<AccessTokenTable, 'rotate' | 'countUse' | 'returnUse'> {
  return {
    rotate: async (id, user, next) => {
      const { digest, createdAt, expiresAt } = next;
      return (await read(ROTATE_TOKEN, [id, user, digest, createdAt, expiresAt, JSON.stringify({ digest, createdAt, expiresAt })]))[0];
    },
    countUse: async (id, most) => {
      const text = 'UPDATE chandlery_access_tokens SET uses = uses + 1 WHERE cluster = $1 AND id = $2 AND uses < $3';
      return (await database.query(text, [id, most])).rowCount === 1;
    },
    returnUse: async (id) => {
      await database.query('UPDATE chandlery_access_tokens SET uses = greatest(0, uses - 1) WHERE cluster = $1 AND id = $2', [id]);
    },
  };
}

function tokenOf({ record, groups, person, seen_at: seenAt, used_at: usedAt, uses }: AccessTokenRow): AccessToken {
  const used = { ...(usedAt === null ? {} : { usedAt: Number(usedAt) }), ...(uses === 0 ? {} : { uses }) };
  return { ...record, groups, person, seenAt: Number(seenAt), ...used };
}

// The rows that are deleted are never those of the target itself but the running one that ends, so that no row is touched twice.
const PUT_DEPLOYMENT = `WITH ended AS (
    DELETE FROM chandlery_deployments
    WHERE cluster = $1 AND environment = $2 AND target = $3 AND outcome = 'Running' AND $4 <> 'Running' AND pipeline = $5
  ), crowded AS (
    DELETE FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 AND target IN (
      SELECT target FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 AND target <> $3
      GROUP BY target ORDER BY max(recorded_at) DESC OFFSET ${MAX_DEPLOYMENT_TARGETS - 1})
  ), old AS (
    DELETE FROM chandlery_deployments
    WHERE cluster = $1 AND (environment <> $2 OR target <> $3) AND recorded_at < now() - interval '${DEPLOYMENT_RETENTION_DAYS} days'
  )
  INSERT INTO chandlery_deployments (cluster, environment, target, outcome, pipeline, deployment) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (cluster, environment, target, outcome) DO UPDATE SET pipeline = $5, deployment = $6, recorded_at = now()`;
const LIST_DEPLOYMENTS = 'SELECT deployment FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 ORDER BY recorded_at';

/** The deployments of all replicas. */
function deploymentsIn(database: Database): JobDeploymentTable {
  return {
    put: async (environment, deployment) => {
      const { target, outcome } = deployment;
      await database.query(PUT_DEPLOYMENT, [environment, target, outcome, pipelineKey(deployment), stringifyJson(deployment)]);
    },
    list: async (environment) =>
      (await database.query<{ readonly deployment: JobDeployment }>(LIST_DEPLOYMENTS, [environment])).rows.map(
        ({ deployment }) => deployment,
      ),
  };
}

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
class PostgresAuditLog implements AuditLog {
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
      await this.#database.query(APPEND, [stringifyJson(rows)]);
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
