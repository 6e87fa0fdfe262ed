import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SlowKeys, WorkQueue } from '../../../src/controller/queue.ts';
import { createFakeClock, flushPromises } from '../../support/fake-clock.ts';

/** A queue whose work lasts until the test ends it. */
function heldQueue(workers: number, restMs = 0, slow?: SlowKeys) {
  const clock = createFakeClock();
  const started: string[] = [];
  const held: (() => void)[] = [];
  const work = (key: string): Promise<void> => {
    started.push(key);
    return new Promise((resolve) => held.push(resolve));
  };
  const end = async (): Promise<void> => {
    held.shift()?.();
    await flushPromises();
  };
  const options = { workers, clock, work, restMs, ...(slow === undefined ? {} : { slow }) };
  return { queue: new WorkQueue(options), clock, started, end };
}

describe('a queue', () => {
  test('works on as many keys at a time as it has workers', async () => {
    const { queue, started, end } = heldQueue(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    assert.deepEqual([started, queue.waiting, queue.active], [['a', 'b'], 1, 2]);
    await end();
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  test('holds a key once, however often it is asked for', () => {
    const { queue, started } = heldQueue(1);
    for (const key of ['a', 'b', 'b', 'b']) queue.add(key);
    assert.deepEqual([started, queue.waiting], [['a'], 1]);
  });

  test('takes a key that changed during its work up again afterwards, never beside it', async () => {
    const { queue, started, end } = heldQueue(4);
    queue.add('a');
    queue.add('a');
    queue.add('a');
    assert.deepEqual(started, ['a']);
    await end();
    assert.deepEqual(started, ['a', 'a']);
    await end();
    assert.deepEqual([started.length, queue.active], [2, 0]);
  });

  test('lets a key rest after its work: what is added until then comes together, and what was asked for later in its time', async () => {
    const { queue, clock, started, end } = heldQueue(2, 500);
    queue.add('a');
    queue.add('a');
    await end();
    queue.add('a');
    queue.add('b');
    assert.deepEqual(started, ['a', 'b']);
    await clock.advance(499);
    assert.deepEqual(started, ['a', 'b']);
    await clock.advance(1);
    assert.deepEqual(started, ['a', 'b', 'a']);
    await end();
    await end();
    queue.addAfter('a', 0);
    await clock.advance(0);
    assert.deepEqual(started, ['a', 'b', 'a', 'a']);
    await end();
    await clock.advance(500);
    queue.add('a');
    assert.equal(started.length, 5);
  });

  test('a key that waits behind its own work does not keep others waiting', () => {
    const { queue, started } = heldQueue(2);
    for (const key of ['a', 'a', 'b']) queue.add(key);
    assert.deepEqual(started, ['a', 'b']);
  });

  test('a key whose work takes long takes no worker any more, so many at most, and is not worked on twice', async () => {
    const { queue, clock, started, end } = heldQueue(1, 0, { afterMs: 2_000, max: 1 });
    for (const key of ['slow', 'b', 'c', 'slow']) queue.add(key);
    assert.deepEqual(started, ['slow']);
    await clock.advance(2_000);
    assert.deepEqual(started, ['slow', 'b']);
    await clock.advance(2_000);
    assert.deepEqual(started, ['slow', 'b'], 'the second one that takes long has the worker');
    await end();
    assert.deepEqual(started, ['slow', 'b', 'c'], 'the second one takes the place of the first');
    await end();
    await end();
    assert.deepEqual(started, ['slow', 'b', 'c', 'slow']);
  });

  test('a key that waits for somebody outside lends its worker, and goes on before those that have not begun', async () => {
    const happened: string[] = [];
    const [outside, inside] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const queue = new WorkQueue({
      workers: 1,
      clock: createFakeClock(),
      work: async (key, worker) => {
        happened.push(`${key} begins`);
        if (key === 'slow') await Promise.all([worker.lend(() => outside.promise), worker.lend(() => outside.promise)]);
        if (key === 'quick') await inside.promise;
        happened.push(`${key} ends`);
      },
    });
    for (const key of ['slow', 'quick', 'slow', 'last']) queue.add(key);
    await flushPromises();
    assert.deepEqual([happened, queue.active], [['slow begins', 'quick begins'], 2]);
    outside.resolve();
    await flushPromises();
    assert.deepEqual(happened, ['slow begins', 'quick begins']);
    inside.resolve();
    await flushPromises();
    const after = ['slow ends', 'slow begins', 'last begins', 'last ends', 'slow ends'];
    assert.deepEqual(happened, ['slow begins', 'quick begins', 'quick ends', ...after]);
    assert.equal(queue.active, 0);
  });

  test('of several times asked for, the earliest counts', async () => {
    const { queue, started, clock } = heldQueue(1);
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    await clock.advance(99);
    assert.deepEqual(started, []);
    await clock.advance(1);
    assert.deepEqual(started, ['a']);
    await clock.advance(1_000);
    assert.deepEqual([started, queue.waiting], [['a'], 0]);
  });

  test('asking now makes asking later unnecessary', async () => {
    const { queue, started, clock, end } = heldQueue(1);
    queue.addAfter('a', 100);
    queue.add('a');
    await end();
    await clock.advance(1_000);
    assert.deepEqual(started, ['a']);
  });

  test('once stopped, it ends what runs and starts nothing more', async () => {
    const { queue, started, clock, end } = heldQueue(1);
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    const stopped = queue.stop();
    queue.add('d');
    await end();
    await stopped;
    await clock.advance(100);
    assert.deepEqual(started, ['a']);
  });
});
