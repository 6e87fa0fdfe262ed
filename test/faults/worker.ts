import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { Step } from './steps.ts';
import type { WorkerInput } from './worker-main.ts';

const PROGRAM = join(import.meta.dirname, 'worker-main.ts');

/** What dies: the worker alone, so that its helm is an orphan, or all that it started, as when the machine dies. */
export type Death = 'worker' | 'machine';

/** A worker process. */
export interface Worker {
  readonly pid: number;
  /** From now on it stands still when it comes to the step. */
  halt(step: Step): void;
  /** Resolves when it announces the step from now on. */
  reached(step: Step, signal: AbortSignal): Promise<void>;
  kill(death: Death): Promise<void>;
}

export interface WorkerOptions {
  readonly input: WorkerInput;
  /** Temporary files of the worker, its helm home among them. */
  readonly scratch: string;
  readonly logFile: string;
  /** The program and its arguments that run `node worker …`; default: none. */
  readonly inside?: readonly string[];
}

const LIVING = new Set<ChildProcess>();
process.once('exit', () => LIVING.forEach((child) => end(child, 'machine')));

/** Starts a worker in a process group of its own, and waits until it is at work. */
export async function startWorker({ input, scratch, logFile, inside = [] }: WorkerOptions): Promise<Worker> {
  const log = openSync(logFile, 'a');
  const command = [...inside, process.execPath, PROGRAM, stringifyJson(input)];
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['pipe', 'pipe', log],
    detached: true,
    env: { ...process.env, TMPDIR: scratch, NODE_COMPILE_CACHE: join(scratch, 'compiled') },
  });
  closeSync(log);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('a worker has no pipes');
  LIVING.add(child);
  const lines = new EventEmitter();
  stdin.on('error', () => undefined);
  const started = Promise.withResolvers<void>();
  child.once('exit', (code) => {
    // A run that has ended early takes the logs of its workers away.
    const said = existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-2_000) : '';
    started.reject(new Error(`a worker ended with ${code ?? 'a signal'} before it was at work: ${said}`));
  });
  createInterface({ input: stdout }).on('line', (line) => {
    if (line === 'at work') started.resolve();
    if (line.startsWith('step ')) lines.emit(line.slice('step '.length));
  });
  await started.promise;
  return {
    pid: child.pid ?? 0,
    halt: (step) => void stdin.write(`halt ${step}\n`),
    reached: async (step, signal) => void (await once(lines, step, { signal })),
    kill: async (death) => {
      LIVING.delete(child);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      end(child, death);
      await ended;
    },
  };
}

function end({ pid }: ChildProcess, death: Death): void {
  if (pid === undefined) return;
  try {
    process.kill(death === 'machine' ? -pid : pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
