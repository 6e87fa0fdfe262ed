import { Pool, type PoolClient, type PoolConfig, type QueryResult, type QueryResultRow } from 'pg';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { numberAt, textAt } from '../../domain/core/read.ts';

/** Where the database is. */
export interface DatabaseSettings {
  /** Reads the address, `postgres://USER:PASSWORD@HOST:PORT/NAME`; again for each connection, because passwords rotate. */
  readonly readUrl: () => Promise<URL>;
  /** Certificate authorities in PEM that the server is trusted by; absent: those of this machine. */
  readonly certificateAuthority?: string;
  /** Connections of this process at most. */
  readonly connections: number;
}

/** The database of one cluster: every statement has the uid of the cluster as `$1`. */
export interface Database {
  /** @throws AppError `DatabaseUnavailable` when the database does not answer, or not as it should. */
  query<R extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<QueryResult<R>>;
  /** Why it cannot be used now; undefined when it can. */
  unavailableReason(): Promise<string | undefined>;
  close(): Promise<void>;
}

const PORT = '5432';
const CONNECT_MS = 3_000;
const STATEMENT_MS = 5_000;
/** Somewhat longer: the server says more of what took long than we can. */
const ANSWER_MS = STATEMENT_MS + 1_000;
const IDLE_MS = 60_000;

/**
 * Connects when it is first asked, and brings the schema to this version then; a database that is away at the start does no harm.
 *
 * @param clusterUid the uid of the cluster; it may be away, too.
 */
export async function openDatabase(settings: DatabaseSettings, clusterUid: () => Promise<string>): Promise<Database> {
  const url = await settings.readUrl();
  const place = `${url.hostname}:${url.port === '' ? PORT : url.port}`;
  const pool = new Pool(poolConfig(url, settings));
  // A connection that breaks while nobody uses it: the next statement gets another one.
  pool.on('error', () => undefined);
  const migrated = once(async () => await withClient(pool));
  const ask = async <R extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<QueryResult<R>> => {
    try {
      await migrated();
      return await pool.query<R>(text, [...values]);
    } catch (error) {
      throw unavailable(place, error) ?? error;
    }
  };
  return {
    query: async (text, values) => await ask(text, [await clusterUid(), ...values]),
    unavailableReason: async () => {
      try {
        await ask('SELECT 1', []);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    close: async () => await pool.end(),
  };
}

/** In parts: what a whole URL says of TLS and the password, the driver would put above ours. */
function poolConfig(url: URL, { readUrl, certificateAuthority, connections }: DatabaseSettings): PoolConfig {
  const trusted = certificateAuthority === undefined ? {} : { ca: certificateAuthority };
  const options = url.searchParams.get('options');
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port === '' ? PORT : url.port),
    user: decodeURIComponent(url.username),
    database: decodeURIComponent(url.pathname.slice(1)),
    password: async () => decodeURIComponent((await readUrl()).password),
    ...(options !== null && { options }),
    ssl: isPlain(url) ? false : { ...trusted, rejectUnauthorized: true },
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'chandlery',
  };
}

/** Without TLS only where the URL says so, or where the bytes never leave this machine. */
function isPlain({ hostname, searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode');
  if (mode !== null) return mode === 'disable';
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

async function withClient(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await migrate(client);
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Runs until it succeeded once; who asks meanwhile waits for the same attempt. */
function once(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= act();
    try {
      await running;
    } catch (error) {
      running = undefined;
      throw error;
    }
  };
}

/** Connection exceptions, rejected sign-ins, too few resources, interventions of an operator, a standby that takes no writes. */
const AWAY_STATES = /^(?:08|28|53|57|58|25006|3D000|55P03)/;
const AWAY_MESSAGES =
  /connection (?:terminated|ended|timeout)|timeout exceeded|read timeout|not queryable|certificate|SSL|TLS|password|SASL/i;

/** The database is away, or does not let us in; undefined for what is a fault of ours. */
function unavailable(place: string, error: unknown): AppError | undefined {
  if (error instanceof AppError) return undefined;
  const code = textAt(error, 'code') ?? '';
  const isSystem = /^E[A-Z]+$/.test(code) || code.startsWith('ERR_TLS') || code.includes('CERT');
  const message = messageOf(error) === '' ? code : messageOf(error);
  if (!isSystem && !AWAY_STATES.test(code) && !AWAY_MESSAGES.test(message)) return undefined;
  return new AppError('DatabaseUnavailable', `database: ${place}: ${message}`, { cause: error, retryAfter: 5 });
}

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
  `ALTER TABLE chandlery_access_tokens ADD COLUMN uses integer NOT NULL DEFAULT 0;`,
];

/** The same in all replicas: whoever has it migrates, the others wait. */
const LOCK = 4_257_321_817;
const TIMEOUT = '60s';

/** Brings the schema of a database to this version, in one transaction. One that is newer already is left alone. */
async function migrate(client: PoolClient): Promise<void> {
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
