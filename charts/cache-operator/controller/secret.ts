import { createHash } from 'node:crypto';
import type { SecretContent } from '../../controller-runtime/managed-kind.ts';
import { keepPasswords } from '../../controller-runtime/ensure-secret.ts';
import type { Cache, CacheUser } from './cache.ts';

/**
 * The Secret of a Cache, with the keys of the Service Binding specification for applications, a password for each user, and the list of
 * users as Valkey reads it (hashes only).
 */
export function cacheSecret(cache: Cache, current: Readonly<Record<string, string>>, makePassword: () => string): SecretContent {
  const users = cache.spec.users ?? [];
  const keys = ['password', 'password-replication', ...users.map(({ name }) => `password-${name}`)];
  const passwords = keepPasswords(keys, current, makePassword);
  const host = `${cache.names.main}.${cache.namespace}.svc`;
  const port = String(cache.spec.exposure.port);
  const values = {
    ...passwords,
    type: 'redis',
    provider: 'valkey',
    host,
    port,
    username: 'default',
    uri: `redis://default:${passwords['password'] ?? ''}@${host}:${port}/0`,
    'users.acl': accessList(users, passwords),
  };
  return { name: cache.names.secret, values };
}

const PERMISSIONS: Readonly<Record<CacheUser['permissions'][number], string>> = {
  read: '+@read +@connection',
  write: '+@read +@write +@transaction +@connection',
  publish: '+@pubsub +@connection',
  admin: '+@all',
};

function accessList(users: readonly CacheUser[], passwords: Readonly<Record<string, string>>): string {
  const hash = (key: string): string =>
    `#${createHash('sha256')
      .update(passwords[key] ?? '')
      .digest('hex')}`;
  const lines = users.map(({ name, permissions, keyPrefix }) => {
    const commands = permissions.map((permission) => PERMISSIONS[permission]).join(' ');
    return `user ${name} on ${hash(`password-${name}`)} ~${keyPrefix ?? ''}* resetchannels &${keyPrefix ?? ''}* -@all ${commands}`;
  });
  return [
    `user default on ${hash('password')} ~* &* +@all`,
    `user replication on ${hash('password-replication')} -@all +psync +replconf +ping`,
    ...lines,
    '',
  ].join('\n');
}
