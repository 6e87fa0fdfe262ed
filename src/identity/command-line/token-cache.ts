import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { numberAt, textAt } from '../../domain/core/read.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import { AppError } from '../../domain/core/errors.ts';

/** Whose tokens they are: each has a file of its own. */
export interface CacheKey {
  readonly issuer: string;
  readonly clientId: string;
  /** As the api-server names the person; empty where nobody is known yet. */
  readonly user: string;
}

/** The tokens of a sign-in. */
export interface CachedTokens {
  /** What is sent to the api-server and to Chandlery. */
  readonly bearer: Secret;
  readonly refreshToken?: Secret;
  /** When the bearer token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The files of tokens in the XDG cache folder, which only their owner can read. */
export interface TokenCache {
  /**
   * Undefined when there are none, and for a file that holds something else: signing in again replaces it.
   *
   * @throws AppError `ConfigInvalid` for a file that others can read.
   */
  read(key: CacheKey): Promise<CachedTokens | undefined>;
  write(key: CacheKey, tokens: CachedTokens): Promise<void>;
  delete(key: CacheKey): Promise<void>;
  /** Runs work while no other process works on the same tokens. */
  locked<T>(key: CacheKey, work: () => Promise<T>): Promise<T>;
}

/**
 * @param folder is made when it is first written to.
 * @param lock takes the lock that a folder stands for, and returns how to let go of it.
 */
export function createTokenCache(folder: string, lock: (folder: string) => Promise<() => Promise<void>>): TokenCache {
  const nameOf = ({ issuer, clientId, user }: CacheKey): string =>
    join(
      folder,
      createHash('sha256')
        .update(JSON.stringify([issuer, clientId, user]))
        .digest('hex')
        .slice(0, 40),
    );
  const fileOf = (key: CacheKey): string => `${nameOf(key)}.json`;
  return {
    read: async (key) => await readTokens(fileOf(key)),
    write: async (key, tokens) => await writeTokens(fileOf(key), tokens),
    delete: async (key) => await rm(fileOf(key), { force: true }),
    locked: async (key, work) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const release = await lock(`${nameOf(key)}.lock`);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}

async function readTokens(file: string): Promise<CachedTokens | undefined> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw new AppError('ConfigInvalid', `credential: ${file}: others can read it; delete it and sign in again`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof AppError) throw error;
    return undefined;
  }
  const content = parsed(text);
  const [bearer, refreshToken, expiresAt] = [textAt(content, 'token'), textAt(content, 'refreshToken'), numberAt(content, 'expiresAt')];
  if (bearer === undefined || expiresAt === undefined) return undefined;
  return { bearer: secret(bearer), expiresAt, ...(refreshToken === undefined ? {} : { refreshToken: secret(refreshToken) }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function writeTokens(file: string, { bearer, refreshToken, expiresAt }: CachedTokens): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const content = { token: bearer.reveal(), expiresAt, ...(refreshToken === undefined ? {} : { refreshToken: refreshToken.reveal() }) };
  try {
    await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
