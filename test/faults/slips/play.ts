import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../src/domain/core/errors.ts';
import { elapse } from '../../support/elapse.ts';
import { createRandom, type Random } from '../random.ts';
import { NothingLeft } from './file-slips.ts';
import { type Guard, startGuard } from './guard.ts';
import type { Slip } from './slip.ts';
import { SLIPS } from './slips.ts';
import { type ClusterState, differences, readState } from './state.ts';
import { type SlipWorld, startSlipWorld, unready, within } from './world.ts';

export interface SlipOptions {
  readonly seeds: number;
  readonly first: number;
  /** The names of the slips; empty: all that are on. */
  readonly steps: readonly string[];
  /** The slips that there are; default: those of the product. */
  readonly table?: typeof SLIPS;
  readonly write: (line: string) => void;
}

export interface SlipTally {
  readonly seeds: number;
  readonly steps: number;
  /** The seeds after which the cluster was not as before, or in which something was lost on the way. */
  readonly failed: readonly number[];
}

const SLIPS_A_SEED = 4;
const BACK_WITHIN_S = 300;
const RECONCILED_WITHIN_S = 240;

/** Plays one seed after the other on one cluster, which each leaves as it was. After one that does not, a new cluster. */
export async function playSlips({ seeds, first, steps, table = SLIPS, write }: SlipOptions): Promise<SlipTally> {
  const failed: number[] = [];
  let count = 0;
  let board: Board | undefined;
  try {
    for (let seed = first; seed < first + seeds; seed += 1) {
      board ??= await openBoard();
      const began = performance.now();
      const { log, faults } = await playSeed(board, { seed, steps, table });
      count += log.length;
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      write(`seed ${seed}: ${faults.length === 0 ? 'as before' : 'VIOLATED'} after ${log.length} steps and ${seconds} s`);
      if (faults.length === 0) continue;
      failed.push(seed);
      for (const line of [...log, ...faults.map((fault) => `- ${fault}`)]) write(`  ${line}`);
      write(`  controller: ${await lastLines(board.world.logFile)}`);
      await board.close();
      board = undefined;
    }
  } finally {
    await board?.close();
  }
  return { seeds, steps: count, failed };
}

const LOG_LINES = 40;

async function lastLines(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n').slice(-LOG_LINES).join('\n    ');
}

interface Board {
  readonly world: SlipWorld;
  readonly base: ClusterState;
  readonly guard: Guard;
  close(): Promise<void>;
}

async function openBoard(): Promise<Board> {
  const world = await startSlipWorld();
  await within(BACK_WITHIN_S, async () => await isAtRest(world));
  const base = await readState(world.kube);
  const guard = startGuard(world.kube, base);
  const close = async (): Promise<void> => {
    await guard.stop();
    await world.stop();
  };
  return { world, base, guard, close };
}

/** The counts of instances and the conditions of everything come a moment after the sources. */
async function isAtRest({ kube }: SlipWorld): Promise<boolean> {
  if ((await unready(kube)) !== '') return false;
  const [one, two] = [await readState(kube), await elapse(2_000).then(async () => await readState(kube))];
  const unwell = [...two].filter(([key, text]) => /^(Operator|AppDefinition|Environment) /.test(key) && !text.includes('"ready":"True'));
  if (unwell.length > 0) throw new Error(unwell.join('; '));
  return differences(one, two).length === 0;
}

interface Seed {
  readonly seed: number;
  readonly steps: readonly string[];
  readonly table: typeof SLIPS;
}

/** A random walk of slips and their undoing, the last one first, and then the comparison. */
async function playSeed(
  board: Board,
  { seed, steps, table }: Seed,
): Promise<{ readonly log: readonly string[]; readonly faults: readonly string[] }> {
  const { world, guard } = board;
  const random = createRandom(seed);
  const log: string[] = [];
  const note = (line: string): void => void log.push(`${new Date().toISOString()} ${line}`);
  const open: Slip[] = [];
  const undoLast = async (): Promise<void> => {
    const slip = open.pop();
    if (slip === undefined) return;
    await slip.undo();
    note(`undo: ${slip.what}`);
  };
  try {
    const slips = random.between(1, SLIPS_A_SEED);
    for (let made = 0; made < slips; made += 1) {
      const slip = await makeSlip(board, { random, steps, table, count: seed * 100 + made });
      if (slip !== undefined) {
        open.push(slip);
        note(slip.what);
      }
      await pause(world, random);
      while (open.length > 0 && random.next() < 0.4) await undoLast();
    }
    while (open.length > 0) {
      await undoLast();
      if (random.next() < 0.3) await pause(world, random);
    }
    const faults = await compare(board);
    guard.forgetMoves();
    return { log, faults: [...guard.take(), ...faults] };
  } catch (error) {
    return { log, faults: [...guard.take(), `the game ended early: ${messageOf(error)}`] };
  }
}

interface Draw {
  readonly random: Random;
  readonly steps: readonly string[];
  readonly table: typeof SLIPS;
  readonly count: number;
}

async function makeSlip({ world, guard }: Board, { random, steps, table, count }: Draw): Promise<Slip | undefined> {
  const wanted = Object.entries(table).filter(([name, { off }]) => (steps.length === 0 ? off === undefined : steps.includes(name)));
  const total = wanted.reduce((sum, [, { weight = 1 }]) => sum + weight, 0);
  let left = random.next() * total;
  const drawn = wanted.find(([, { weight = 1 }]) => (left -= weight) < 0) ?? wanted[0];
  try {
    return await drawn?.[1].make({ world, guard, random, count });
  } catch (error) {
    if (error instanceof NothingLeft || isGone(error)) return undefined;
    throw error;
  }
}

/** An earlier slip has taken the folder away. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Nothing, a moment, longer than `pruneDelay`, or until the sources have seen it. */
async function pause(world: SlipWorld, random: Random): Promise<void> {
  const draw = random.next();
  if (draw < 0.2) return;
  if (draw < 0.6) return await elapse(random.between(20, 600));
  if (draw < 0.8) return await elapse(random.between(1_200, 2_500));
  if (world.controller.isRunning()) await world.reconciled(RECONCILED_WITHIN_S);
}

/** What is not as before when the sources have seen the last undoing. */
async function compare({ world, base }: Board): Promise<readonly string[]> {
  let different: readonly string[] = [];
  try {
    await world.reconciled(RECONCILED_WITHIN_S);
    await within(BACK_WITHIN_S, async () => {
      const sentence = await unready(world.kube);
      different = [...(sentence === '' ? [] : [sentence]), ...differences(base, await readState(world.kube))];
      return different.length === 0;
    });
    return [];
  } catch (error) {
    return [messageOf(error), ...different];
  }
}
