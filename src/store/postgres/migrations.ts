import type { PoolClient } from 'pg';
import { numberAt } from '../../domain/core/read.ts';

/**
 * The schema, step by step. A step never changes once it was released. Replicas of the version before run on while a new one migrates, so a step only adds
 * what they can ignore; what is no longer used is dropped a version later.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE chandlery_sessions (
    cluster text NOT NULL,
    key text NOT NULL,
    subject text NOT NULL,
    issuer_session text,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    refresh_at bigint,
    renewal_holder text,
    renewal_until bigint NOT NULL DEFAULT 0,
    record json NOT NULL,
    PRIMARY KEY (cluster, key)
  );
  CREATE INDEX chandlery_sessions_of_subject ON chandlery_sessions (cluster, subject, seen_at);
  CREATE INDEX chandlery_sessions_of_issuer ON chandlery_sessions (cluster, issuer_session);
  CREATE INDEX chandlery_sessions_ended ON chandlery_sessions (cluster, expires_at);
  CREATE TABLE chandlery_used_ids (
    cluster text NOT NULL,
    id text NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (cluster, id)
  );
  CREATE INDEX chandlery_used_ids_over ON chandlery_used_ids (cluster, until);
  CREATE TABLE chandlery_audit_events (
    cluster text NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    entry uuid NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    environment text NOT NULL,
    person text NOT NULL,
    words text NOT NULL,
    event json NOT NULL,
    PRIMARY KEY (cluster, id),
    UNIQUE (cluster, entry)
  );
  CREATE INDEX chandlery_audit_events_of_environment ON chandlery_audit_events (cluster, environment, id);
  CREATE INDEX chandlery_audit_events_recorded ON chandlery_audit_events (cluster, recorded_at);`,
  `CREATE TABLE chandlery_access_tokens (
    cluster text NOT NULL,
    id text NOT NULL,
    digest text NOT NULL,
    user_name text NOT NULL,
    subject text NOT NULL,
    groups json NOT NULL,
    person json NOT NULL,
    seen_at bigint NOT NULL,
    used_at bigint,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    place integer NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (cluster, id),
    UNIQUE (cluster, digest),
    UNIQUE (cluster, user_name, place)
  );
  CREATE INDEX chandlery_access_tokens_of_user ON chandlery_access_tokens (cluster, user_name, subject);`,
  `CREATE TABLE chandlery_deployments (
    cluster text NOT NULL,
    environment text NOT NULL,
    target text NOT NULL,
    outcome text NOT NULL,
    pipeline text NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    deployment json NOT NULL,
    PRIMARY KEY (cluster, environment, target, outcome)
  );
  CREATE INDEX chandlery_deployments_recorded ON chandlery_deployments (cluster, recorded_at);`,
];

/** The same in all replicas: whoever has it migrates, the others wait. */
const LOCK = 4_257_321_817;
const TIMEOUT = '60s';

/** Brings the schema of a database to this version, in one transaction. One that is newer already is left alone. */
export async function migrate(client: PoolClient): Promise<void> {
  if ((await versionOf(client)) >= MIGRATIONS.length) return;
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL statement_timeout = '${TIMEOUT}'; SET LOCAL lock_timeout = '${TIMEOUT}'`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS chandlery_migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const before = await versionOf(client);
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < before) continue;
      await client.query(statements);
      await client.query('INSERT INTO chandlery_migrations (version) VALUES ($1)', [index + 1]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** 0 for a database that has no schema yet. */
async function versionOf(client: PoolClient): Promise<number> {
  const there = await client.query<{ found: boolean }>(`SELECT to_regclass('chandlery_migrations') IS NOT NULL AS found`);
  if (there.rows[0]?.found !== true) return 0;
  const newest = await client.query('SELECT max(version) AS version FROM chandlery_migrations');
  return numberAt(newest.rows[0], 'version') ?? 0;
}
