import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FairQueue } from '../../../../src/domain/core/fair-queue.ts';

const FOREVER = new AbortController().signal;

describe('a queue of what people ask for', () => {
  const setUp = (bounds = { what: 'check', all: 2, perPerson: 1, waiting: 3 }) => {
    const queue = new FairQueue(bounds);
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const run = async (user: string, signal = FOREVER): Promise<void> =>
      await queue.run(user, signal, async () => {
        order.push(user);
        await new Promise<void>((resolve) => gates.push(resolve));
      });
    const finish = async (): Promise<void> => {
      gates.shift()?.();
      await turn();
    };
    return { run, order, finish };
  };

  it('lets people take turns, however much one of them asks for', async () => {
    const { run, order, finish } = setUp();
    const all = [run('many'), run('many'), run('many'), run('one'), run('other'), run('other')];
    await turn();
    assert.deepEqual(order, ['many', 'one']);
    for (let n = 0; n < 6; n += 1) await finish();
    await Promise.all(all);
    assert.deepEqual(order, ['many', 'one', 'many', 'other', 'many', 'other']);
  });

  it('rejects what is too much of one person, and that takes nobody a place', async () => {
    const { run, order, finish } = setUp();
    const accepted = [run('many'), run('many'), run('many'), run('many')];
    for (let n = 0; n < 100; n += 1) await assert.rejects(run('many'), { code: 'LimitReached' });
    accepted.push(run('one'));
    await turn();
    assert.deepEqual(order, ['many', 'one']);
    for (let n = 0; n < 5; n += 1) await finish();
    await Promise.all(accepted);
  });

  it('goes on after a task that fails, and after one that is given up while it waits', async () => {
    const queue = new FairQueue({ what: 'check', all: 1, perPerson: 1, waiting: 3 });
    const gate = Promise.withResolvers<void>();
    const first = queue.run('p', FOREVER, async () => {
      await gate.promise;
      throw new Error('away');
    });
    const leave = new AbortController();
    const second = queue.run('p', leave.signal, async () => 'never');
    leave.abort();
    await assert.rejects(second, { code: 'TooBusy' });
    const third = queue.run('q', FOREVER, async () => 'done');
    gate.resolve();
    await assert.rejects(first, /away/);
    assert.equal(await third, 'done');
  });
});
