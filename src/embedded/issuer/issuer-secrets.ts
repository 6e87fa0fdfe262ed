import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { at, isObject, objectAt, textAt } from '../../domain/core/read.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { writePrivateFile } from '../cluster/private-file.ts';

/** What stays the same between starts, so that tokens and cookies stay valid. */
export interface IssuerSecrets {
  /** The private key that tokens are signed with, RS256. */
  readonly signingKey: JWK;
  readonly cookieKey: string;
  readonly clientSecret: string;
}

/** Who the tokens are from and for. */
interface IssuerNames {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's name for the embedded api-server, which takes only https. */
  readonly clusterIssuer?: string;
}

/** Reads the secrets of the issuer; undefined when none were made yet. */
export async function readSecrets(stateDir: string): Promise<IssuerSecrets | undefined> {
  const data = await readJson(secretsFile(stateDir));
  const [cookieKey, clientSecret] = [textAt(data, 'cookieKey'), textAt(data, 'clientSecret')];
  if (cookieKey === undefined || clientSecret === undefined) return undefined;
  return { signingKey: objectAt(data, 'signingKey'), cookieKey, clientSecret };
}

/** Reads the secrets of the issuer, and makes them when there are none. */
export async function ensureSecrets(stateDir: string): Promise<IssuerSecrets> {
  const known = await readSecrets(stateDir);
  if (known !== undefined) return known;
  const secrets = {
    signingKey: await newSigningKey(),
    cookieKey: randomBytes(32).toString('base64url'),
    clientSecret: randomBytes(32).toString('base64url'),
  };
  await writeJson(secretsFile(stateDir), secrets);
  return secrets;
}

export async function readNames(stateDir: string): Promise<IssuerNames | undefined> {
  const data = await readJson(namesFile(stateDir));
  const [issuer, audience, clusterIssuer] = [textAt(data, 'issuer'), textAt(data, 'audience'), textAt(data, 'clusterIssuer')];
  if (issuer === undefined || audience === undefined) return undefined;
  return { issuer, audience, ...(clusterIssuer === undefined ? {} : { clusterIssuer }) };
}

/** Tells other processes, which mint tokens, what the issuer is called today: the port may be another than last time. */
export async function writeNames(stateDir: string, names: IssuerNames): Promise<void> {
  await writeJson(namesFile(stateDir), names);
}

async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = await exportJWK(privateKey);
  return { ...key, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(key) };
}

function secretsFile(stateDir: string): string {
  return join(stateDir, 'issuer', 'secrets.json');
}

function namesFile(stateDir: string): string {
  return join(stateDir, 'issuer', 'settings.json');
}

/**
 * The object in a JSON file; undefined when there is no file.
 *
 * @throws AppError `ConfigInvalid` that names the file when it holds something else.
 */
export async function readJson(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const data: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isObject(data)) throw new TypeError('it holds no object');
    return data;
  } catch (cause) {
    if (at(cause, 'code') === 'ENOENT') return undefined;
    const advice = 'remove it and start again: everybody signs in anew then';
    throw new AppError('ConfigInvalid', `embedded issuer: ${file} cannot be read (${messageOf(cause)}): ${advice}`, { cause });
  }
}

/** Replaces a JSON file that only its owner may read, whole or not at all. */
export async function writeJson(file: string, data: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, stringifyJson(data));
}
