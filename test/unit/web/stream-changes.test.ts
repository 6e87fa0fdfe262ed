import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/domain/errors.ts';
import type { EventStream, StreamEvent } from '../../../src/http/event-stream.ts';
import { streamChanges } from '../../../src/web/stream-changes.ts';

/** A stream that remembers what was sent. */
function recorder(): { readonly stream: EventStream; readonly sent: StreamEvent[]; readonly leave: AbortController } {
  const leave = new AbortController();
  const sent: StreamEvent[] = [];
  const stream = {
    signal: leave.signal,
    lastEventId: undefined,
    close: () => leave.abort(),
    send: (message: StreamEvent) => sent.push(message) > 0,
  };
  return { stream, sent, leave };
}

/** Reads the given values one after the other, then the browser leaves. */
async function follow(readings: readonly (string | AppError)[]): Promise<readonly string[]> {
  const { stream, sent, leave } = recorder();
  let at = 0;
  await streamChanges(stream, {
    first: 'a',
    pause: async () => (at === readings.length ? leave.abort() : undefined),
    read: async () => {
      const reading = readings[at++] ?? 'none left';
      if (typeof reading === 'string') return reading;
      throw reading;
    },
    render: (reading) => ({ html: `<p>${reading}</p>`, status: reading }),
  });
  assert.ok(leave.signal.aborted);
  return sent.map(({ event, data }) => (event === 'change' ? (data as { html: string }).html : event));
}

const unavailable = new AppError('ClusterUnavailable', 'cluster: away');

test('what is there at first is sent, then only what changes', async () => {
  assert.deepEqual(await follow(['a', 'b', 'b', 'a']), ['<p>a</p>', '<p>b</p>', '<p>a</p>']);
});

test('a cluster that is away for a while changes nothing', async () => {
  assert.deepEqual(await follow([unavailable, 'a', unavailable, 'b']), ['<p>a</p>', '<p>b</p>']);
});

test('what is gone, or may not be seen any more, ends the stream', async () => {
  assert.deepEqual(await follow([new AppError('NotFound', 'x: gone'), 'b']), ['<p>a</p>', 'gone']);
});

test('an error of our own is not swallowed', async () => {
  await assert.rejects(follow([new AppError('Internal', 'x: a bug')]), /a bug/);
});
