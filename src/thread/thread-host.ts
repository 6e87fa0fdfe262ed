import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/core/errors.ts';
import { compileCache } from './compile-cache.ts';
import type { Answer, Jobs, PartOf, ResultOf } from './serve-jobs.ts';

export interface ThreadOptions {
  /** The module that calls `serveJobs`. */
  readonly file: URL;
  readonly memoryMib: number;
  /** Of the memory, what is for new objects. */
  readonly youngMib?: number;
  /** Milliseconds for which a thread without a job is kept; 0: each job has a thread of its own. Absent: until `end`. */
  readonly idleMs?: number;
  /** Threads without a job that are kept at most. Default 1. */
  readonly maxIdle?: number;
  /** What each thread begins with (`workerData`). */
  readonly data?: () => unknown;
}

export interface JobBounds<Part = never> {
  /** Milliseconds of CPU time that the job may take, and at most `MOST_STRETCH` times as many on the clock; the start of its thread is not counted. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Told of each part of a job that answers in parts, also when the rest never comes. */
  readonly onPart?: (part: Part) => void;
}

/** How a job ended: with its result, or with the end of its thread, which a foreign text can bring about. */
export type JobOutcome<T> =
  | { readonly kind: 'Result'; readonly result: T }
  | { readonly kind: 'Late' | 'OutOfMemory' | 'TooDeep' }
  | { readonly kind: 'Died'; readonly why: Error };

/** The time that a busy machine takes to start a thread is not the job's. */
const START_MS = 30_000;
/** On a machine that is busy with something else, a thread hardly runs. */
const MOST_STRETCH = 5;

/**
 * Does jobs in a thread that is ended when one takes too long or too much memory: what is foreign must not keep the process busy. The next job starts
 * another thread. Jobs that are asked for while the thread is busy have a thread each; of these `maxIdle` are kept.
 */
export class ThreadHost<J extends Jobs> {
  readonly #options: ThreadOptions;
  /** Threads without a job, the one that had one last at the end. */
  readonly #idle: IdleThread[] = [];
  #busy = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Does a job.
   *
   * @throws AppError that the job throws, and the reason of the signal.
   */
  async run<K extends keyof J & string>(
    job: K,
    args: Parameters<J[K]>,
    bounds: JobBounds<PartOf<J[K]>>,
  ): Promise<JobOutcome<ResultOf<J[K]>>> {
    bounds.signal?.throwIfAborted();
    const thread = this.#take();
    this.#busy += 1;
    try {
      return (await thread.ask({ job, args }, bounds as JobBounds<unknown>)) as JobOutcome<ResultOf<J[K]>>;
    } finally {
      this.#busy -= 1;
      await this.#giveBack(thread);
    }
  }

