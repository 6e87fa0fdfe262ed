import type { IndexCounts } from './index-format.ts';
import { runWorker } from '../run-worker.ts';

export interface IndexPaths {
  /** An index.yaml. */
  readonly from: string;
  /** Where its parsed form goes; there is nothing yet. */
  readonly to: string;
}

const MEMORY_MIB = 512;

/**
 * Parses the index of a repository, in a thread of its own and from file to file, so that it is never held in the memory of the process as a whole.
 *
 * @throws AppError `ChartInvalid`, as a clause without the address, when it is no index, or the time or the memory is used up.
 */
export async function indexInWorker(paths: IndexPaths, timeoutMs: number, signal: AbortSignal): Promise<IndexCounts> {
  return runWorker<IndexCounts>(new URL('index-worker.ts', import.meta.url), paths, {
    timeoutMs,
    memoryMib: MEMORY_MIB,
    what: 'its index.yaml',
    signal,
  });
}
