import { join } from 'node:path';
import { clientSettings } from '../../cli/client-settings.ts';
import type { Terminal } from '../../cli/command.ts';
import { AppError } from '../../domain/core/errors.ts';
import { lockFolder } from '../../embedded/cluster/lock-folder.ts';
import { createTokenCache, type TokenCache } from '../../identity/command-line/token-cache.ts';

/** Longer than anybody may take to sign in. */
const PATIENCE_MS = 660_000;

/** The tokens of the sign-ins of this machine's user, which all commands and kubectl share. */
export function cliTokenCache(env: Terminal['env']): TokenCache {
  const inUse = (pid: number): AppError =>
    new AppError('Unauthenticated', `sign-in: process ${pid} has been waiting for the same sign-in for too long: end it and try again`);
  const folder = join(clientSettings(env).cacheDir, 'tokens');
  return createTokenCache(folder, async (claims) => await lockFolder(claims, { patienceMs: PATIENCE_MS, inUse }));
}
