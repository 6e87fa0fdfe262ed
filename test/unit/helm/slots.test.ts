import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from '../../../src/helm/slots.ts';

const never = new AbortController().signal;

test('no more tasks run at once than there are slots, and the others follow in order', async () => {
  const slots = createSlots(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const tasks = [0, 1, 2, 3].map((index) =>
    slots.run(async () => {
      started.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
    }, never),
  );
  const flushPromises = () => new Promise(setImmediate);
  await flushPromises();
  assert.deepEqual(started, [0, 1]);
  ends[1]?.();
  await flushPromises();
  assert.deepEqual(started, [0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await flushPromises();
  ends[3]?.();
  await Promise.all(tasks);
  assert.deepEqual(started, [0, 1, 2, 3]);
});

test('a task that fails frees its slot, and one that is given up while waiting never runs', async () => {
  const slots = createSlots(1);
  const giveUp = new AbortController();
  let end = () => {};
  const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)), never);
  const waiting = slots.run(() => Promise.reject(new Error('must not run')), giveUp.signal);
  giveUp.abort(new Error('given up'));
  await assert.rejects(waiting, /given up/);
  end();
  await first;
  await assert.rejects(
    slots.run(() => Promise.reject(new Error('failed')), never),
    /failed/,
  );
  assert.equal(await slots.run(() => Promise.resolve('next'), never), 'next');
});
