import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { objectAt, textAt } from '../../domain/core/read.ts';
import { readJson, writeJson } from './private-json.ts';

/** What stays the same between starts, so that tokens and cookies stay valid. */
export interface IssuerSecrets {
  /** The private key that tokens are signed with, RS256. */
  readonly signingKey: JWK;
  readonly cookieKey: string;
  readonly clientSecret: string;
}

/** Who the tokens are from and for. */
export interface IssuerNames {
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
