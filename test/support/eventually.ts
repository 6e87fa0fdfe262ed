import { inspectReads } from './inspect-reads.ts';
import { type ReadSet, listenForSignals, noteReads } from './signals.ts';
import { reportWait } from './waits.ts';
import { elapse } from './elapse.ts';

/** Milliseconds. A change that no write tells of follows a write soon, so that attempts become rare only with the silence. */
const PAUSE = { first: 50, longest: 2_000, longestUntracked: 500 };
/** Attempts are at least so far apart, and further with the time that has passed: each takes time from what it waits for. */
const SPACING = { least: 25, share: 0.05, most: 250 };

/**
 * Waits until an attempt answers with something other than undefined or false. An attempt follows each change of what the last one has read: a write to
 * the objects, told by the api-server's audit log, or a line in the log of the product; see `signals.ts`.
 *
 * @throws when that does not come about within `seconds`: what was waited for, what was last seen, its events, the last lines of logs, and the load.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, what: string | (() => string), seconds = 60): Promise<T> {
  const begin = performance.now();
  const passed = (): number => performance.now() - begin;
  using signals = listenForSignals();
  let pause = PAUSE.first;
  for (let trigger: 'Changed' | 'Silent' = 'Changed'; ;) {
    const reads: ReadSet = { objects: [], rest: [], untracked: 0 };
    signals.forget();
    const { answer, error } = await attempt(reads, ask);
    if (answer !== undefined && answer !== false) {
      reportWait({ what: typeof what === 'string' ? what : what(), ms: passed(), trigger, pause });
      return answer;
    }
    const left = seconds * 1_000 - passed();
    if (left <= 0) throw await boundHit({ what: typeof what === 'string' ? what : what(), seconds, reads, error });
    trigger = await signals.next(reads, Math.min(pause, left));
    const isTracked = reads.untracked === 0 && reads.objects.length + reads.rest.length > 0;
    pause = trigger === 'Changed' ? PAUSE.first : Math.min(pause * 2, isTracked ? PAUSE.longest : PAUSE.longestUntracked);
    if (trigger === 'Changed') await elapse(Math.min(SPACING.most, Math.max(SPACING.least, passed() * SPACING.share)));
  }
}

async function attempt<T>(
  reads: ReadSet,
  ask: () => Promise<T | undefined | false>,
): Promise<{ readonly answer?: T | undefined | false; readonly error?: unknown }> {
  try {
    return { answer: await noteReads(reads, ask) };
  } catch (error) {
    return { error };
  }
}

async function boundHit(wait: { what: string; seconds: number; reads: ReadSet; error: unknown }): Promise<Error> {
  const { what, seconds, reads, error } = wait;
  return new Error(`not within ${seconds} s: ${what}\n${await inspectReads(reads)}`, { cause: error });
}
