/** Handles one key. What it throws is tried again later, ever more slowly; what it returns is the pause until it wants to be called again. */
export type Handler = (key: string) => Promise<{ readonly againAfter?: number } | undefined>;

const SHORTEST_PAUSE = 200;
const LONGEST_PAUSE = 60_000;

/**
 * A queue of keys. A key waits at most once, and is never handled twice at the same time: a change that arrives while its key is being
 * handled makes it wait again.
 */
export class WorkQueue {
  readonly #waiting = new Set<string>();
  readonly #active = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #wake = Promise.withResolvers<void>();
  readonly #onError: (key: string, error: unknown) => void;

  constructor(onError: (key: string, error: unknown) => void) {
    this.#onError = onError;
  }

  add(key: string): void {
    this.#waiting.add(key);
    this.#wakeAll();
  }

  /** Runs until the signal aborts, then waits for what is being handled. */
  async run(workers: number, handler: Handler, signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#wakeAll();
    signal.addEventListener('abort', onAbort);
    await Promise.all(Array.from({ length: workers }, () => this.#work(handler, signal)));
    for (const timer of this.#timers.values()) clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }

  async #work(handler: Handler, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const key = [...this.#waiting].find((candidate) => !this.#active.has(candidate));
      if (key === undefined) {
        await this.#wake.promise;
        continue;
      }
      this.#waiting.delete(key);
      this.#active.add(key);
      await this.#handle(key, handler);
      this.#active.delete(key);
      this.#wakeAll();
    }
    this.#wakeAll();
  }

  /** Everybody who waits looks for a key again. Those who come after that wait for the next call. */
  #wakeAll(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }

  async #handle(key: string, handler: Handler): Promise<void> {
    try {
      const result = await handler(key);
      this.#failures.delete(key);
      if (result?.againAfter !== undefined) this.#addAfter(key, result.againAfter);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#addAfter(key, Math.min(SHORTEST_PAUSE * 2 ** failures, LONGEST_PAUSE));
      this.#onError(key, error);
    }
  }

  #addAfter(key: string, pause: number): void {
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, pause);
    this.#timers.set(key, timer);
  }
}
