import { constants, getPriority, setPriority } from 'node:os';
import { Duplex } from 'node:stream';
import { execa } from 'execa';
import { AppError } from '../domain/core/errors.ts';
import { CPU_SECONDS, GO, HELM_MEMORY, watchMemory, withinLimits } from './bounds.ts';
import { failureOf } from './failure.ts';
import type { Guardian } from './guardian.ts';
import type { HelmHome } from './home.ts';
import type { Slots } from './slots.ts';
import { checkRelease } from './names.ts';
import type { ReleaseRef } from './release-output.ts';

const MEBIBYTE = 1024 * 1024;
/** A release of the most that a chart may render, and its hooks, in JSON. */
const MAX_STDOUT = 24 * MEBIBYTE;
const MAX_STDERR = MEBIBYTE;
const GRACE_MS = 5000;
/** By how much helm's priority is below ours: a tenth of the processor time where both want all of it. */
const NICE = 10;

export interface HelmLog {
  debug(keys: object, message: string): void;
}

/** Counts runs by command, such as `upgrade`. */
export type HelmObserver = (command: string, outcome: 'succeeded' | 'failed', seconds: number) => void;

/** One run of the program. */
interface HelmRun {
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
  /** Is given the other end of the program's file descriptor 3, which closes at the latest when the program ends. Absent: it has none. */
  readonly channel?: (stream: Duplex) => void;
}

export interface HelmOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface HelmRunner {
  /** Runs the program and gives what it wrote. Throws an AppError of `failureOf` when it fails, and the signal's reason when aborted. */
  (run: HelmRun): Promise<HelmOutput>;
}

interface RunnerOptions {
  readonly program: string;
  readonly home: HelmHome;
  readonly connection: readonly string[];
  readonly slots: Slots;
  readonly guardian: Guardian;
  readonly log: HelmLog;
  readonly observe: HelmObserver;
}

/** The one place where the helm program is started: no shell, no input, an environment of our own, bounds on time, output, memory and files. */
export function createRunner(options: RunnerOptions): HelmRunner {
  return (run) => options.slots.run(() => start(options, run), run.signal);
}

async function start({ program, home, connection, guardian, log, observe }: RunnerOptions, run: HelmRun): Promise<HelmOutput> {
  const began = performance.now();
  const { file, args } = withinLimits(program, [...run.command, ...connection, ...run.options, '--', ...run.positionals]);
  const child = execa(file, args, {
    cwd: home.dir,
    env: { ...home.env },
    extendEnv: false,
    stdio: ['pipe', 'pipe', 'pipe', run.channel === undefined ? 'ignore' : 'pipe'],
    buffer: { fd3: false },
    timeout: run.timeoutMs,
    forceKillAfterDelay: GRACE_MS,
    maxBuffer: { stdout: MAX_STDOUT, stderr: MAX_STDERR },
    cancelSignal: run.signal,
    stripFinalNewline: false,
    reject: false,
  });
  const { pid } = child;
  const channel = child.stdio[3];
  if (channel instanceof Duplex) {
    run.channel?.(channel);
    // A post-renderer may hold the other end after helm was killed.
    child.nodeChildProcess.once('exit', () => channel.destroy());
  }
  const ended = pid === undefined ? () => undefined : guardian.mind(pid);
  if (pid !== undefined) giveWay(pid);
  child.stdin.on('error', () => undefined).end(GO);
  const memory = pid === undefined ? undefined : watchMemory({ pid, maxBytes: HELM_MEMORY, onExceeded: () => child.kill('SIGKILL') });
  const result = await child.finally(() => {
    ended();
    memory?.stop();
  });
  const ms = Math.round(performance.now() - began);
  observe(run.command[0] ?? '', result.failed ? 'failed' : 'succeeded', ms / 1000);
  log.debug({ helm: run.command, what: run.what, exitCode: result.exitCode, ms }, 'helm has run');
  if (!result.failed) return { stdout: result.stdout, stderr: result.stderr };
  run.signal.throwIfAborted();
  if (memory?.exceeded() === true || isOutOfMemory(result.stderr)) throw failed(run, TOO_MUCH_MEMORY);
  throw failureOfResult(run, program, result);
}

/** People at their pages come before releases. Where the operating system does not let us, all are equal. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICE));
  } catch {
    return;
  }
}

const TOO_MUCH_MEMORY = `it needed more than the ${HELM_MEMORY / MEBIBYTE} MiB of memory that it may have and was stopped; make the chart, or its values, smaller`;

/** What the runtime of Go writes as its first words when the limit is reached, before a trace of all that ran. */
function isOutOfMemory(stderr: string): boolean {
  return /^(runtime: out of memory|fatal error: .*(out of memory|cannot allocate memory|reserve))/m.test(stderr);
}

interface FailedResult {
  readonly timedOut: boolean;
  readonly isMaxBuffer: boolean;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stderr: string;
}

function failureOfResult(run: HelmRun, program: string, { timedOut, isMaxBuffer, exitCode, signal, stderr }: FailedResult): AppError {
  if (timedOut) return failed(run, `it took longer than ${run.timeoutMs / 1000} s and was stopped`);
  if (isMaxBuffer)
    return failed(run, `it wrote more than ${MAX_STDOUT / MEBIBYTE} MiB, or ${MAX_STDERR / MEBIBYTE} MiB of messages, and was stopped`);
  // The shell says so, Helm never ends like this.
  const isMissing = exitCode === 126 || exitCode === 127 || (exitCode === undefined && signal === undefined);
  if (isMissing) return failed(run, `the program ${program} cannot be started; run bin/setup`);
  if (signal === 'SIGKILL' || signal === 'SIGXCPU')
    return failed(run, `it used more than ${CPU_SECONDS} s of processor time, or this machine has no memory left, and was stopped`);
  if (exitCode === undefined) return failed(run, `the program was ended by ${signal ?? 'a signal'}`);
  return failureOf(run.what, stderr, run.secrets);
}

function failed(run: HelmRun, why: string): AppError {
  return new AppError('HelmFailed', `helm ${run.what}: ${why}`);
}

/** A run of the program about one release. */
interface ReleaseRun {
  readonly verb: string;
  readonly command: readonly string[];
  readonly options: readonly string[];
  /** Positionals after the release name. */
  readonly more: readonly string[];
  readonly timeoutMs: number;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
  readonly signal: AbortSignal;
}

/** Runs the program about a release, and gives its standard output. Throws what the runner throws, and AppError `InvalidInput` for a wrong name. */
export async function runOnRelease(runner: HelmRunner, ref: ReleaseRef, input: ReleaseRun): Promise<string> {
  const { verb, command, options, more, timeoutMs, secrets = [], signal } = input;
  checkRelease(ref.release, ref.namespace);
  const what = `${verb} of "${ref.release}" in namespace "${ref.namespace}"`;
  const all = ['--namespace', ref.namespace, ...options];
  const output = await runner({ what, command, options: all, positionals: [ref.release, ...more], timeoutMs, secrets, signal });
  return output.stdout;
}
