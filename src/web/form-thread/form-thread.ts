import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, type FieldFault } from '../../domain/core/errors.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { modelIn, modelPlace, pack, type Parcel, unpack } from './parcel.ts';

/** A job for the thread, with a model that it does not have yet, and one that it will not need again. */
export interface ThreadQuestion {
  readonly job: string;
  readonly args: Parcel;
  readonly model?: { readonly name: number; readonly model: FormModel };
  readonly forget?: number;
}

export type ThreadAnswer =
  | { readonly result: Parcel; readonly refusal?: undefined }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly faults: readonly FieldFault[] } };

const TIMEOUT_MS = 10_000;
const MEMORY_MIB = 192;
/** A thread that nobody needs ends. */
const IDLE_MS = 20_000;
const MOST_MODELS = 8;
const TOO_MUCH = `form: it takes more than ${TIMEOUT_MS / 1000} s, or too much memory. Nothing was written: go back, and take rows or long values out, or use the REST API`;

/** A thread that does one job after the other, and is ended by one that takes too long. The next job starts another. */
export class FormThread {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The models that the thread has, by their root, those that were needed last at the end. */
  readonly #models = new Map<object, number>();
  #named = 0;

  /** @throws AppError that the job throws, and `TooLarge` when the thread had to be ended. */
  async ask(job: string, args: readonly unknown[]): Promise<unknown> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    try {
      const answer = await this.#exchange(worker, job, args);
      if (answer === undefined) throw new AppError('TooLarge', TOO_MUCH);
      if (answer.refusal === undefined) return unpack(answer.result, noModel);
      const { code, message, faults } = answer.refusal;
      throw new AppError(code, message, { faults });
    } finally {
      this.#idle = setTimeout(() => this.#end(worker), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('form-worker.ts', import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    // Whoever asked is told by the end of the thread.
    worker.on('error', () => undefined).on('exit', () => this.#end(worker));
    return worker;
  }

  #end(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#models.clear();
    void worker.terminate();
  }

  /** Undefined when the thread ended, or had to be. */
  async #exchange(worker: Worker, job: string, args: readonly unknown[]): Promise<ThreadAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<ThreadAnswer | undefined>();
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, TIMEOUT_MS);
    worker.once('message', resolve).once('exit', giveUp);
    worker.ref();
    worker.postMessage(this.#questionOf(job, args));
    try {
      const answer = await promise;
      if (answer === undefined) this.#end(worker);
      return answer;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('exit', giveUp).unref();
    }
  }

  #questionOf(job: string, args: readonly unknown[]): ThreadQuestion {
    const path = modelPlace(job);
    const model = modelIn(job, args);
    if (path === undefined || model === undefined) return { job, args: pack(args) };
    const known = this.#models.get(model.root);
    const name = known ?? (this.#named += 1);
    this.#models.delete(model.root);
    this.#models.set(model.root, name);
    const packed = { job, args: pack(args, { path, name }) };
    return known === undefined ? { ...packed, model: { name, model }, ...this.#forgetOldest() } : packed;
  }

  #forgetOldest(): { forget?: number } {
    const [oldest] = this.#models;
    if (this.#models.size <= MOST_MODELS || oldest === undefined) return {};
    this.#models.delete(oldest[0]);
    return { forget: oldest[1] };
  }
}

function noModel(): never {
  throw new Error('form thread: no job answers with a model');
}
