import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { DiscoveryCache } from './discovery-cache.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { issuerAway } from './issuer-errors.ts';

const TIMEOUT_SECONDS = 5;

/** The keys of the issuer, and its name as tokens carry it. */
export interface IssuerKeys {
  readonly issuer: string;
  readonly key: JWTVerifyGetKey;
}

export interface IssuerClient {
  /** @throws AppError `IssuerUnavailable` */
  configuration(): Promise<Configuration>;
  /** @throws AppError `IssuerUnavailable` */
  keys(): Promise<IssuerKeys>;
  /** What was found before, without asking. */
  known(): Configuration | undefined;
  /** Why the issuer cannot be used now; undefined when it can. */
  away(): Promise<string | undefined>;
}

/** Finds the issuer when it is first needed, and again when that failed, so that one that is away at the start does no harm. */
export function createIssuerClient(settings: IdentitySettings, clock: () => number): IssuerClient {
  const cache = new DiscoveryCache(() => discover(settings), clock);
  const keySets = new Map<string, JWTVerifyGetKey>();
  const configuration = async (): Promise<Configuration> => {
    try {
      return await cache.get();
    } catch (error) {
      throw issuerAway(settings.issuer, error);
    }
  };
  const keys = async (): Promise<IssuerKeys> => {
    const { issuer, jwks_uri: address } = (await configuration()).serverMetadata();
    if (address === undefined) throw issuerAway(settings.issuer, new Error('its discovery document names no keys'));
    const key =
      keySets.get(address) ??
      createRemoteJWKSet(new URL(address), {
        timeoutDuration: TIMEOUT_SECONDS * 1000,
        headers: { ...settings.callHeaders },
      });
    keySets.set(address, key);
    return { issuer, key };
  };
  const away = async (): Promise<string | undefined> => {
    try {
      await cache.check();
      return undefined;
    } catch (error) {
      return issuerAway(settings.issuer, error).message;
    }
  };
  return { configuration, keys, away, known: () => cache.known() };
}

/** Signatures of id tokens are always checked, because the way to the issuer may be plain http on one machine. */
async function discover({ issuer, clientId, clientSecret, callHeaders }: IdentitySettings): Promise<Configuration> {
  const plain = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
  const execute = [...plain, enableNonRepudiationChecks];
  return discovery(issuer, clientId, clientSecret ?? {}, authentication, {
    execute,
    timeout: TIMEOUT_SECONDS,
    [customFetch]: async (url, options) => await fetch(url, { ...options, headers: { ...options.headers, ...callHeaders } } as RequestInit),
  });
}
