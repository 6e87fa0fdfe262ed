import type { IndexCounts } from './index-format.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import { parsedOf } from '../parsed.ts';
import type { INDEX_JOBS, IndexPaths } from './index-worker.ts';

const memoryMib = 512;
const host = new ThreadHost<typeof INDEX_JOBS>({ file: new URL('index-worker.ts', import.meta.url), memoryMib, youngMib: 4, idleMs: 0 });

/**
 * Parses the index of a repository, in a thread of its own and from file to file, so that it is never held in the memory of the process as a whole.
 *
 * @throws AppError `ChartInvalid`, as a clause without the address, when it is no index, or the time or the memory is used up.
 */
export async function indexInWorker(paths: IndexPaths, timeoutMs: number, signal: AbortSignal): Promise<IndexCounts> {
  return parsedOf(await host.ask('parse', [paths], { timeoutMs, signal }), { what: 'its index.yaml', timeoutMs, memoryMib });
}
