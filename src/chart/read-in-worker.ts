import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { ChartFiles } from './archive.ts';
import type { ChartContents } from './contents.ts';

/** What the thread answers: the contents, or the code and sentence of an AppError. */
export type ReadAnswer = { readonly contents: ChartContents } | { readonly code: ErrorCode; readonly message: string };

const MEMORY_MIB = 512;

/**
 * `readContents` in a thread that is ended when it takes too long: a parser can be kept busy by a text of any size, and must not keep the whole process busy.
 *
 * @throws AppError like `readContents`, and `ChartInvalid` when the time or the memory is used up.
 */
export async function readInWorker(files: ChartFiles, timeoutMs: number): Promise<ChartContents> {
  const worker = new Worker(new URL('read-worker.ts', import.meta.url), {
    workerData: files,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<ReadAnswer>((resolve, reject) => {
      const giveUp = (why: string) => reject(new AppError('ChartInvalid', why));
      timer = setTimeout(() => giveUp(`its files could not be parsed in ${timeoutMs / 1000} s`), timeoutMs);
      worker.once('message', resolve);
      worker.once('error', (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp(`its files could not be parsed in ${MEMORY_MIB} MiB`);
        else reject(error);
      });
      worker.once('exit', (code) => giveUp(`its files could not be parsed (the parser ended with ${code})`));
    });
    if ('code' in answer) throw new AppError(answer.code, answer.message);
    return answer.contents;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
