import { readFile } from 'node:fs/promises';
import type { Api } from '../cli/api.ts';
import type { Connection } from '../cli/client-command.ts';
import type { Terminal } from '../cli/command.ts';
import { clientSettings, type ClientSettings } from '../config.ts';
import { AppError } from '../domain/core/errors.ts';
import { type Secret, secret } from '../domain/core/secret.ts';

/**
 * The API that a command acts by: of the server or the cluster that its options name; else of the server or the cluster of the environment; else of the
 * cluster of the usual kubeconfig.
 *
 * @throws AppError `ConfigInvalid` for options that contradict each other, and for a server without a token.
 */
export async function openApi(connection: Connection, { env, signal }: Terminal): Promise<Api> {
  const settings = clientSettings(env);
  const server = serverOf(connection, settings);
  if (server !== undefined) {
    const { openRemoteApi } = await import('./remote-api.ts');
    const { certificateAuthority } = connection;
    const token = await tokenFor(connection, settings);
    return await openRemoteApi({ server, token, signal, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) });
  }
  const { openLocalApi } = await import('./local-api.ts');
  const { createLog } = await import('../observe/log.ts');
  const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
  const kubeconfigPath = connection.kubeconfig ?? settings.kubeconfig;
  const context = connection.context ?? settings.context;
  return await openLocalApi({
    log,
    signal,
    ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
    ...(context === undefined ? {} : { context }),
  });
}

function serverOf(connection: Connection, settings: ClientSettings): string | undefined {
  const named = connection.kubeconfig ?? connection.context;
  if (connection.server !== undefined && named !== undefined) {
    throw new AppError('ConfigInvalid', '--server: it cannot stand beside --kubeconfig or --context: name one place');
  }
  if (named !== undefined) return undefined;
  return connection.server ?? settings.server;
}

async function tokenFor({ tokenFile }: Connection, { token }: ClientSettings): Promise<Secret> {
  if (tokenFile !== undefined) return secret((await readFile(tokenFile, 'utf8')).trim());
  if (token !== undefined) return token;
  throw new AppError(
    'ConfigInvalid',
    '--server: there is no token; set CHANDLERY_TOKEN, name a file with --token-file, or run "chandlery login URL"',
  );
}
