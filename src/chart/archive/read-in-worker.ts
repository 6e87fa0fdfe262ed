import { ThreadHost } from '../../thread/thread-host.ts';
import { parsedOf } from '../parsed.ts';
import type { ChartFiles } from './archive.ts';
import type { ChartContents } from './contents.ts';
import type { READ_JOBS } from './read-worker.ts';

const memoryMib = 512;
const host = new ThreadHost<typeof READ_JOBS>({ file: new URL('read-worker.ts', import.meta.url), memoryMib, youngMib: 4, idleMs: 0 });

/**
 * `readContents` in a thread of its own.
 *
 * @throws AppError like `readContents`, and `ChartInvalid` when the time or the memory is used up.
 */
export async function readInWorker({ names, contents }: ChartFiles, timeoutMs: number): Promise<ChartContents> {
  return parsedOf(await host.run('read', [names, contents], { timeoutMs }), { what: 'its files', timeoutMs, memoryMib });
}
