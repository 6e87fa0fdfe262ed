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
  /** Whether a lease that this process has seen may be taken; default: a free one, and one that has expired. */
  readonly decide?: (seen: SeenLease) => LeaseDecision;
  /** Told whether this process leads, and by which lease it waits. */
  readonly onChange: (leads: 'leads' | 'waits', lease: SeenLease) => void;
}

/** The lease as a process that waits for it sees it. */
export interface SeenLease {
  /** Empty where there is no lease. */
  readonly resourceVersion: string;
  /** Empty where nobody holds it. */
  readonly holder: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Milliseconds for which it has not changed, by the clock of this process. */
  readonly unchanged: number;
}

/** `TakeFromHolder`: although it may be alive; what runs begins when the holder has had the time of the lease to notice that and to stop. */
export type LeaseDecision = 'Take' | 'TakeFromHolder' | 'Wait';

/**
 * Runs something whenever this process is the leader, until the signal aborts: one process of all that use the lease. When the lease is lost, the signal of what
 * runs aborts, and the process waits for its turn again.
 *
 * Whoever waits takes over when the lease has not changed for its whole time by its own clock, so that clocks need not agree.
 */
export async function runAsLeader(options: LeaderOptions, run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { clock = systemClock, retrySeconds, onChange, seconds, holder } = options;
  const observe = createObserver(options, clock);
  const decide = options.decide ?? ((seen: SeenLease) => takeWhenExpired(seen, seconds));
  let known = '';
  const announce = (leads: 'leads' | 'waits', lease: SeenLease): void => {
    const state = `${leads} ${lease.holder}`;
    if (known !== state) onChange(leads, lease);
    known = state;
  };
  while (!signal.aborted) {
    const seen = await observe().catch(unlessExpected);
    const decision = seen === undefined ? undefined : seen.holder === holder ? 'Take' : decide(seen);
    if (seen !== undefined && decision !== 'Wait') {
      const ended: { failure?: unknown } = {};
      const lead = async (until: AbortSignal): Promise<void> => {
        if (decision === 'TakeFromHolder') await wait(clock, seconds * 1_000, until);
        if (until.aborted) return;
        announce('leads', { ...seen, holder });
        await run(until).catch((error: unknown) => void (ended.failure = error));
        known = '';
      };
      if (seen.resourceVersion === '') await options.prepare?.().catch(unlessExpected);
      await withLease({ ...options, seconds, seen: seen.resourceVersion }, lead, signal).catch(unlessExpected);
      if (ended.failure !== undefined) throw ended.failure;
    } else if (seen !== undefined) {
      announce('waits', seen);
    }
    await wait(clock, retrySeconds * 1_000, signal);
  }
}

/** Takes a lease that nobody holds, and one that has not changed for its whole time. */
export function takeWhenExpired({ holder, unchanged }: SeenLease, seconds: number): LeaseDecision {
  return holder === '' || unchanged >= seconds * 1_000 ? 'Take' : 'Wait';
}

/** Remembers since when the lease is as it is. */
function createObserver(options: LeaderOptions, clock: Clock): () => Promise<SeenLease> {
  let last = { resourceVersion: '', at: clock.now() };
  return async () => {
    const lease = await readLease(options);
    const resourceVersion = lease?.metadata.resourceVersion ?? '';
    if (resourceVersion !== last.resourceVersion) last = { resourceVersion, at: clock.now() };
    const annotations = lease?.metadata.annotations ?? {};
    return { resourceVersion, holder: textAt(lease, 'spec', 'holderIdentity') ?? '', annotations, unchanged: clock.now() - last.at };
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
