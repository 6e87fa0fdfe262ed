import { ENDINGS, lifeOf, untilDone, type Act } from './acts.ts';
import type { Arena } from './arena.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import { writeCharts } from './subject.ts';
import { elapse } from '../support/elapse.ts';

/** Something that is taken away, and given back. */
export interface Outage {
  readonly name: string;
  /** Resolves when it is repaired. */
  happen(plane: ControlPlane, random: Random): Promise<void>;
}

const SECONDS = [1, 10, 40];

/** The api-server dies, and the api-server hangs. */
export const API_SERVER_OUTAGES: readonly Outage[] = SECONDS.flatMap((seconds) => [
  {
    name: `away ${seconds} s`,
    happen: async ({ apiServer, ready }) => {
      await apiServer.kill();
      await elapse(seconds * 1_000);
      apiServer.start();
      await ready();
    },
  },
  {
    name: `hangs ${seconds} s`,
    happen: async ({ apiServer, ready }) => {
      await apiServer.pause();
      await elapse(seconds * 1_000);
      await apiServer.resume();
      await ready();
    },
  },
]);

const SLOW_MS = 15_000;

/** Every message between api-server and etcd is late; etcd hangs; etcd dies. */
export const ETCD_OUTAGES: readonly Outage[] = [
  { name: 'slow 200 ms', happen: slow(() => 200) },
  { name: 'slow 200-1500 ms', happen: slow((random) => random.between(200, 1_500)) },
  { name: 'slow 1500 ms', happen: slow(() => 1_500) },
  ...[5, 15].map((seconds) => ({
    name: `hangs ${seconds} s`,
    happen: async ({ etcd, ready }: ControlPlane): Promise<void> => {
      await etcd.pause();
      await elapse(seconds * 1_000);
      await etcd.resume();
      await ready();
    },
  })),
  {
    name: 'away 5 s',
    happen: async ({ etcd, ready }) => {
      await etcd.kill();
      await elapse(5_000);
      etcd.start();
      await ready();
    },
  },
];

function slow(latency: (random: Random) => number): Outage['happen'] {
  return async ({ etcdRelay, ready }, random) => {
    etcdRelay.delay(() => latency(random));
    await elapse(SLOW_MS);
    etcdRelay.delay(() => 0);
    await ready();
  };
}

const CONVERGED_WITHIN_S = 240;
/** How far the acts may have come when it happens. */
const LATEST_MS = 2_500;

/**
 * Lets each outage happen while one Operator is being installed, one upgraded, one rolled back and one deleted; what was installed in one round is upgraded
 * in the next, and so on.
 */
export async function runOutages(
  { arena, report, random }: { arena: Arena; report: Report; random: Random },
  run: 'api-server' | 'etcd',
  outages: readonly Outage[],
): Promise<void> {
  const namespace = await arena.namespace(run);
  const worker = await arena.worker(namespace);
  const lives: (readonly Act[])[] = [];
  const born = async (): Promise<void> => {
    const subject = { namespace, name: `${run.slice(0, 2)}${lives.length}` };
    await writeCharts(arena.chartsDir, subject);
    lives.push(lifeOf(arena.kube, subject, random.pick(ENDINGS)));
  };
  const act = (age: number): Act | undefined => lives.at(-1 - age)?.[age];
  const together = async (outage: Outage | undefined): Promise<void> => {
    await born();
    const acts = [act(0), act(1), act(2), act(3)].filter((each) => each !== undefined);
    for (const each of acts) await each.begin();
    if (outage !== undefined) {
      await elapse(random.next() * LATEST_MS);
      await outage.happen(arena.plane, random);
    }
    const moment = outage?.name ?? 'undisturbed';
    await Promise.all(acts.map((each) => conclude(report, each, { run: outage === undefined ? 'none' : run, moment })));
  };
  for (let round = 0; round < 3; round += 1) await together(undefined);
  for (const outage of outages) await together(outage);
  await worker.kill('worker');
}

async function conclude(report: Report, act: Act, { run, moment }: { run: string; moment: string }): Promise<void> {
  const end = await untilDone(act, CONVERGED_WITHIN_S);
  await report.add(act, { run, moment, restarts: 0, ...end });
  if (end.faults.length === 0) await act.end();
}
