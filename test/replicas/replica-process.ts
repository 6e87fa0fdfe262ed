import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

/** One pod of Chandlery, as a process: `chandlery serve` with a role. */
export interface Replica {
  readonly name: string;
  readonly origin: string;
  isRunning(): boolean;
  /** Resolves when its port answers; `/readyz` may still say that something is missing. */
  start(): Promise<void>;
  ready(): Promise<void>;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Asks it to end, as Kubernetes does. */
  stop(): Promise<void>;
}

interface ReplicaInput {
  readonly name: string;
  readonly port: number;
  readonly options: readonly string[];
  /** Where its log goes; default: nowhere, or with `CHANDLERY_TEST_LOGS` the terminal. */
  readonly logFile?: string;
}

const FLAGS = JSON.parse(readFileSync(join(repoRoot, 'bin', 'node-flags.json'), 'utf8')) as readonly string[];

export function createReplica({ name, port, options, logFile }: ReplicaInput): Replica {
  const origin = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (child === undefined || !isRunning()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    name,
    origin,
    isRunning,
    start: async () => {
      const args = [...FLAGS, 'src/main.ts', 'serve', '--port', String(port), '--log-level', 'warn', ...options];
      child = spawnLogging(args, logFile);
      LIVING.add(child);
      await eventually(async () => (await fetch(`${origin}/healthz`)).ok, `${name} answers`, 180);
    },
    ready: async () => {
      await eventually(async () => (await fetch(`${origin}/readyz`)).ok, `${name} is ready`, 180);
    },
    kill: async () => await end('SIGKILL'),
    stop: async () => await end('SIGTERM'),
  };
}

const LIVING = new Set<ChildProcess>();
process.once('exit', () => LIVING.forEach((child) => child.kill('SIGKILL')));

function spawnLogging(args: readonly string[], logFile: string | undefined): ChildProcess {
  if (logFile === undefined) {
    const errors = process.env['CHANDLERY_TEST_LOGS'] === undefined ? 'ignore' : 'inherit';
    return spawn(process.execPath, args, { cwd: repoRoot, stdio: ['ignore', 'ignore', errors] });
  }
  const log = openSync(logFile, 'a');
  try {
    return spawn(process.execPath, args, { cwd: repoRoot, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}
