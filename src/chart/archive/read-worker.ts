/** The thread of `read-in-worker.ts`: parses the files of one chart and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../domain/core/errors.ts';
import type { ChartFiles } from './archive.ts';
import { readContents } from './contents.ts';
import type { ChartContents } from './contents.ts';
import type { WorkerAnswer } from '../run-worker.ts';

parentPort?.postMessage(answerTo(workerData as { readonly names: readonly string[]; readonly contents: ReadonlyMap<string, Uint8Array> }));

function answerTo({
  names,
  contents,
}: {
  names: readonly string[];
  contents: ReadonlyMap<string, Uint8Array>;
}): WorkerAnswer<ChartContents> {
  try {
    const files: ChartFiles = { names, contents: new Map([...contents].map(([name, bytes]) => [name, Buffer.from(bytes)])) };
    return { result: readContents(files) };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}
