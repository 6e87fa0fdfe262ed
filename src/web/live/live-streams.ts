import type { Request, Response } from 'express';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { actorKey } from '../../domain/kubernetes/actor.ts';
import { openEventStream, type EventStream } from '../../http/event-stream.ts';
import { accessOf, type Access } from '../../http/request-context.ts';
import { createReadingTurns, pause } from './reading-turns.ts';
import { SharedReading, type Fragment, type LiveThing, type Watcher } from './shared-reading.ts';

/** A stream ends after so long; the browser then opens another. */
const LIMIT_MS = 5 * 60_000;

/** How often a stream looks whether the session or token that opened it is still good. */
const CHECK_MS = 3_000;

/**
 * The live streams of all pages. It answers a request with the thing's fragment and again with each change (`change`), until the browser leaves, the thing is
 * gone or may not be read any more (`gone`), the session or token has ended (`signed-out`), or five minutes are over. Before the first reading it is an
 * ordinary request: what may not be seen is answered as everywhere.
 *
 * @throws AppError `LimitReached` or `TooBusy` beyond the limits of streams.
 */
export interface LiveStreams {
  answer<Reading>(request: Request, response: Response, thing: LiveThing<Reading>): Promise<void>;
}

/** Live streams that are open at once. */
const MAX_STREAMS = { session: 10, person: 50, all: 2000 } as const;

/** Whose a stream is: the session or token that opened it, and the user name. */
interface StreamOwner {
  readonly session: string;
  readonly user: string;
}

/** Counts the streams of each session, of each person and of all. */
class StreamLimits {
  readonly #open = new Map<string, number>();

  /**
   * Takes a place; the answer gives it back.
   *
   * @throws AppError `LimitReached` when there is none, `TooBusy` when all together have too many.
   */
  take({ session, user }: StreamOwner): () => void {
    const keys = { session: `session ${session}`, person: `person ${user}`, all: 'all' };
    const count = (key: string): number => this.#open.get(key) ?? 0;
    if (count(keys.session) >= MAX_STREAMS.session) throw full(`${MAX_STREAMS.session} for one session`, 'LimitReached');
    if (count(keys.person) >= MAX_STREAMS.person) throw full(`${MAX_STREAMS.person} for one person`, 'LimitReached');
    if (count(keys.all) >= MAX_STREAMS.all) throw full(`${MAX_STREAMS.all} for everybody together`, 'TooBusy');
    const all = Object.values(keys);
    for (const key of all) this.#open.set(key, count(key) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const key of all) {
        if (count(key) <= 1) this.#open.delete(key);
        else this.#open.set(key, count(key) - 1);
      }
    };
  }
}

/** @param stopping aborts when the server stops. */
export function createLiveStreams(stopping: AbortSignal): LiveStreams {
  const hub: Hub = { limits: new StreamLimits(), turns: createReadingTurns(), readings: new Map(), stopping };
  return { answer: async (request, response, thing) => await answer(hub, { request, response, thing }) };
}

interface Hub {
  readonly limits: StreamLimits;
  readonly turns: ReturnType<typeof createReadingTurns>;
  readonly readings: Map<string, SharedReading>;
  readonly stopping: AbortSignal;
}

interface Viewing {
  readonly request: Request;
  readonly response: Response;
  readonly thing: LiveThing;
}

async function answer(hub: Hub, viewing: Viewing): Promise<void> {
  const access = accessOf(viewing.response);
  const giveBack = hub.limits.take({ session: access.id, user: access.actor.user });
  try {
    await follow(hub, viewing, access);
  } finally {
    giveBack();
  }
}

async function follow(hub: Hub, { request, response, thing }: Viewing, access: Access): Promise<void> {
  const over = Promise.withResolvers<void>();
  const opened: { stream?: EventStream } = {};
  const leave = await readingOf(hub, thing, access).join(() => {
    const stream = openEventStream(request, response, hub.stopping);
    opened.stream = stream;
    return watcherOf(stream, over.reject);
  });
  const { stream } = opened;
  if (stream === undefined) return;
  const end = AbortSignal.any([stream.signal, AbortSignal.timeout(LIMIT_MS)]);
  end.addEventListener('abort', () => over.resolve());
  if (end.aborted) over.resolve();
  try {
    await Promise.race([over.promise, closeWhenEnded(stream, access, end)]);
  } finally {
    leave();
    stream.close();
  }
}

/** The readings of this thing as this actor: user and groups. */
function readingOf({ readings, turns }: Hub, thing: LiveThing, { actor }: Access): SharedReading {
  const key = JSON.stringify([actorKey(actor), thing.key]);
  const known = readings.get(key);
  if (known !== undefined) return known;
  const reading = new SharedReading(thing, actor, { turns, ended: () => readings.delete(key) });
  readings.set(key, reading);
  return reading;
}

/** A browser that takes no more for a while gets the newest fragment when it does, not those in between. */
function watcherOf(stream: EventStream, fail: (error: unknown) => void): Watcher {
  let isFull = false;
  let newest: Fragment | undefined;
  const change = (fragment: Fragment): void => {
    newest = fragment;
    if (isFull) return;
    newest = undefined;
    isFull = !stream.send({ event: 'change', data: fragment });
    if (isFull) void stream.drained().then(resume);
  };
  const resume = (): void => {
    isFull = false;
    if (newest !== undefined) change(newest);
  };
  return {
    change,
    gone: () => {
      stream.send({ event: 'gone', data: {} });
      stream.close();
    },
    fail,
  };
}

/** Ends the stream when whoever opened it is signed out, and when their groups are others now: the browser comes back and is asked who it is. */
async function closeWhenEnded(stream: EventStream, access: Access, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(CHECK_MS, signal);
    if (signal.aborted) return;
    const state = await access.check().catch((error: unknown) => (isAppError(error, 'Unauthenticated') ? 'ended' : 'unknown'));
    if (state === 'same') continue;
    if (state === 'ended') stream.send({ event: 'signed-out', data: {} });
    return;
  }
}

function full(which: string, code: 'LimitReached' | 'TooBusy'): AppError {
  return new AppError(code, `live updates: the limit of ${which} is reached; close other tabs, or refresh the page by hand`);
}
