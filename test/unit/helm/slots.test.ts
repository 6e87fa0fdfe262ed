import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from '../../../src/helm/slots.ts';

const never = new AbortController().signal;

test('no more tasks run at once than there are slots, and the others follow in order', async () => {
  const slots = createSlots({ size: 2 });
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
  const slots = createSlots({ size: 1 });
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

test('a task that runs for long mostly waits, so another one computes beside it, and gives its slot back once', async () => {
  const timers: (() => void)[] = [];
  const after = (_milliseconds: number, call: () => void) => {
    timers.push(call);
    return () => undefined;
  };
  const slots = createSlots({ size: 2, computing: 1, after });
  const [hook, next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const started: string[] = [];
  const run = async (name: string, until: Promise<void>): Promise<void> =>
    await slots.run(async () => {
      started.push(name);
      await until;
    }, never);
  const waits = run('waits for a hook', hook.promise);
  const others = [run('second', next.promise), run('third', next.promise)];
  await new Promise(setImmediate);
  assert.deepEqual(started, ['waits for a hook']);
  timers[0]?.();
  await new Promise(setImmediate);
  assert.deepEqual(started, ['waits for a hook', 'second']);
  hook.resolve();
  await waits;
  await new Promise(setImmediate);
  assert.deepEqual(started, ['waits for a hook', 'second'], 'the second computes');
  next.resolve();
  await Promise.all(others);
  assert.deepEqual(started, ['waits for a hook', 'second', 'third']);
});
