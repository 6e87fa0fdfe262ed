import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Batch } from './batches.ts';
import { processesWith } from './children.ts';
import type { Task } from './lanes.ts';
import type { FileReport } from './report.ts';
import type { RunResult } from './run-result.ts';
import type { World } from './test-files.ts';
import { type SharedWorld, startSharedWorld } from './worlds.ts';

/** The worlds of a run: each starts at once, and stops with the last batch that takes part. */
export interface Worlds {
  started(world: World | undefined): Promise<unknown>;
  /** Says that a batch has ended. */
  leave(batch: Batch): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, 'batch.ts');
/** No batch takes that long; one that does is ended, and fails. */
const MAX_BATCH_MS = 20 * 60_000;
const MAX_PRINTED = 6_000;

export function startBatchesIn(batches: readonly Batch[], result: RunResult): Worlds {
  const left = new Set(batches);
  const used = (['product', 'cluster'] as const).filter((name) => batches.some(({ world }) => world === name));
  const running = new Map<World, Promise<SharedWorld>>(used.map((name) => [name, startSharedWorld(name)]));
  for (const [name, world] of running)
    void world.then(({ failure }) => failure !== undefined && result.fail(`✖ the ${name} that tests share did not start: ${failure}`));
  return {
    started: async (name) => await (name === undefined ? undefined : running.get(name)),
    leave: async (batch) => {
      left.delete(batch);
      const { world: name } = batch;
      if (name === undefined || [...left].some(({ world }) => world === name)) return;
      const world = await running.get(name);
      result.worldTook(name, (await world?.stop()) ?? 0);
    },
  };
}

export function batchTask(batch: Batch, worlds: Worlds, result: RunResult): Task {
  const name = batch.files.map(({ path }) => path).join(' ');
  const { world, alone } = batch;
  return {
    name,
    alone,
    ...(world === undefined ? {} : { world }),
    ready: worlds.started(world),
    run: async () => {
      await runBatch(batch, result);
      await worlds.leave(batch);
    },
  };
}

/** Runs files in one process. What that process leaves behind is a failure of theirs, and so is its early end. */
async function runBatch({ files }: Batch, result: RunResult): Promise<void> {
  const name = files.map(({ path }) => path).join(' ');
  const child = fork(PROGRAM, {
    env: { ...process.env, CHANDLERY_TEST_FILES: name },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: MAX_BATCH_MS,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  let ended = false;
  child.on('message', (message) => {
    if (message === 'ended') ended = true;
    else result.add(message as FileReport, printed);
    printed = '';
  });
  await once(child, 'close');
  if (!ended) result.fail(`✖ ${name}\nthe process ended before its files had\n${printed.slice(-MAX_PRINTED)}`);
  const left = processesWith(`CHANDLERY_TEST_FILES=${name}`);
  for (const { id } of left) process.kill(id, 'SIGKILL');
  if (left.length > 0) result.fail(`✖ ${name}\nleft processes behind: ${left.map(({ command }) => command).join(', ')}`);
}