  /** Makes sure that a thread waits, and tells whether it is a new one, which knows nothing of earlier jobs. */
  prepare(): 'New' | 'Kept' {
    if (this.#idle.some(({ thread }) => !thread.isOver())) return 'Kept';
    this.#keep(new Thread(this.#options));
    return 'New';
  }

  /** Starts a thread unless there is one, so that a job that is asked for soon does not wait for its start. */
  warm(): void {
    if (this.#busy === 0) this.prepare();
  }

  async end(): Promise<void> {
    for (const { timer } of this.#idle) clearTimeout(timer);
    await Promise.all(this.#idle.splice(0).map(async ({ thread }) => await thread.end()));
  }

  #take(): Thread {
    const { thread, timer } = this.#idle.pop() ?? {};
    clearTimeout(timer);
    if (thread === undefined) return new Thread(this.#options);
    return thread.isOver() ? this.#take() : thread;
  }

  async #giveBack(thread: Thread): Promise<void> {
    const { idleMs, maxIdle = 1 } = this.#options;
    if (thread.isOver() || this.#idle.length >= maxIdle || idleMs === 0) return await thread.end();
    this.#keep(thread);
  }

  #keep(thread: Thread): void {
    const { idleMs } = this.#options;
    const timer = idleMs === undefined ? undefined : setTimeout(() => void this.#endIdle(thread), idleMs).unref();
    this.#idle.push({ thread, timer });
  }

  async #endIdle(thread: Thread): Promise<void> {
    const index = this.#idle.findIndex((one) => one.thread === thread);
    if (index >= 0) this.#idle.splice(index, 1);
    await thread.end();
  }
}

interface IdleThread {
  readonly thread: Thread;
  /** Ends it. */
  readonly timer?: NodeJS.Timeout | undefined;
}

/** One thread. It keeps the process only while it has a job. */
class Thread {
  readonly #worker: Worker;
  readonly #started = Promise.withResolvers<void>();
  #asked = Promise.withResolvers<JobOutcome<unknown>>();
  #onPart: ((part: unknown) => void) | undefined;
  #isOver = false;

  constructor({ file, memoryMib, youngMib, data }: ThreadOptions) {
    const resourceLimits = { maxOldGenerationSizeMb: memoryMib, ...(youngMib === undefined ? {} : { maxYoungGenerationSizeMb: youngMib }) };
    this.#worker = new Worker(file, { env: { ...compileCache() }, resourceLimits, ...(data === undefined ? {} : { workerData: data() }) });
    this.#worker
      .on('message', (answer: Answer) => this.#hear(answer))
      .on('messageerror', () => this.#over({ kind: 'TooDeep' }))
      .on('error', (error) => this.#over(failureOf(error)))
      .on('exit', (code) => this.#over({ kind: 'Died', why: new Error(`the thread ended with ${code}`) }))
      .unref();
  }

  isOver(): boolean {
    return this.#isOver;
  }

  /** One job at a time. */
  async ask(question: object, { timeoutMs, signal, onPart }: JobBounds<unknown>): Promise<JobOutcome<unknown>> {
    if (!this.#isOver) this.#asked = Promise.withResolvers();
    this.#onPart = onPart;
    const late = (): void => this.#over({ kind: 'Late' });
    const abort = (): void => {
      this.#isOver = true;
      this.#asked.reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(late, START_MS);
    let stop = (): void => undefined;
    this.#worker.ref();
    try {
      this.#worker.postMessage(question);
      await Promise.race([this.#started.promise, this.#asked.promise]);
      clearTimeout(timer);
      stop = this.#afterCpuTime(timeoutMs, late);
      return await this.#asked.promise;
    } finally {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener('abort', abort);
      this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  /** Calls back once the thread has had so much CPU time from now on, in milliseconds. @returns what ends the watch. */
  #afterCpuTime(milliseconds: number, late: () => void): () => void {
    const before = this.#cpuMs();
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    const look = async (): Promise<void> => {
      const left = milliseconds - ((await this.#cpuMs()) - (await before));
      if (isStopped) return;
      if (left > 0) timer = setTimeout(() => void look(), left);
      else late();
    };
    timer = setTimeout(() => void look(), milliseconds);
    // A thread that can no longer be asked is ended all the same.
    const last = setTimeout(late, milliseconds * MOST_STRETCH);
    return () => {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(last);
    };
  }

  /** The CPU time of the thread in milliseconds; not a number for one that has ended. */
  async #cpuMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1_000;
    } catch {
      return Number.NaN;
    }
  }

  #hear(answer: Answer): void {
    switch (answer.kind) {
      case 'Started':
        return this.#started.resolve();
      case 'Part':
        this.#onPart?.(answer.part);
        // To take all parts at once would keep everybody else waiting.
        return void setImmediate(() => this.#worker.postMessage({ next: true }));
      case 'Result':
        return this.#asked.resolve(answer);
      case 'Rejection': {
        const { code, message, faults } = answer;
        return this.#asked.reject(new AppError(code, message, { faults }));
      }
      default:
        return answer satisfies never;
    }
  }

  #over(outcome: JobOutcome<unknown>): void {
    this.#isOver = true;
    this.#asked.resolve(outcome);
  }
}

function failureOf(error: Error & { readonly code?: string }): JobOutcome<never> {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'OutOfMemory' };
  // Recursion, or the copy of the answer, has come to the end of the stack.
  return error.name === 'RangeError' ? { kind: 'TooDeep' } : { kind: 'Died', why: error };
}
