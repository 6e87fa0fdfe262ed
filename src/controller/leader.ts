import { isAppError } from '../domain/core/errors.ts';
import { textAt } from '../domain/core/read.ts';
import { type Clock, systemClock } from './clock.ts';
import { type LeaseOptions, readLease, withLease } from './lease.ts';

export interface LeaderOptions extends Omit<LeaseOptions, 'seconds' | 'now' | 'seen'> {
  /** How long the lease stands without being renewed. */
  readonly seconds: number;
  /** How often those who wait look. */
  readonly retrySeconds: number;
  /** Makes the namespace of the lease; asked where there is no lease yet. */
  readonly prepare?: () => Promise<void>;
  /** Told whether this process leads. */
  readonly onChange: (leads: 'leads' | 'waits', holder: string) => void;
}

/**
 * Runs something whenever this process is the leader, until the signal aborts: one process of all that use the lease. When the lease is lost, the signal of what
 * runs aborts, and the process waits for its turn again.
 *
 * Whoever waits takes over when the lease has not changed for its whole time by its own clock, so that clocks need not agree.
 */
export async function runAsLeader(options: LeaderOptions, run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { clock = systemClock, retrySeconds, onChange, seconds } = options;
  const observe = createObserver(options, clock);
  let known = '';
  const announce = (leads: 'leads' | 'waits', holder: string): void => {
    if (known !== `${leads} ${holder}`) onChange(leads, holder);
    known = `${leads} ${holder}`;
  };
  while (!signal.aborted) {
    const seen = await observe().catch(unlessExpected);
    if (seen?.isTakeable === true) {
      const ended: { failure?: unknown } = {};
      const lead = async (until: AbortSignal): Promise<void> => {
        announce('leads', options.holder);
        await run(until).catch((error: unknown) => void (ended.failure = error));
      };
      if (seen.resourceVersion === '') await options.prepare?.().catch(unlessExpected);
      await withLease({ ...options, seconds, seen: seen.resourceVersion }, lead, signal).catch(unlessExpected);
      if (ended.failure !== undefined) throw ended.failure;
    } else if (seen !== undefined) {
      announce('waits', seen.holder);
    }
    await wait(clock, retrySeconds * 1_000, signal);
  }
}

interface SeenLease {
  /** Empty where there is no lease. */
  readonly resourceVersion: string;
  readonly holder: string;
  readonly isTakeable: boolean;
}

/** Remembers since when the lease is as it is. */
function createObserver(options: LeaderOptions, clock: Clock): () => Promise<SeenLease> {
  let last = { resourceVersion: '', at: clock.now() };
  return async () => {
    const lease = await readLease(options);
    const resourceVersion = lease?.metadata.resourceVersion ?? '';
    const holder = textAt(lease, 'spec', 'holderIdentity') ?? '';
    if (resourceVersion !== last.resourceVersion) last = { resourceVersion, at: clock.now() };
    const isOver = clock.now() - last.at >= options.seconds * 1_000;
    return { resourceVersion, holder, isTakeable: holder === '' || holder === options.holder || isOver };
  };
}

/** The cluster may be away, and somebody else may be faster. */
function unlessExpected(error: unknown): undefined {
  if (isAppError(error)) return undefined;
  throw error;
}

async function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(milliseconds, over.resolve);
  const end = (): void => over.resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await over.promise;
  signal.removeEventListener('abort', end);
  cancel();
}
