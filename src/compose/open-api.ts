import { readFile } from 'node:fs/promises';
import type { Api } from '../cli/api.ts';
import type { Connection } from '../cli/client-command.ts';
import { clientSettings, type ClientSettings } from '../cli/client-settings.ts';
import type { Terminal } from '../cli/command.ts';
import { AppError } from '../domain/core/errors.ts';
import { type Secret, secret } from '../domain/core/secret.ts';
import { ciToken } from './login/ci-command.ts';
import { readLogin, type StoredLogin, tokenOfLogin } from './login/stored-login.ts';
import type { RemoteApiInput } from './remote-api.ts';

/**
 * The API that a command acts by: of the server or the cluster that its options name; else of the server or the cluster of the environment; else of the stored
 * login; else of the cluster of the usual kubeconfig.
 *
 * @throws AppError `ConfigInvalid` for options that contradict each other, and for a server without a token.
 */
export async function openApi(connection: Connection, terminal: Terminal): Promise<Api> {
  const { env, signal } = terminal;
  const settings = clientSettings(env);
  const server = await serverFor(connection, settings, terminal);
  if (server !== undefined) {
    const { openRemoteApi } = await import('./remote-api.ts');
    return await openRemoteApi({ ...server, signal });
  }
  const { openLocalApi } = await import('./local-api.ts');
  const kubeconfigPath = connection.kubeconfig ?? settings.kubeconfig;
  const context = connection.context ?? settings.context;
  return await openLocalApi({
    signal,
    ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
    ...(context === undefined ? {} : { context }),
  });
}

/** Undefined: a cluster. */
async function serverFor(
  connection: Connection,
  settings: ClientSettings,
  terminal: Terminal,
): Promise<Omit<RemoteApiInput, 'signal'> | undefined> {
  const login = await loginFor(connection, settings, terminal.env);
  if (login === undefined) return undefined;
  const { server, certificateAuthority } = login;
  const token = await tokenFor(connection, settings, { login, terminal });
  return { server, token, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
}

/** The server that is asked, and what the stored login has for it; undefined: a cluster. */
export async function loginFor(connection: Connection, settings: ClientSettings, env: Terminal['env']): Promise<StoredLogin | undefined> {
  const cluster = connection.kubeconfig ?? connection.context;
  if (connection.server !== undefined && cluster !== undefined) {
    throw new AppError('ConfigInvalid', '--server: it is exclusive with --kubeconfig and --context');
  }
  if (cluster !== undefined) return undefined;
  const named = connection.server ?? settings.server;
  if (named === undefined && (settings.kubeconfig ?? settings.context) !== undefined) return undefined;
  const stored = await readLogin(env);
  if (named === undefined) return stored;
  const { serverUrl } = await import('./remote-api.ts');
  const server = serverUrl(named);
  const own = stored?.server === server ? stored : undefined;
  const certificateAuthority = connection.certificateAuthority ?? own?.certificateAuthority;
  return { ...own, server, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
}

interface LoginInput {
  readonly login: StoredLogin;
  readonly terminal: Terminal;
}

/** What is stored is for the server that it was stored for, and for no other. */
async function tokenFor({ tokenFile }: Connection, { token }: ClientSettings, { login, terminal }: LoginInput): Promise<Secret> {
  if (tokenFile !== undefined) return secret((await readFile(tokenFile, 'utf8')).trim());
  const known = token ?? (await tokenOfLogin(login, terminal.env)) ?? (await ciToken({ audience: login.server }, terminal));
  if (known !== undefined) return known;
  throw new AppError(
    'ConfigInvalid',
    '--server: there is no token; run "chandlery login URL", set CHANDLERY_TOKEN, or name a file with --token-file',
  );
}
