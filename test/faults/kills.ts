import { ENDINGS, lifeOf, untilDone, type Act, type ActName } from './acts.ts';
import type { Arena } from './arena.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import type { Step } from './steps.ts';
import { writeCharts, type Subject } from './subject.ts';
import type { Death, Worker } from './worker.ts';
import { elapse } from '../support/elapse.ts';

export interface KillOptions {
  readonly kills: number;
  /** Namespaces side by side, each with a worker of its own. */
  readonly lanes: number;
}

/** What an act may be interrupted at: drawn over the time it takes, or when a step is announced. */
export type Moments = Readonly<Record<ActName, readonly ('random' | Step)[]>>;

/** What workers are killed over. */
export interface Trade {
  readonly run: string;
  readonly moments: Moments;
  /** Makes a namespace, with whatever its workers need in it. */
  open(index: number): Promise<string>;
  worker(namespace: string): Promise<Worker>;
  /** The acts of one life, from an installation to its end. */
  live(subject: Subject, random: Random): Promise<readonly Act[]>;
  close?(): Promise<void>;
}

const MOMENTS: Moments = {
  install: ['random', 'random', 'random', 'lease', 'definition', 'release', 'helm', 'status'],
  upgrade: ['random', 'random', 'random', 'lease', 'definition', 'release', 'helm', 'status'],
  rollback: ['random', 'random', 'random', 'helm', 'rollback', 'rolling', 'status'],
  delete: ['random', 'random', 'lease', 'release', 'helm', 'status', 'finalizer'],
};
const CONVERGED_WITHIN_S = 240;
const RUNNING: readonly (Step | 'random')[] = ['helm', 'rolling'];
const HELM_RUNS_MS = 400;
const ORPHAN_LOOKS = 50;

interface Lane {
  readonly arena: Arena;
  readonly report: Report;
  readonly random: Random;
  readonly namespace: string;
  readonly budget: { kills: number };
  readonly durations: Map<ActName, number>;
  readonly trade: Trade;
  worker: Worker;
}

/** Operators: each life has a chart of its own, and an instance that must not be lost. */
export function operatorTrade(arena: Arena): Trade {
  return {
    run: 'kill',
    moments: MOMENTS,
    open: (index) => arena.namespace(`kill-${index}`),
    worker: (namespace) => arena.worker(namespace),
    live: async (subject, random) => {
      const ending = random.pick(ENDINGS);
      await writeCharts(arena.chartsDir, subject);
      return lifeOf(arena.kube, subject, ending);
    },
  };
}

/** Kills workers in the middle of acts until the number is reached, many Operators or instances at once. */
export async function runKills(
  { arena, report, random }: Pick<Lane, 'arena' | 'report' | 'random'>,
  trade: Trade,
  { kills, lanes }: KillOptions,
): Promise<void> {
  const durations = new Map<ActName, number>();
  const budget = { kills: 0 };
  const open = async (index: number): Promise<Lane> => {
    const namespace = await trade.open(index);
    const worker = await trade.worker(namespace);
    return { arena, report, random: random.fork(`lane ${index}`), namespace, budget, durations, trade, worker };
  };
  const calm = await open(0);
  await live(calm, 0);
  budget.kills = kills;
  const others = Array.from({ length: lanes - 1 }, (_, index) => open(index + 1));
  const drive = async (lane: Lane): Promise<void> => {
    for (let life = 1; budget.kills > 0; life += 1) await live(lane, life);
    await lane.worker.kill('worker');
  };
  await Promise.all([drive(calm), ...others.map(async (lane) => drive(await lane))]);
  await trade.close?.();
}

/** One subject from its installation to its end; each act is interrupted while there are kills left. */
async function live(lane: Lane, life: number): Promise<void> {
  const subject: Subject = { namespace: lane.namespace, name: `s${lane.namespace.split('-')[1] ?? ''}x${life}` };
  for (const act of await lane.trade.live(subject, lane.random)) {
    const strike = lane.budget.kills > 0 ? draw(lane, act.name) : undefined;
    const well = strike === undefined ? await undisturbed(lane, act) : await interrupted(lane, act, strike);
    if (!well) return;
    await act.end();
  }
}

interface Strike {
  readonly moment: 'random' | Step;
  readonly delayMs: number;
  readonly death: Death;
  /** Milliseconds after the successor's start at which it is killed, too. */
  readonly again: number | undefined;
}

function draw({ random, budget, durations, trade }: Lane, act: ActName): Strike {
  const moment = random.pick(trade.moments[act]);
  const longest = moment === 'random' ? (durations.get(act) ?? 3_000) : RUNNING.includes(moment) ? HELM_RUNS_MS : 0;
  const delayMs = random.next() * longest;
  const death = random.next() < 0.3 ? 'machine' : 'worker';
  const again = random.next() < 0.2 && budget.kills > 1 ? random.next() * 4_000 : undefined;
  budget.kills -= again === undefined ? 1 : 2;
  return { moment, delayMs, death, again };
}

async function undisturbed(lane: Lane, act: Act): Promise<boolean> {
  await act.begin();
  const end = await untilDone(act, CONVERGED_WITHIN_S);
  lane.durations.set(act.name, end.seconds * 1_000);
  await lane.report.add(act, { run: 'none', moment: 'undisturbed', restarts: 0, ...end });
  return end.faults.length === 0;
}

async function interrupted(lane: Lane, act: Act, strike: Strike): Promise<boolean> {
  const { namespace, report, trade } = lane;
  const { moment, delayMs, death, again } = strike;
  const arrived = moment === 'random' ? undefined : arrivalAt(lane.worker, moment);
  await act.begin();
  await arrived;
  await elapse(delayMs);
  await lane.worker.kill(death);
  await expectNoOrphans(lane);
  lane.worker = await trade.worker(namespace);
  if (again !== undefined) {
    await elapse(again);
    await lane.worker.kill(death);
    lane.worker = await trade.worker(namespace);
    await report.add(act, { run: trade.run, moment: 'again', restarts: 1, seconds: 0, faults: [] });
  }
  const end = await untilDone(act, CONVERGED_WITHIN_S);
  await report.add(act, { run: trade.run, moment, restarts: 1, ...end });
  return end.faults.length === 0;
}

/** Helm dies with its worker: one that went on would change the release behind the back of the successor. */
async function expectNoOrphans({ arena, report, namespace }: Lane): Promise<void> {
  let left: readonly string[] = [];
  for (let look = 0; look < ORPHAN_LOOKS; look += 1) {
    left = (await arena.orphans()).filter((command) => command.includes(namespace));
    if (left.length === 0) return;
    await elapse(100);
  }
  report.violate(`helm outlived its worker: ${left.join('; ')}`);
}

/** Resolves when the worker stands still at the step; while helm runs it is only announced. An act that never comes there is killed when its time is over. */
async function arrivalAt(worker: Worker, step: Step): Promise<void> {
  if (!RUNNING.includes(step)) worker.halt(step);
  await worker.reached(step, AbortSignal.timeout(20_000)).catch(() => undefined);
}
