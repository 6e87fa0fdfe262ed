/** The thread of the chart library: parses the files of one chart. */
import { serveJobs } from '../../thread/serve-jobs.ts';
import { type ChartContents, readContents } from './contents.ts';

export const READ_JOBS = { read };

serveJobs(READ_JOBS);

/** Buffers come from the other thread as plain bytes. */
function read(names: readonly string[], contents: ReadonlyMap<string, Uint8Array>): ChartContents {
  return readContents({ names, contents: new Map([...contents].map(([name, bytes]) => [name, Buffer.from(bytes)])) });
}
