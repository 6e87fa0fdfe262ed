import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { createReadingTurns, type Pace, type ReadingTurns } from '../../../../src/web/live/reading-turns.ts';
import { SharedReading } from '../../../../src/web/live/shared-reading.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';

const ACTOR = { user: 'oidc:dev-a', groups: ['oidc:team-a'] };
const AT_ONCE: ReadingTurns = { take: async (_person, _signal, read) => await read() };

/** Reads the given values one after the other; the answer is what a watcher is reported until there are none left, or the end. */
async function follow(readings: readonly (string | AppError)[]): Promise<readonly string[]> {
  const reported: string[] = [];
  let at = 0;
  const over = Promise.withResolvers<void>();
  const read = async (): Promise<string> => {
    const reading = readings[Math.min(at, readings.length - 1)] ?? '';
    at += 1;
    if (at > readings.length) over.resolve();
    if (typeof reading === 'string') return reading;
    throw reading;
  };
  const thing = { key: 'x', intervalMs: 1, reader: () => read, render: (value: unknown) => ({ html: String(value), status: '' }) };
  const shared = new SharedReading(thing, ACTOR, { turns: AT_ONCE, ended: over.resolve });
  const leave = await shared.join(() => ({
    change: ({ html }) => reported.push(html),
    gone: () => reported.push('gone'),
    fail: (error) => reported.push(String(error)),
  }));
  await over.promise;
  leave();
  return reported;
}

const unavailable = new AppError('ClusterUnavailable', 'cluster: away');

test('what is there at first is sent, then only what changes', async () => {
  assert.deepEqual(await follow(['a', 'a', 'b', 'b', 'a']), ['a', 'b', 'a']);
});

test('a cluster that is away for a while changes nothing', async () => {
  assert.deepEqual(await follow(['a', unavailable, 'a', unavailable, 'b']), ['a', 'b']);
});

test('what is gone, or may not be seen any more, ends the readings', async () => {
  assert.deepEqual(await follow(['a', new AppError('NotFound', 'x: gone'), 'b']), ['a', 'gone']);
  assert.deepEqual(await follow(['a', new AppError('Forbidden', 'x: no'), 'b']), ['a', 'gone']);
});

test('an error of our own is not swallowed', async () => {
  assert.match((await follow(['a', new AppError('Internal', 'x: a bug')])).join(' '), /a bug/);
});

test('what cannot be read at first is the answer to anybody who asks', async () => {
  await assert.rejects(follow([new AppError('NotFound', 'x: there is none')]), /there is none/);
});

test('readings of one person come one after another, and do not hold back those of another', async () => {
  const { clock, turns } = startTurns({ personMs: 40, allMs: 1 });
  const order: [string, number][] = [];
  const { signal } = new AbortController();
  for (const person of ['many', 'many', 'many', 'one', 'other']) {
    void turns.take(person, signal, async () => void order.push([person, clock.now()]));
  }
  await clock.advance(1_000);
  assert.deepEqual(order, [
    ['many', 0],
    ['one', 1],
    ['other', 2],
    ['many', 40],
    ['many', 80],
  ]);
});

for (const [took, pause] of [
  [30, 30],
  [20_000, 5_000],
] as const) {
  test(`a reading that takes ${took} ms leaves ${pause} ms to others before the next one of that person`, async () => {
    const { clock, turns } = startTurns({ personMs: 1, allMs: 1 });
    const { signal } = new AbortController();
    const begun: number[] = [];
    const read = async (): Promise<void> => {
      begun.push(clock.now());
      await new Promise<void>((resolve) => clock.after(took, resolve));
    };
    void turns.take('p', signal, read);
    void turns.take('p', signal, read);
    await clock.advance(60_000);
    assert.deepEqual(begun, [0, took + pause]);
  });
}

test('anybody who leaves while waiting for a turn reads nothing, and holds nobody up', async () => {
  const { clock, turns } = startTurns({ personMs: 10, allMs: 1 });
  const { signal } = new AbortController();
  const left = new AbortController();
  const read: string[] = [];
  for (const [name, of] of [
    ['first', signal],
    ['second', left.signal],
    ['third', signal],
  ] as const) {
    void turns.take('p', of, async () => void read.push(name));
  }
  left.abort();
  await clock.advance(10);
  assert.deepEqual(read, ['first', 'third']);
});

function startTurns(pace: Pace): { readonly clock: FakeClock; readonly turns: ReadingTurns } {
  const clock = createFakeClock();
  const pause = async (milliseconds: number): Promise<void> => {
    if (milliseconds > 0) await new Promise<void>((resolve) => clock.after(milliseconds, resolve));
  };
  return { clock, turns: createReadingTurns(pace, { now: clock.now, pause }) };
}
