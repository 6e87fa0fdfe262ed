import { AppError } from '../../domain/core/errors.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import type { THREAD_JOBS, FormThreadRequest } from './form-worker.ts';
import { modelIn, modelPlace, pack, unpack } from './parcel.ts';

const TIMEOUT_MS = 10_000;
const MEMORY_MIB = 192;
/** A thread that nobody needs ends. */
const IDLE_MS = 20_000;
const MAX_MODELS = 8;
const TOO_MUCH = `form: it takes more than ${TIMEOUT_MS / 1000} s, or too much memory. Nothing was written: go back, and remove rows or long values, or use the REST API`;

/** Does one job after the other in a thread that is ended by one that takes too long. The next job starts another. */
export class FormThread {
  readonly #host = new ThreadHost<typeof THREAD_JOBS>({
    file: new URL('form-worker.ts', import.meta.url),
    memoryMib: MEMORY_MIB,
    youngMib: 16,
    idleMs: IDLE_MS,
  });
  /** The models that the thread has, by their root, those that were needed last at the end. */
  readonly #models = new Map<object, number>();
  #named = 0;

  /** @throws AppError that the job throws, and `TooLarge` when the thread had to be ended. */
  async ask(job: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#host.prepare() === 'New') this.#models.clear();
    const outcome = await this.#host.run('work', [this.#questionOf(job, args)], { timeoutMs: TIMEOUT_MS });
    if (outcome.kind !== 'Result') throw new AppError('TooLarge', TOO_MUCH);
    return unpack(outcome.result, noModel);
  }

  #questionOf(job: string, args: readonly unknown[]): FormThreadRequest {
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
    if (this.#models.size <= MAX_MODELS || oldest === undefined) return {};
    this.#models.delete(oldest[0]);
    return { forget: oldest[1] };
  }
}

function noModel(): never {
  throw new Error('form thread: no job answers with a model');
}
