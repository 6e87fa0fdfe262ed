import { once } from 'node:events';
import type { Request, Response } from 'express';
import { stringifyJson } from '../domain/core/exact-json.ts';

const HEARTBEAT_MS = 15_000;
/** Bytes that wait for a browser which does not take them; beyond, the stream is cut. */
const MAX_PENDING_BYTES = 2 * 1024 * 1024;

/** One message of a stream; `data` is sent as JSON. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

export interface EventStream {
  /** Writes one message; nothing happens once the stream is closed. False asks the caller to send less for a while. */
  send(message: StreamEvent): boolean;
  /** Resolves when the browser has taken what waits for it, or the stream is closed. */
  drained(): Promise<void>;
  close(): void;
  /** The id of the last message that the browser saw before it came back. */
  readonly lastEventId: string | undefined;
  /** Aborted when the browser leaves, the server stops, or the stream is closed. */
  readonly signal: AbortSignal;
}

/**
 * Answers with server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), with a heartbeat so that proxies
 * keep the line open and a lost browser is noticed.
 *
 * @param signal aborts when the server stops.
 */
export function openEventStream(req: Request, res: Response, signal: AbortSignal): EventStream {
  const closed = new AbortController();
  res.status(200).set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
  const write = (text: string): boolean => {
    if (res.writableLength > MAX_PENDING_BYTES) res.destroy();
    return res.destroyed ? false : res.write(text);
  };
  const heartbeat = setInterval(() => void write(': still here\n\n'), HEARTBEAT_MS);
  const close = (): void => {
    if (closed.signal.aborted) return;
    clearInterval(heartbeat);
    signal.removeEventListener('abort', close);
    closed.abort();
    res.end();
  };
  res.on('close', close);
  res.on('error', close);
  signal.addEventListener('abort', close);
  // A browser that left before the stream was opened closes nothing any more.
  if (signal.aborted || res.destroyed || req.socket.destroyed) close();
  return {
    close,
    drained: async () => {
      await once(res, 'drain', { signal: closed.signal }).catch(() => undefined);
    },
    signal: closed.signal,
    lastEventId: req.get('Last-Event-ID'),
    send: (message) => (closed.signal.aborted ? true : write(format(message))),
  };
}

function format({ event, data, id }: StreamEvent): string {
  const lines = [`event: ${oneLine(event)}`, `data: ${stringifyJson(data)}`];
  if (id !== undefined) lines.unshift(`id: ${oneLine(id)}`);
  return `${lines.join('\n')}\n\n`;
}

/** A line break would begin another field of the message. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ');
}
