import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Secret, secret } from '../domain/core/secret.ts';
import { maybe } from '../domain/setting/setting-values.ts';

/** What the environment says to a command that asks a server or a cluster. */
export interface ClientSettings {
  readonly server?: string;
  readonly token?: Secret;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** The folder of what belongs to one person: the stored login. */
  readonly configDir: string;
  /** The folder of what can be made again: the tokens of sign-ins. */
  readonly cacheDir: string;
}

/** Reads the environment of such a command. */
export function clientSettings(env: Readonly<Record<string, string | undefined>>): ClientSettings {
  const home = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  const one = (name: string): string | undefined => env[`CHANDLERY_${name}`] || undefined;
  return {
    configDir: join(home, 'chandlery'),
    cacheDir: join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'chandlery'),
    ...maybe('server', one('SERVER'), (text) => text),
    ...maybe('token', one('TOKEN'), secret),
    ...maybe('kubeconfig', one('KUBECONFIG'), (text) => text),
    ...maybe('context', one('CONTEXT'), (text) => text),
  };
}
