import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { LEASE } from '../../src/domain/kubernetes/resource-types.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { openArena, type Arena } from './arena.ts';
import { runFullDisk } from './full-disk.ts';
import { instanceTrade } from './instances.ts';
import { operatorTrade, runKills } from './kills.ts';
import { API_SERVER_OUTAGES, ETCD_OUTAGES, runOutages } from './outages.ts';
import { createRandom } from './random.ts';
import { createReport, type Report } from './report.ts';
import { runSources } from './sources.ts';
import { runChartHosts } from './supply.ts';
import { createTally } from './tally.ts';

const RUNS = ['kills', 'instances', 'chart-host', 'disk', 'sources', 'api-server', 'etcd'] as const;
type Run = (typeof RUNS)[number];
/** What takes nothing away from the cluster runs side by side; what does, one by one on another cluster. */
const SHARED: readonly Run[] = ['kills', 'instances', 'chart-host', 'disk', 'sources'];

// A game of its own, which ends the process.
if (process.argv[2] === 'slips') await import('./slips/main.ts');

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '200' },
    lanes: { type: 'string', default: '10' },
    only: { type: 'string', default: RUNS.join(',') },
  },
});
const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
const [kills, lanes] = [Number(values.kills), Number(values.lanes)];
const wanted = RUNS.filter((run) => values.only.split(',').includes(run));
const write = (line: string): void => void process.stdout.write(`${line}\n`);
if (wanted.length === 0 || ![seed, kills, lanes].every((number) => Number.isInteger(number) && number >= 0)) {
  write(`usage: npm run test:faults -- [--seed N] [--kills N] [--lanes N] [--only ${RUNS.join(',')}]`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const tally = createTally();
const began = performance.now();
write(`seed ${seed}: ${wanted.join(', ')}`);
await Promise.all([
  inArena(
    wanted.filter((run) => SHARED.includes(run)),
    async (runs, start) => void (await Promise.all(runs.map(start))),
  ),
  inArena(
    wanted.filter((run) => !SHARED.includes(run)),
    async (runs, start) => {
      for (const run of runs) await start(run);
    },
  ),
]);
write('');
const code = tally.print(write);
write(`seed ${seed}, ${Math.round((performance.now() - began) / 1_000)} s`);
process.exit(code);

/** Starts the runs, in whatever order, on a cluster of their own. */
async function inArena(
  runs: readonly Run[],
  order: (runs: readonly Run[], start: (run: Run) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (runs.length === 0) return;
  const arena = await openArena();
  const report = createReport(arena, tally, { seed, write });
  try {
    await order(runs, (run) => start(run, arena, report));
    await expectNothingLeft(arena, report);
  } catch (error) {
    report.violate(`${runs.join(', ')} ended early: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  } finally {
    await arena.stop();
  }
}

async function start(run: Run, arena: Arena, report: Report): Promise<void> {
  const random = createRandom(seed).fork(run);
  switch (run) {
    case 'kills':
      return runKills({ arena, report, random }, operatorTrade(arena), { kills, lanes });
    case 'instances':
      return runKills({ arena, report, random }, await instanceTrade(arena), { kills, lanes });
    case 'chart-host':
      return runChartHosts(arena, report);
    case 'disk':
      return runFullDisk(arena, report);
    case 'sources':
      return runSources(arena, report, random, kills);
    case 'api-server':
      return runOutages({ arena, report, random }, run, API_SERVER_OUTAGES);
    case 'etcd':
      return runOutages({ arena, report, random }, run, ETCD_OUTAGES);
    default:
      return run satisfies never;
  }
}

/** No lease of a release, and no helm program, outlives the workers of Operators that are gone or in step. */
async function expectNothingLeft({ kube, orphans }: Arena, report: Report): Promise<void> {
  const programs = await orphans();
  if (programs.length > 0) report.violate(`helm programs outlived their workers: ${programs.join('; ')}`);
  const { items } = await kube.asController().list(LEASE, { namespace: OURS.systemNamespace });
  const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('release.'));
  if (names.length > 0) report.violate(`leases are left: ${names.join(', ')}`);
}
