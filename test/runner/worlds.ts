import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isObject, numberAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { World } from './test-files.ts';

/** What several files share, as the run that started it sees it. */
export interface SharedWorld {
  /** Why it did not start; then each file starts its own. */
  readonly failure?: string;
  /** Ends it. @returns the CPU seconds that it took. */
  stop(): Promise<number>;
}

const PROGRAM = join(import.meta.dirname, 'world-process.ts');

/** Starts a world, and puts into the environment of this process where tests find it. */
export async function startSharedWorld(name: World): Promise<SharedWorld> {
  const child = fork(PROGRAM, [name]);
  const message = await firstMessage(child);
  const environment = objectAt(message, 'environment');
  if (environment === undefined) return { failure: textAt(message, 'failure') ?? 'it ended', stop: async () => await stopChild(child) };
  Object.assign(process.env, environment);
  return { stop: async () => await stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null || child.signalCode !== null) return 0;
  const exit = once(child, 'exit');
  const last = firstMessage(child);
  child.kill('SIGTERM');
  await exit;
  return numberAt(await last, 'cpu') ?? 0;
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  return isObject(message) ? message : undefined;
}
