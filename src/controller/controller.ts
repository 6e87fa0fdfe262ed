import { backoffDelay, type BackoffOptions } from '../domain/core/backoff.ts';
import { AppError, type ErrorCode, type ErrorDetails, messageOf } from '../domain/core/errors.ts';
import type { Log } from '../observe/log.ts';
import { type Clock, systemClock } from './clock.ts';
import { type LendableWorker, type SlowKeys, WorkQueue } from './queue.ts';

/** What a reconciler may ask for. */
export interface ReconcileResult {
  /** Look again after so many milliseconds, though nothing changes. */
  readonly requeueAfter?: number;
}

/**
 * Brings the world one step nearer to what the resource of the key asks for; level-based: it looks at what is, never at what happened. An
 * error is tried again with backoff, a TerminalError is not.
 */
export type Reconcile = (key: string, signal: AbortSignal, worker?: LendableWorker) => Promise<ReconcileResult>;

type ReconcileOutcome = 'succeeded' | 'failed' | 'stalled';

/** A controller that is not running yet. */
export interface ControllerParts {
  /** For log lines and metrics, e.g. `environment`. */
  readonly name: string;
  readonly sources: readonly KeySource[];
  readonly reconcile: Reconcile;
  /** Keys worked on at the same time. */
  readonly workers: number;
  /** Keys that no longer count among the workers. Default: all count. */
  readonly slow?: SlowKeys;
  /** Milliseconds for which a key rests after its work, whatever its sources say; what a reconciler asks for itself is not delayed. Default: none. */
  readonly restMs?: number;
}

interface ControllerOptions extends ControllerParts {
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly backoff?: { readonly first: number; readonly longest: number };
  readonly observe?: (outcome: ReconcileOutcome, seconds: number) => void;
  /** Is given what tells how many keys wait, and how many are worked on. */
  readonly measure?: (read: () => { readonly waiting: number; readonly active: number }) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const BACKOFF = { first: 500, longest: 60_000 };

/** Counts failures in a row, per key. */
interface Backoff {
  /** Counts one more failure of the key; milliseconds to wait before it is tried again. */
  failed(key: string): number;
  /** Forgets the failures of the key. */
  succeeded(key: string): void;
  failures(key: string): number;
}

/** Runs a controller until its signal aborts; resolves when the work that ran then has ended. */
export async function runController(options: ControllerOptions): Promise<void> {
  const { sources, reconcile, workers, log, signal, clock = systemClock, random = Math.random } = options;
  const backoff = createBackoff(options.backoff ?? BACKOFF, random);
  const outcomeOf = (key: string, thrown: unknown): ReconcileOutcome => {
    if (thrown instanceof TerminalError) {
      backoff.succeeded(key);
      log.warn('Reconciling stalled', { controller: options.name, key, why: thrown.message });
      return 'stalled';
    }
    const delay = backoff.failed(key);
    const keys = { controller: options.name, key, failures: backoff.failures(key), delay, why: messageOf(thrown) };
    log.warn('Reconciling failed; trying again', keys);
    queue.addAfter(key, delay);
    return 'failed';
  };
  const work = async (key: string, worker: LendableWorker): Promise<void> => {
    const started = clock.now();
    let outcome: ReconcileOutcome = 'succeeded';
    try {
      const { requeueAfter } = await reconcile(key, signal, worker);
      backoff.succeeded(key);
      if (requeueAfter !== undefined) queue.addAfter(key, requeueAfter);
    } catch (error) {
      if (signal.aborted) return;
      outcome = outcomeOf(key, error);
    }
    log.debug('Reconciled', { controller: options.name, key, outcome });
    options.observe?.(outcome, (clock.now() - started) / 1_000);
  };
  const { slow, restMs = 0 } = options;
  const queue: WorkQueue = new WorkQueue({ workers, clock, work, restMs, ...(slow === undefined ? {} : { slow }) });
  options.measure?.(() => queue);
  const stops = sources.map((source) => source.onChange((key) => queue.add(key)));
  await aborted(signal);
  stops.forEach((stop) => stop());
  await queue.stop();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @param random a number from 0 (included) to 1 (excluded). */
function createBackoff(options: BackoffOptions, random: () => number): Backoff {
  const counts = new Map<string, number>();
  return {
    failed: (key) => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return backoffDelay(count, options, random());
    },
    succeeded: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

/**
 * Where keys come from. The listener gets the key of everything that is there, and then of everything that changes; it must only note the
 * key. The function that comes back ends it.
 */
export interface KeySource {
  onChange(listener: (key: string) => void): () => void;
}

/** A source of the keys that another source's keys stand for, e.g. of the owners of what changed. */
export function mapSource(source: KeySource, keysFor: (key: string) => readonly string[]): KeySource {
  return {
    onChange: (listener) => source.onChange((key) => keysFor(key).forEach((mapped) => listener(mapped))),
  };
}

/** An error that trying again does not change: only a change of the world does. The reconciler has said so in the resource's conditions. */
export class TerminalError extends AppError {
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
    this.name = 'TerminalError';
  }
}
