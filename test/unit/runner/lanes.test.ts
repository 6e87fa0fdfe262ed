import assert from 'node:assert/strict';
import { it, describe } from 'node:test';
import { runInLanes, type Task } from '../../runner/lanes.ts';

interface Run {
  readonly tasks: readonly Task[];
  /** What ran together, each time something began. */
  readonly together: string[][];
}

/** Tasks that end when three more have had the chance to begin. */
function tasksOf(specs: readonly (Partial<Task> & { readonly name: string })[]): Run {
  const together: string[][] = [];
  const running = new Set<string>();
  const tasks = specs.map((spec) => ({
    alone: false,
    ready: Promise.resolve(),
    run: async () => {
      running.add(spec.name);
      together.push([...running].toSorted());
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      running.delete(spec.name);
    },
    ...spec,
  }));
  return { tasks, together };
}

describe('lanes', () => {
  it('run as many tasks as there are lanes, in their order', async () => {
    const { tasks, together } = tasksOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    await runInLanes(tasks, 2);
    assert.deepEqual(together.slice(0, 2), [['a'], ['a', 'b']]);
    assert.ok(together.every((names) => names.length <= 2));
    assert.equal(together.length, 3);
  });

  it('leave out what is not ready without waiting for it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { tasks, together } = tasksOf([{ name: 'late', ready: promise }, { name: 'a' }]);
    const done = runInLanes(tasks, 1);
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    assert.deepEqual(together, [['a']]);
    resolve();
    await done;
    assert.deepEqual(together, [['a'], ['late']]);
  });

  it('run a task that is alone after all others of its world, and beside those of another', async () => {
    const { tasks, together } = tasksOf([
      { name: 'alone', alone: true, world: 'product' },
      { name: 'product', world: 'product' },
      { name: 'cluster', world: 'cluster' },
    ]);
    await runInLanes(tasks, 3);
    assert.deepEqual(together[0], ['product']);
    assert.ok(together.every((names) => !(names.includes('alone') && names.includes('product'))));
    assert.equal(together.length, 3);
  });

  it('run a task that is alone and of no world beside no other', async () => {
    const { tasks, together } = tasksOf([{ name: 'alone', alone: true }, { name: 'a' }, { name: 'b', world: 'product' }]);
    await runInLanes(tasks, 3);
    assert.deepEqual(together.at(-1), ['alone']);
  });
});
