import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pidFile } from './leftovers.ts';
import type { Log } from '../../observe/log.ts';
import type { ProgramSpec } from './programs.ts';

/** What a program ended with when it was given up. */
export interface ProgramExit {
  readonly program: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | string;
  /** The last lines that it wrote. */
  readonly tail: string;
}

interface Settings {
  readonly spec: ProgramSpec;
  readonly stateFolder: string;
  readonly log: Log;
  readonly onGivenUp: (exit: ProgramExit) => void;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** A program that has run so long starts with a clean record. */
const STEADY_MS = 30_000;
const MAX_FAILURES = 5;
const TAIL_LINES = 12;

/**
 * A program that is started again when it ends, later each time, and given up when it fails five times in a row. It gets a process group
 * of its own, so that Ctrl-C in a terminal reaches only us and we decide in what order programs stop. It does not keep our process alive.
 */
export class SupervisedProgram {
  readonly name: string;
  readonly #settings: Settings;
  readonly #logFile: string;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> = Promise.resolve();
  #failures = 0;
  #stopping = false;

  constructor(settings: Settings) {
    this.name = settings.spec.name;
    this.#settings = settings;
    this.#logFile = join(settings.stateFolder, 'run', `${this.name}.log`);
  }

  /** Starts the program; its output goes to a file that begins anew. */
  start(): void {
    this.#launch('w');
  }

  /** Asks the program to end, and kills it when it has not after `graceMs`. With 0 it is killed at once. Does nothing to one that is not running. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#child?.ref();
    this.#child?.kill(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    const impatience = setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.#ended;
    clearTimeout(impatience);
  }

  /** Kills the program without waiting: for the moment in which our own process ends. */
  killNow(): void {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
  }

  #launch(flags: 'w' | 'a'): void {
    const { spec, stateFolder } = this.#settings;
    const output = openSync(this.#logFile, flags, 0o600);
    const startedAt = performance.now();
    const child = spawn(spec.command, spec.args, {
      stdio: ['ignore', output, output],
      detached: true,
      cwd: stateFolder,
      env: { ...spec.env, ...environment(this.#logFile) },
    });
    closeSync(output);
    child.unref();
    this.#child = child;
    if (child.pid !== undefined) writeFileSync(pidFile(stateFolder, this.name), String(child.pid));
    this.#ended = new Promise((resolve) => {
      const end = (code: number | string): void => {
        this.#child = undefined;
        rmSync(pidFile(stateFolder, this.name), { force: true });
        resolve();
        if (!this.#stopping) void this.#afterFailure(code, performance.now() - startedAt);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(code ?? signal ?? 'unknown'));
    });
  }

  async #afterFailure(code: number | string, livedMs: number): Promise<void> {
    const { log, onGivenUp } = this.#settings;
    this.#failures = livedMs > STEADY_MS ? 1 : this.#failures + 1;
    const tail = await tailOf(this.#logFile);
    if (this.#stopping) return;
    log.error('a program of the embedded cluster ended', { program: this.name, code, failures: this.#failures, tail });
    if (this.#failures >= MAX_FAILURES) return onGivenUp({ program: this.name, code, tail });
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), MAX_DELAY_MS);
    this.#timer = setTimeout(() => this.#launch('a'), delay);
  }
}

/** Nothing of our own environment: no proxy, no kubeconfig, no home that could be read or written. */
function environment(logFile: string): NodeJS.ProcessEnv {
  return { HOME: dirname(logFile) };
}

async function tailOf(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}
