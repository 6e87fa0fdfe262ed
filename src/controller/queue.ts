import type { Clock } from './clock.ts';

export interface QueueOptions {
  /** How many keys are worked on at the same time. */
  readonly workers: number;
  readonly clock: Clock;
  /** Milliseconds for which a key rests after its work: what is added until then comes together when it is over. Default: none. */
  readonly restMs?: number;
  /** Default: every key that is worked on takes a worker. */
  readonly slow?: SlowKeys;
  /** Must not reject. */
  readonly work: (key: string, worker: LendableWorker) => Promise<void>;
}

/** Keys whose work mostly waits for somebody else, such as a hook of a release, which may take minutes. */
export interface SlowKeys {
  /** Milliseconds after which the work on a key is slow. */
  readonly afterMs: number;
  /** How many slow keys take no worker, at most. */
  readonly max: number;
}

/** Who works on a key. */
export interface LendableWorker {
  /**
   * Lets other keys have the worker while a task waits for somebody outside, who may never answer. The key goes on when a worker is free again, before
   * those that wait for their work to begin. Bound how many such tasks there are.
   */
  lend<T>(task: () => Promise<T>): Promise<T>;
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
  /** Keys that are worked on and have no worker, and what lets those go on whose task has ended. */
  #lent = 0;
  readonly #returning: (() => void)[] = [];
  readonly #slow = new Set<string>();
  readonly #later = new Map<string, Later>();
  /** When the rest of a key ends; what was added during its work begins it. */
  readonly #rests = new Map<string, number>();
  readonly #again = new Set<string>();
  #stopped = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Asks for work on the key; while it is being worked on, it is taken up again afterwards. */
  add(key: string): void {
    const { restMs = 0, clock } = this.#options;
    if (restMs > 0 && this.#active.has(key)) return void this.#again.add(key);
    const rest = (this.#rests.get(key) ?? 0) - clock.now();
    if (rest > 0) this.addAfter(key, rest);
    else this.#enqueue(key);
  }

  /** Asks later, rest or not; of several times asked for, the earliest counts, and an `add` before makes it unnecessary. */
  addAfter(key: string, milliseconds: number): void {
    const due = this.#options.clock.now() + milliseconds;
    const known = this.#later.get(key);
    if (this.#stopped || this.#waiting.has(key) || (known !== undefined && known.due <= due)) return;
    known?.cancel();
    this.#later.set(key, { due, cancel: this.#options.clock.after(milliseconds, () => this.#enqueue(key)) });
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

  #enqueue(key: string): void {
    if (this.#stopped) return;
    this.#cancelLater(key);
    this.#waiting.add(key);
    this.#start();
  }

  #start(): void {
    while (this.#hasWorker()) {
      const goOn = this.#returning.shift();
      if (goOn === undefined) break;
      this.#lent -= 1;
      goOn();
    }
    for (const key of this.#waiting) {
      if (this.#stopped || !this.#hasWorker()) return;
      if (this.#active.has(key)) continue;
      this.#waiting.delete(key);
      this.#active.set(key, this.#run(key));
    }
  }

  #hasWorker(): boolean {
    const { workers, slow } = this.#options;
    return this.#active.size - this.#lent - Math.min(this.#slow.size, slow?.max ?? 0) < workers;
  }

  /** Several tasks of one key at a time lend its worker once. */
  #worker(): LendableWorker {
    let tasks = 0;
    return {
      lend: async (task) => {
        tasks += 1;
        if (tasks === 1) this.#lent += 1;
        this.#start();
        try {
          return await task();
        } finally {
          tasks -= 1;
          if (tasks === 0) await this.#workerAgain();
        }
      },
    };
  }

  async #workerAgain(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#returning.push(resolve);
    this.#start();
    await promise;
  }

  async #run(key: string): Promise<void> {
    const { clock, slow, work } = this.#options;
    const cancel = slow === undefined ? undefined : clock.after(slow.afterMs, () => this.#markSlow(key));
    try {
      await work(key, this.#worker());
    } finally {
      cancel?.();
      this.#slow.delete(key);
      this.#active.delete(key);
      this.#beginRest(key);
      this.#start();
    }
  }

  #markSlow(key: string): void {
    this.#slow.add(key);
    this.#start();
  }

  #beginRest(key: string): void {
    const { restMs = 0, clock } = this.#options;
    if (restMs === 0 || this.#stopped) return;
    const end = clock.now() + restMs;
    this.#rests.set(key, end);
    clock.after(restMs, () => {
      if (this.#rests.get(key) === end) this.#rests.delete(key);
    });
    if (this.#again.delete(key)) this.addAfter(key, restMs);
  }

  #cancelLater(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
  }
}
