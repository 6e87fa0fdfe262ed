import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '../domain/errors.ts';
import type { EventStream } from '../http/event-stream.ts';

const INTERVAL_MS = 2000;
const LIMIT_MS = 5 * 60_000;

export interface ChangeSource<Reading> {
  /** What the page that opens the stream shows already, or nearly so. */
  readonly first: Reading;
  read(): Promise<Reading>;
  /** The fragment, and a word about it for screen readers. */
  render(reading: Reading): { readonly html: string; readonly status: string };
  /** Resolves when it is time to read again, or the signal aborts. Default: after two seconds. */
  pause?(signal: AbortSignal): Promise<void>;
}

/**
 * Reads every two seconds and sends a `change` whenever something is different, until the browser leaves, what is read is gone (`gone`), or five
 * minutes are over; the browser then opens the stream anew. A reading that fails for a while is tried again.
 */
export async function streamChanges<Reading>(stream: EventStream, source: ChangeSource<Reading>): Promise<void> {
  const end = AbortSignal.any([stream.signal, AbortSignal.timeout(LIMIT_MS)]);
  let sent = '';
  let next: Reading | undefined = source.first;
  while (!end.aborted) {
    const text = next === undefined ? sent : JSON.stringify(next);
    if (next !== undefined && text !== sent) stream.send({ event: 'change', data: source.render(next) });
    sent = text;
    await (source.pause ?? interval)(end);
    const reading: Reading | 'gone' | undefined = end.aborted ? undefined : await readOnce(source);
    if (reading === 'gone') {
      stream.send({ event: 'gone', data: {} });
      break;
    }
    next = reading;
  }
  stream.close();
}

async function interval(signal: AbortSignal): Promise<void> {
  await wait(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
}

async function readOnce<Reading>(source: ChangeSource<Reading>): Promise<Reading | 'gone' | undefined> {
  try {
    return await source.read();
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden', 'Unauthenticated')) return 'gone';
    if (isAppError(error, 'ClusterUnavailable', 'TooManyRequests')) return undefined;
    throw error;
  }
}
