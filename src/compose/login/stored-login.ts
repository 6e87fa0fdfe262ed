import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientSettings } from '../../cli/client-settings.ts';
import type { Terminal } from '../../cli/command.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { at, textAt, textsAt } from '../../domain/core/read.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import { CLI_TOKENS, type CliClient } from '../../domain/kubectl/cli-client.ts';
import { cliTokenCache } from './cli-token-cache.ts';

/** A server, and who acts there, as `chandlery login` has stored them. */
export interface StoredLogin {
  /** An origin. */
  readonly server: string;
  /** A token that somebody gave. */
  readonly token?: Secret;
  /** A sign-in, whose tokens are in the cache. */
  readonly person?: StoredPerson;
  /** An absolute path. */
  readonly certificateAuthority?: string;
}

export interface StoredPerson {
  /** As the api-server names the person. */
  readonly user: string;
  readonly client: CliClient;
}

/** The bearer token of a login, renewed where it has to be; undefined where there is none. @throws AppError `Unauthenticated` when the sign-in has ended. */
export async function tokenOfLogin({ server, token, person }: StoredLogin, env: Terminal['env']): Promise<Secret | undefined> {
  if (person === undefined) return token;
  const { obtainToken } = await import('../../identity/command-line/obtain-token.ts');
  const ended = (): never => {
    throw new AppError('Unauthenticated', `login: the sign-in of ${person.user} at ${server} has ended: run "chandlery login ${server}"`);
  };
  const { bearer } = await obtainToken({ ...person, cache: cliTokenCache(env), mode: 'cached', signIn: ended, clock: Date.now });
  return bearer;
}

function loginFile(env: Terminal['env']): string {
  return join(clientSettings(env).configDir, 'login.json');
}

/** Replaces the stored login. Only its owner can read it. */
export async function storeLogin({ token, ...login }: StoredLogin, env: Terminal['env']): Promise<void> {
  const file = loginFile(env);
  const draft = `${file}.${randomUUID()}`;
  const content = { ...login, ...(token === undefined ? {} : { token: token.reveal() }) };
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${stringifyJson(content)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

export async function deleteLogin(env: Terminal['env']): Promise<void> {
  await rm(loginFile(env), { force: true });
}

/**
 * The stored login, if there is one.
 *
 * @throws AppError `ConfigInvalid` for a file that others can read, or that holds something else.
 */
export async function readLogin(env: Terminal['env']): Promise<StoredLogin | undefined> {
  const file = loginFile(env);
  const bad = (why: string, cause?: unknown): AppError =>
    new AppError('ConfigInvalid', `login: ${file}: ${why}; run "chandlery login URL" again`, { cause });
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) throw bad('others can read it');
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (at(error, 'code') === 'ENOENT') return undefined;
    throw bad(messageOf(error), error);
  }
  const content = parsed(text);
  const [server, token, certificateAuthority] = ['server', 'token', 'certificateAuthority'].map((key) => textAt(content, key));
  const person = personOf(at(content, 'person'));
  if (server === undefined || (token === undefined && person === undefined)) throw bad('it holds no server and token');
  return {
    server,
    ...(token === undefined ? {} : { token: secret(token) }),
    ...(person === undefined ? {} : { person }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

function personOf(content: unknown): StoredPerson | undefined {
  const [user, issuer, clientId] = [textAt(content, 'user'), textAt(content, 'client', 'issuer'), textAt(content, 'client', 'clientId')];
  const token = CLI_TOKENS.find((one) => one === textAt(content, 'client', 'token'));
  if (user === undefined || issuer === undefined || clientId === undefined || token === undefined) return undefined;
  const certificateAuthority = textAt(content, 'client', 'certificateAuthority');
  const authority = certificateAuthority === undefined ? {} : { certificateAuthority };
  return { user, client: { issuer, clientId, token, scopes: textsAt(content, 'client', 'scopes'), ...authority } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
