import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { createReadingTurns, type ReadingTurns } from '../../../../src/web/live/reading-turns.ts';
import { SharedReading } from '../../../../src/web/live/shared-reading.ts';
import { eventually } from '../../../support/eventually.ts';

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
  const turns = createReadingTurns({ personMs: 40, allMs: 1 });
  const order: string[] = [];
  const { signal } = new AbortController();
  const read = (person: string) => turns.take(person, signal, async () => void order.push(person));
  const many = Promise.all(Array.from({ length: 5 }, () => read('many')));
  await Promise.all([read('one'), read('other')]);
  assert.deepEqual([order.filter((person) => person === 'many').length, order.length], [1, 3]);
  await many;
  assert.equal(order.length, 7);
});

test('a reading that takes long leaves as much time to others before the next one of that person', async () => {
  const turns = createReadingTurns({ personMs: 1, allMs: 1 });
  const signal = AbortSignal.timeout(5000);
  const times: number[] = [];
  const read = async (): Promise<void> => {
    times.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 30));
    times.push(performance.now());
  };
  await Promise.all([turns.take('p', signal, read), turns.take('p', signal, read)]);
  const [began = 0, ended = 0, next = 0] = times;
  assert.ok(next - ended >= ended - began - 2, `${next - ended} ms after ${ended - began} ms`);
});

test('anybody who leaves while waiting for a turn reads nothing, and holds nobody up', async () => {
  const turns = createReadingTurns({ personMs: 10, allMs: 1 });
  const left = new AbortController();
  let read = 0;
  const first = turns.take('p', AbortSignal.timeout(5000), async () => (read += 1));
  const second = turns.take('p', left.signal, async () => (read += 10));
  left.abort();
  assert.deepEqual([await first, await second], [1, undefined]);
  await turns.take('p', AbortSignal.timeout(5000), async () => (read += 100));
  await eventually(async () => read === 101, 'the others have read');
});
