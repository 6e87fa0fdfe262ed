import type { SecretContent } from '../../controller-runtime/managed-kind.ts';
import { keepPasswords } from '../../controller-runtime/ensure-secret.ts';
import type { PostgresCluster } from './postgres-cluster.ts';

/**
 * The Secret of a PostgresCluster: the keys of the Service Binding specification for the owner of the first database, and a password for each
 * user, for replication, and for the superuser unless somebody brings that one.
 */
export function postgresSecret(
  cluster: PostgresCluster,
  current: Readonly<Record<string, string>>,
  makePassword: () => string,
): SecretContent {
  const { spec, names, namespace } = cluster;
  const made = spec.superuserPasswordSecret === undefined ? ['postgres'] : [];
  const keys = [...made, 'replicator', ...spec.users.map(({ name }) => name)].map(passwordKey);
  const passwords = keepPasswords(keys, current, makePassword);
  const { name: database, owner: username } = spec.databases[0] ?? { name: 'postgres', owner: 'postgres' };
  const host = `${names.main}.${namespace}.svc`;
  const port = String(spec.exposure.port);
  const connection = { type: 'postgresql', provider: 'postgres', host, port, database, username };
  const password = passwords[passwordKey(username)];
  // Whoever brings the password of the superuser has it already.
  if (password === undefined) return { name: names.secret, values: { ...passwords, ...connection } };
  const uri = `postgresql://${username}:${password}@${host}:${port}/${database}`;
  return {
    name: names.secret,
    values: { ...passwords, ...connection, password, uri },
  };
}

/** The key of a user's password; also its file name where the Secret is mounted. */
export function passwordKey(user: string): string {
  return `password-${user}`;
}
