// The process that `bench/catalog.ts` measures: the product of a checkout, which need not be this one.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Compose from '../src/compose.ts';
import type * as Config from '../src/config.ts';
import type * as Observe from '../src/observe/log.ts';
import { watchLoop, type LongestTurn } from './loop-probe.ts';
import { peakMiB } from './peak-memory.ts';

/** What it says first. The turn is the longest of its start, when nobody is served. */
export interface CatalogStart {
  readonly origin: string;
  readonly turn: LongestTurn;
}

/** What the process says when it is asked. The turn is the longest since it was asked last, the peak that of its life. */
export interface CatalogReport {
  readonly turn: LongestTurn;
  readonly rssMiB: number;
  readonly peakMiB: number;
  readonly heapMiB: number;
}

const MIB = 1024 * 1024;
const [checkout = '', stateDir = '', ...options] = process.argv.slice(2);

const { startChandlery } = (await load('src/compose.ts')) as typeof Compose;
const { parseConfig } = (await load('src/config.ts')) as typeof Config;
const { createLog } = (await load('src/observe/log.ts')) as typeof Observe;

let stop = watchLoop();
const chandlery = await startChandlery({
  config: parseConfig(['--port', '0', '--state', stateDir, ...options], {}),
  repoRoot: checkout,
  stateDir,
  log: createLog({ level: 'error', format: 'lines', write: (text) => process.stderr.write(text) }),
  durability: 'throwaway',
});
process.on('message', () => {
  const turn = stop();
  stop = watchLoop();
  const { rss, heapUsed } = process.memoryUsage();
  const report: CatalogReport = { turn, rssMiB: rss / MIB, peakMiB: peakMiB(process.pid) ?? Number.NaN, heapMiB: heapUsed / MIB };
  process.send?.(report);
});
const end = (): void => void chandlery.stop().then(() => process.exit(0));
for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, end);
process.send?.({ origin: chandlery.url.origin, turn: stop() });
stop = watchLoop();

function load(path: string): Promise<unknown> {
  return import(pathToFileURL(join(checkout, path)).href);
}
