import type { Seal } from '../../domain/core/seal.ts';
import type { SessionRecord } from '../../domain/core/session.ts';
import type { SessionTable, Store, UsedIdTable } from '../store.ts';
import { MAX_SESSIONS, openSession, sealSession, type StoredSession } from '../stored-session.ts';
import { type Database, type DatabaseSettings, openDatabase } from './database.ts';
import { accessTokensOf } from './postgres-access-tokens.ts';
import { deploymentsIn } from './postgres-deployments.ts';
import { PostgresAuditLog } from './postgres-audit-log.ts';

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
const PUT = `WITH swept AS (
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
      await database.query(PUT, [key, subject, issuerSession, seenAt, expiresAt, refreshAt, clock(), sealSession(key, record, seal)]);
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
