import type { Configuration } from 'openid-client';

/** A discovery document is read anew after so long; the old one serves while that fails. */
const FRESH_MS = 600_000;
/** A check is good for so long. */
const CHECKED_MS = 5_000;
/** An issuer that was just away is not asked again before. */
const RETRY_MS = 1_000;

/** What discovery found last, and whether it works now. At most one question is under way. */
export class DiscoveryCache {
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
