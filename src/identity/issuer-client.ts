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
import type { IdentitySettings } from './identity-settings.ts';
import { issuerUnavailable } from './issuer-errors.ts';

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
  unavailableReason(): Promise<string | undefined>;
}

/** A discovery document is read anew after so long; the old one serves while that fails. */
const FRESH_MS = 600_000;
/** A check is good for so long. */
const CHECKED_MS = 5_000;
/** An issuer that was just away is not asked again before. */
const RETRY_MS = 1_000;

/** Finds the issuer when it is first needed, and again when that failed, so that one that is away at the start does no harm. */
export function createIssuerClient(settings: IdentitySettings, clock: () => number): IssuerClient {
  const cache = new DiscoveryCache(() => discover(settings), clock);
  const keySets = new Map<string, JWTVerifyGetKey>();
  const configuration = async (): Promise<Configuration> => {
    try {
      return await cache.get();
    } catch (error) {
      throw issuerUnavailable(settings.issuer, error);
    }
  };
  const keys = async (): Promise<IssuerKeys> => {
    const { issuer, jwks_uri: address } = (await configuration()).serverMetadata();
    if (address === undefined) throw issuerUnavailable(settings.issuer, new Error('its discovery document names no keys'));
    const key =
      keySets.get(address) ??
      createRemoteJWKSet(new URL(address), {
        timeoutDuration: TIMEOUT_SECONDS * 1000,
        headers: { ...settings.callHeaders },
      });
    keySets.set(address, key);
    return { issuer, key };
  };
  const unavailableReason = async (): Promise<string | undefined> => {
    try {
      await cache.check();
      return undefined;
    } catch (error) {
      return issuerUnavailable(settings.issuer, error).message;
    }
  };
  return { configuration, keys, unavailableReason, known: () => cache.known() };
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

/** What discovery found last, and whether it works now. At most one question is under way. */
class DiscoveryCache {
  readonly #discover: () => Promise<Configuration>;
  readonly #clock: () => number;
  #found: { readonly configuration: Configuration; readonly at: number } | undefined;
  #failed: { readonly error: Error; readonly at: number } | undefined;
  #asking: Promise<Configuration> | undefined;

  constructor(discover: () => Promise<Configuration>, clock: () => number) {
    this.#discover = discover;
    this.#clock = clock;
  }

  /** What was found, asked anew from time to time. Throws what discovery throws when nothing was ever found. */
  async get(): Promise<Configuration> {
    if (this.#found !== undefined && this.#clock() - this.#found.at < FRESH_MS) return this.#found.configuration;
    try {
      return await this.#ask();
    } catch (error) {
      if (this.#found !== undefined) return this.#found.configuration;
      throw error;
    }
  }

  /** Asks unless that was done just now; throws what discovery throws. */
  async check(): Promise<void> {
    const isChecked = this.#failed === undefined && this.#found !== undefined && this.#clock() - this.#found.at < CHECKED_MS;
    if (!isChecked) await this.#ask();
  }

  known(): Configuration | undefined {
    return this.#found?.configuration;
  }

  async #ask(): Promise<Configuration> {
    if (this.#failed !== undefined && this.#clock() - this.#failed.at < RETRY_MS) throw this.#failed.error;
    this.#asking ??= this.#askNow();
    return this.#asking;
  }

  async #askNow(): Promise<Configuration> {
    try {
      const configuration = await this.#discover();
      this.#found = { configuration, at: this.#clock() };
      this.#failed = undefined;
      return configuration;
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.#failed = { error, at: this.#clock() };
      throw error;
    } finally {
      this.#asking = undefined;
    }
  }
}
