import { passwordKey } from './secret.ts';
import type { Database, PostgresSpec, User } from './postgres-cluster.ts';

/** Where the Secret is mounted in every pod of ours. */
export const CREDENTIALS = '/etc/credentials';

/**
 * What psql runs to bring users and databases in line. Every statement can run again and again. Names need no escaping beyond the quotes: the
 * schema of the kind lets only lower-case letters, digits and underscores through. Passwords come from files, never from the text.
 */
export function setupSql({ users, databases }: PostgresSpec): string {
  return [
    '\\set ON_ERROR_STOP on',
    // Nobody needs to read that a right which is taken was not there.
    'SET client_min_messages = error;',
    lockOthers(users),
    ...users.map(userSql),
    ...databases.map(databaseSql),
    ...users.flatMap((user) => grantsSql(user, databases)),
    ...databases.map(extensionsSql),
    '',
  ].join('\n');
}

/** Who is not on the list any more can no longer log in. What they own stays. */
function lockOthers(users: readonly User[]): string {
  const names = ['postgres', 'replicator', ...users.map(({ name }) => name)].map((name) => `'${name}'`).join(', ');
  const others = `rolcanlogin AND rolname NOT LIKE 'pg\\_%' AND rolname NOT IN (${names})`;
  return `SELECT format('ALTER ROLE %I NOLOGIN', rolname) FROM pg_roles WHERE ${others} \\gexec`;
}

function userSql({ name, superuser }: User): string {
  return [
    `\\set password \`cat ${CREDENTIALS}/${passwordKey(name)}\``,
    `SELECT 'CREATE ROLE "${name}"' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') \\gexec`,
    `ALTER ROLE "${name}" WITH LOGIN ${superuser ? 'SUPERUSER' : 'NOSUPERUSER'} PASSWORD :'password';`,
  ].join('\n');
}

function databaseSql({ name, owner }: Database): string {
  return [
    `SELECT 'CREATE DATABASE "${name}" OWNER "${owner}"' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec`,
    `ALTER DATABASE "${name}" OWNER TO "${owner}";`,
    `REVOKE ALL ON DATABASE "${name}" FROM PUBLIC;`,
  ].join('\n');
}

/**
 * Reading and writing are privileges in every database that a user may connect to, so connecting is what is given and taken: by the list, and to
 * owners by themselves.
 */
function grantsSql({ name, databases: listed = [] }: User, databases: readonly Database[]): readonly string[] {
  const connect = databases
    .filter(({ owner }) => owner !== name)
    .map((database) => {
      const [verb, word] = listed.includes(database.name) ? ['GRANT', 'TO'] : ['REVOKE', 'FROM'];
      return `${verb} CONNECT, TEMPORARY ON DATABASE "${database.name}" ${word} "${name}";`;
    });
  const [verb, word] = listed.length > 0 ? ['GRANT', 'TO'] : ['REVOKE', 'FROM'];
  return [...connect, `${verb} pg_read_all_data, pg_write_all_data ${word} "${name}";`];
}

function extensionsSql({ name, extensions }: Database): string {
  return [`\\connect "${name}"`, ...(extensions ?? []).map((extension) => `CREATE EXTENSION IF NOT EXISTS "${extension}";`)].join('\n');
}
