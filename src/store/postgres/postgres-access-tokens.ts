import { type AccessToken, type AccessTokenTable, EXPIRED_KEPT_MS } from '../../domain/access-token/access-token.ts';
import type { Database } from './database.ts';

/** What changes has a column of its own; the driver gives a bigint as a text. */
interface AccessTokenRow {
  readonly record: Omit<AccessToken, 'groups' | 'person' | 'seenAt' | 'usedAt'>;
  readonly groups: readonly string[];
  readonly person: AccessToken['person'];
  readonly seen_at: string;
  readonly used_at: string | null;
}

const COLUMNS = 'record, groups, person, seen_at, used_at';
const LIST = `SELECT ${COLUMNS} FROM chandlery_access_tokens WHERE cluster = $1 AND ($2::text IS NULL OR user_name = $2)
  ORDER BY user_name COLLATE "C", created_at DESC, id`;
const SWEEP = 'DELETE FROM chandlery_access_tokens WHERE cluster = $1 AND expires_at <= $2';
/** A user has as many places as tokens, and each place is taken once, on whichever replica: nobody counts what others add at the same time. */
const ADD = `INSERT INTO chandlery_access_tokens
    (cluster, id, digest, user_name, subject, groups, person, seen_at, created_at, expires_at, record, place)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, free.place FROM generate_series(1, $12) AS free (place)
  WHERE NOT EXISTS (SELECT FROM chandlery_access_tokens AS taken WHERE taken.cluster = $1 AND taken.user_name = $4 AND taken.place = free.place)
  ORDER BY random() LIMIT 1
  ON CONFLICT (cluster, user_name, place) DO NOTHING`;
const COUNT = 'SELECT count(*)::int AS count FROM chandlery_access_tokens WHERE cluster = $1 AND user_name = $2';
/** Somebody who adds that many tokens at the same moment is told that it is enough. */
const ATTEMPTS = 20;

/** The personal access tokens of all replicas. */
export function accessTokensOf(database: Database, clock: () => number): AccessTokenTable {
  const read = async (text: string, values: readonly unknown[]): Promise<readonly AccessToken[]> =>
    (await database.query<AccessTokenRow>(text, values)).rows.map(tokenOf);
  return {
    find: async (digest) => (await read(`SELECT ${COLUMNS} FROM chandlery_access_tokens WHERE cluster = $1 AND digest = $2`, [digest]))[0],
    list: async (user) => await read(LIST, [user]),
    add: async (token, most) => {
      const { groups, person, seenAt, usedAt: _usedAt, ...record } = token;
      const { id, digest, user, subject, createdAt, expiresAt } = token;
      await database.query(SWEEP, [clock() - EXPIRED_KEPT_MS]);
      const values = [id, digest, user, subject, JSON.stringify(groups), person, seenAt, createdAt, expiresAt, record, most];
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        if ((await database.query(ADD, values)).rowCount === 1) return 'added';
        const { rows } = await database.query<{ readonly count: number }>(COUNT, [user]);
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
      const text = `DELETE FROM chandlery_access_tokens WHERE cluster = $1 AND id = $2 AND ($3::text IS NULL OR user_name = $3) RETURNING ${COLUMNS}`;
      return (await read(text, [id, user]))[0];
    },
  };
}

function tokenOf({ record, groups, person, seen_at: seenAt, used_at: usedAt }: AccessTokenRow): AccessToken {
  return { ...record, groups, person, seenAt: Number(seenAt), ...(usedAt === null ? {} : { usedAt: Number(usedAt) }) };
}
