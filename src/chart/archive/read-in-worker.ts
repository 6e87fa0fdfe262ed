import type { ChartFiles } from './archive.ts';
import type { ChartContents } from './contents.ts';
import { runWorker } from '../run-worker.ts';

const MEMORY_MIB = 512;

/**
 * `readContents` in a thread of its own.
 *
 * @throws AppError like `readContents`, and `ChartInvalid` when the time or the memory is used up.
 */
export async function readInWorker(files: ChartFiles, timeoutMs: number): Promise<ChartContents> {
  return runWorker<ChartContents>(new URL('read-worker.ts', import.meta.url), files, {
    timeoutMs,
    memoryMib: MEMORY_MIB,
    what: 'its files',
  });
}
