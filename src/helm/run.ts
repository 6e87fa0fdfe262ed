import { execa } from 'execa';
import { AppError } from '../domain/errors.ts';
import { failureOf } from './failure.ts';
import type { Guardian } from './guardian.ts';
import type { HelmHome } from './home.ts';
import type { Slots } from './slots.ts';

const MEBIBYTE = 1024 * 1024;
const MAX_STDOUT = 32 * MEBIBYTE;
const MAX_STDERR = MEBIBYTE;
const GRACE_MS = 5000;

export interface HelmLog {
  debug(keys: object, message: string): void;
}

/** One run of the program. */
export interface HelmRun {
  /** What it is about, for the error: `upgrade of "a" in namespace "b"`. */
  readonly what: string;
  /** Options after the common ones. */
  readonly options: readonly string[];
  readonly command: readonly string[];
  /** Positional arguments, which go behind `--`. */
  readonly positionals: readonly string[];
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

export interface HelmOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface HelmRunner {
  /** Runs the program and gives what it wrote. Throws an AppError of `failureOf` when it fails, and the signal's reason when aborted. */
  (run: HelmRun): Promise<HelmOutput>;
}

export interface RunnerOptions {
  readonly program: string;
  readonly home: HelmHome;
  readonly connection: readonly string[];
  readonly slots: Slots;
  readonly guardian: Guardian;
  readonly log: HelmLog;
}

/** The one place where the helm program is started: no shell, no input, an environment of our own, bounds on time, output and memory. */
export function createRunner(options: RunnerOptions): HelmRunner {
  return (run) => options.slots.run(() => start(options, run), run.signal);
}

async function start({ program, home, connection, guardian, log }: RunnerOptions, run: HelmRun): Promise<HelmOutput> {
  const began = performance.now();
  const args = [...run.command, ...connection, ...run.options, '--', ...run.positionals];
  const child = execa(program, args, {
    cwd: home.dir,
    env: { ...home.env },
    extendEnv: false,
    stdin: 'ignore',
    timeout: run.timeoutMs,
    forceKillAfterDelay: GRACE_MS,
    maxBuffer: { stdout: MAX_STDOUT, stderr: MAX_STDERR },
    cancelSignal: run.signal,
    stripFinalNewline: false,
    reject: false,
  });
  const ended = child.pid === undefined ? () => undefined : guardian.mind(child.pid);
  const result = await child.finally(ended);
  log.debug({ helm: run.command, what: run.what, exitCode: result.exitCode, ms: Math.round(performance.now() - began) }, 'helm has run');
  if (!result.failed) return { stdout: result.stdout, stderr: result.stderr };
  run.signal.throwIfAborted();
  if (result.timedOut) throw failed(run, `it took longer than ${run.timeoutMs / 1000} s and was stopped`);
  if (result.isMaxBuffer) throw failed(run, `it wrote more than ${MAX_STDOUT / MEBIBYTE} MiB and was stopped`);
  if (result.exitCode === undefined && result.signal === undefined)
    throw failed(run, `the program ${program} cannot be started; run bin/setup`);
  if (result.exitCode === undefined) throw failed(run, `the program was ended by ${result.signal ?? 'a signal'}`);
  throw failureOf(run.what, result.stderr, run.secrets);
}

function failed(run: HelmRun, why: string): AppError {
  return new AppError('HelmFailed', `helm ${run.what}: ${why}`);
}
