import type { Clock } from './clock.ts';

export interface QueueOptions {
  /** How many keys are worked on at the same time. */
  readonly workers: number;
  readonly clock: Clock;
  /** Must not reject. */
  readonly work: (key: string) => Promise<void>;
}

interface Later {
  readonly due: number;
  readonly cancel: () => void;
}

/** Keys waiting for work. A key waits at most once, and is never worked on twice at the same time. */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<string>();
  readonly #active = new Map<string, Promise<void>>();
  readonly #later = new Map<string, Later>();
  #stopped = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Asks for work on the key; while it is being worked on, it is taken up again afterwards. */
  add(key: string): void {
    if (this.#stopped) return;
    this.#cancelLater(key);
    this.#waiting.add(key);
    this.#start();
  }

  /** Asks later; of several times asked for, the earliest counts, and an `add` before makes it unnecessary. */
  addAfter(key: string, milliseconds: number): void {
    const due = this.#options.clock.now() + milliseconds;
    const known = this.#later.get(key);
    if (this.#stopped || this.#waiting.has(key) || (known !== undefined && known.due <= due)) return;
    known?.cancel();
    this.#later.set(key, { due, cancel: this.#options.clock.after(milliseconds, () => this.add(key)) });
  }

  /** How many wait now, the later ones not counted. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** How many are being worked on. */
  get active(): number {
    return this.#active.size;
  }

  /** Starts no more work; resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const key of this.#later.keys()) this.#cancelLater(key);
    this.#waiting.clear();
    await Promise.all(this.#active.values());
  }

  #start(): void {
    for (const key of this.#waiting) {
      if (this.#stopped || this.#active.size >= this.#options.workers) return;
      if (this.#active.has(key)) continue;
      this.#waiting.delete(key);
      this.#active.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    try {
      await this.#options.work(key);
    } finally {
      this.#active.delete(key);
      this.#start();
    }
  }

  #cancelLater(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
  }
}
