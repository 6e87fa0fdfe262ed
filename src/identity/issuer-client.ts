import { createRemoteJWKSet, customFetch as joseFetch, type JWTVerifyGetKey } from 'jose';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import type { IssuerAddress } from './identity-settings.ts';
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
  /** The document of the keys as it is now. @throws AppError `IssuerUnavailable` */
  readKeys(): Promise<unknown>;
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
export function createIssuerClient(settings: ClientAddress, clock: () => number): IssuerClient {
  const call = fetchOf(settings);
  const cache = new DiscoveryCache(() => discover(settings, call), clock);
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
        [joseFetch]: call,
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
  return {
    configuration,
    keys,
    readKeys: async () => await readKeys(settings, await configuration(), call),
    unavailableReason,
    known: () => cache.known(),
  };
}

async function readKeys({ issuer }: IssuerAddress, configuration: Configuration, call: Fetch): Promise<unknown> {
  const address = configuration.serverMetadata().jwks_uri ?? '';
  try {
    const answer = await call(address, { signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000) });
    if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
    return await answer.json();
  } catch (error) {
    throw issuerUnavailable(issuer, error);
  }
}

/** An issuer, and the client that we are there; only a sign-in needs one. */
type ClientAddress = IssuerAddress & { readonly clientId?: string; readonly clientSecret?: string };

type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** A call that trusts the issuer's own authorities, where some are set, and no others. */
function fetchOf({ certificateAuthority, callHeaders }: IssuerAddress): Fetch {
  const withHeaders = (options: RequestInit): RequestInit => {
    const headers = new Headers(options.headers);
    for (const [name, value] of Object.entries(callHeaders)) headers.set(name, value);
    return { ...options, headers: Object.fromEntries(headers.entries()) };
  };
  if (certificateAuthority === undefined) return async (url, options) => await fetch(url, withHeaders(options));
  const dispatcher = new Agent({ connect: { ca: certificateAuthority } });
  return async (url, options) => {
    const answer: unknown = await undiciFetch(url, { ...(withHeaders(options) as object), dispatcher });
    return answer as Response;
  };
}

/** Signatures of id tokens are always checked, because the way to the issuer may be plain http on one machine. */
async function discover({ issuer, discoveryUrl, clientId, clientSecret }: ClientAddress, call: Fetch): Promise<Configuration> {
  const plain = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
  const execute = [...plain, enableNonRepudiationChecks];
  const configuration = await discovery(discoveryUrl ?? issuer, clientId ?? 'chandlery', clientSecret ?? {}, authentication, {
    execute,
    timeout: TIMEOUT_SECONDS,
    [customFetch]: async (url, options) => await call(url, options as RequestInit),
  });
  const { issuer: itself } = configuration.serverMetadata();
  if (new URL(itself).href === issuer.href) return configuration;
  throw new Error(`its discovery document is that of the issuer ${JSON.stringify(itself)}`);
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
