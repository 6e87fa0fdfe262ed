import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openArena } from './arena.ts';
import { runKills } from './kills.ts';
import { API_SERVER_OUTAGES, ETCD_OUTAGES, runOutages } from './outages.ts';
import { createRandom, type Random } from './random.ts';
import { createReport } from './report.ts';
import { runFullDisk } from './full-disk.ts';
import { runChartHosts } from './supply.ts';
import { createTally } from './tally.ts';

const RUNS = ['kills', 'chart-host', 'disk', 'api-server', 'etcd'] as const;
type Run = (typeof RUNS)[number];
const SHARED: readonly Run[] = ['kills', 'chart-host', 'disk'];

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '200' },
    lanes: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
});
const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const wanted = RUNS.filter((run) => values.only === undefined || values.only.split(',').includes(run));
if (wanted.length === 0 || !Number.isInteger(seed)) {
  write(`usage: npm run test:faults -- [--seed N] [--kills N] [--lanes N] [--only ${RUNS.join('|')}]`);
  process.exit(2);
}
write(`seed ${seed}: ${wanted.join(', ')}`);
const arena = await openArena();
const tally = createTally();
const report = createReport(arena, tally, { seed, write });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const began = performance.now();
try {
  // What takes nothing away from the cluster runs side by side; what does, alone.
  const [together, alone] = [wanted.filter((run) => SHARED.includes(run)), wanted.filter((run) => !SHARED.includes(run))];
  await Promise.all(together.map((run) => start(run, createRandom(seed).fork(run))));
  for (const run of alone) await start(run, createRandom(seed).fork(run));
  await expectNothingLeft();
} catch (error) {
  report.violate(`the run ended early: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
} finally {
  await arena.stop();
}
write('');
const code = tally.print(write);
write(`seed ${seed}, ${Math.round((performance.now() - began) / 1_000)} s`);
process.exit(code);

async function start(run: Run, random: Random): Promise<void> {
  switch (run) {
    case 'kills':
      return runKills(arena, report, random, { kills: Number(values.kills), lanes: Number(values.lanes) });
    case 'chart-host':
      return runChartHosts(arena, report);
    case 'disk':
      return runFullDisk(arena, report);
    case 'api-server':
      return runOutages({ arena, report, random }, run, API_SERVER_OUTAGES);
    case 'etcd':
      return runOutages({ arena, report, random }, run, ETCD_OUTAGES);
    default:
      return run satisfies never;
  }
}

/** No lease of a release, and no helm program, outlives the workers. */
async function expectNothingLeft(): Promise<void> {
  const orphans = await arena.orphans();
  if (orphans.length > 0) report.violate(`helm programs outlived their workers: ${orphans.join('; ')}`);
}
