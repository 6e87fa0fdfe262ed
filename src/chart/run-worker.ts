import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/core/errors.ts';
import type { ErrorCode } from '../domain/core/errors.ts';

/** What a thread answers: its result, or the code and sentence of an AppError. */
export type WorkerAnswer<T> = { readonly result: T } | { readonly code: ErrorCode; readonly message: string };

export interface WorkerBounds {
  readonly timeoutMs: number;
  readonly memoryMib: number;
  /** For messages: `its files`. */
  readonly what: string;
  /** Ends the thread. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a file in a thread that is ended when it takes too long: a parser can be kept busy by a text of any size, and must not keep the
 * whole process busy. The file posts one `WorkerAnswer`.
 *
 * @throws AppError that the thread answers, and `ChartInvalid` when the time or the memory is used up.
 */
export async function runWorker<T>(file: URL, workerData: unknown, { timeoutMs, memoryMib, what, signal }: WorkerBounds): Promise<T> {
  const worker = new Worker(file, {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 4 },
  });
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  try {
    signal?.throwIfAborted();
    const answer = await new Promise<WorkerAnswer<T>>((resolve, reject) => {
      abort = () => reject(asError(signal?.reason));
      signal?.addEventListener('abort', abort, { once: true });
      const giveUp = (how: string) => reject(new AppError('ChartInvalid', `${what} could not be parsed ${how}`));
      timer = setTimeout(() => giveUp(`in ${timeoutMs / 1000} s`), timeoutMs);
      worker.once('message', resolve);
      worker.once('messageerror', () => giveUp('because of how deeply it is nested'));
      worker.once('error', (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp(`in ${memoryMib} MiB`);
        // Recursion, or the copy of the answer, has come to the end of the stack.
        else if (error.name === 'RangeError') giveUp('because of how deeply it is nested');
        else reject(error);
      });
      worker.once('exit', (code) => giveUp(`(the parser ended with ${code})`));
    });
    if ('code' in answer) throw new AppError(answer.code, answer.message);
    return answer.result;
  } finally {
    clearTimeout(timer);
    if (abort !== undefined) signal?.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
