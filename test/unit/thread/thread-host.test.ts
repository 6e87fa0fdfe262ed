import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ThreadHost } from '../../../src/thread/thread-host.ts';
import { eventually } from '../../support/eventually.ts';
import type { ODD_JOBS } from '../../support/odd-jobs.ts';

const FILE = new URL('../../support/odd-jobs.ts', import.meta.url);
const LONG = { timeoutMs: 30_000 };

describe('a host of threads', () => {
  const host = new ThreadHost<typeof ODD_JOBS>({ file: FILE, memoryMib: 32 });
  after(() => host.end());

  const ends = [
    { title: 'takes too long', job: 'loop', kind: 'Late', timeoutMs: 200 },
    { title: 'takes too much memory', job: 'hoard', kind: 'OutOfMemory', timeoutMs: 60_000 },
    { title: 'comes to the end of its stack', job: 'descend', kind: 'TooDeep', timeoutMs: 30_000 },
    { title: 'has a fault of ours', job: 'fail', kind: 'Died', timeoutMs: 30_000 },
  ] as const;
  for (const { title, job, kind, timeoutMs } of ends) {
    it(`ends the thread of a job that ${title}, and does the next one in another`, async () => {
      assert.equal((await host.run(job, [], { timeoutMs })).kind, kind);
      assert.deepEqual(await host.run('count', [], LONG), { kind: 'Result', result: 1 });
    });
  }

  it('keeps the thread of a job that throws an AppError, which comes with its faults', async () => {
    assert.equal(host.prepare(), 'Kept');
    const faults = [{ field: 'spec.a', message: 'wrong' }];
    await assert.rejects(host.run('reject', [], LONG), { code: 'InvalidInput', message: 'no', faults });
    assert.deepEqual(await host.run('count', [], LONG), { kind: 'Result', result: 2 });
  });

  it('gives the parts of a job in order, and those that came before its thread was ended', async () => {
    const parts: number[] = [];
    const onPart = (part: number): void => void parts.push(part);
    assert.deepEqual(await host.run('countTo', [3, 'end'], { ...LONG, onPart }), { kind: 'Result', result: 'done' });
    assert.deepEqual(await host.run('countTo', [2, 'loop'], { timeoutMs: 500, onPart }), { kind: 'Late' });
    assert.deepEqual(parts, [1, 2, 3, 1, 2]);
  });

  it('ends the thread of a job that nobody waits for any more', async () => {
    const signal = AbortSignal.timeout(200);
    await assert.rejects(host.run('loop', [], { ...LONG, signal }), { name: 'TimeoutError' });
    assert.equal(host.prepare(), 'New');
  });

  it('gives each of two jobs at once a thread, and forgets a thread that nobody needs', async () => {
    const two = new ThreadHost<typeof ODD_JOBS>({ file: FILE, memoryMib: 32, idleMs: 50 });
    const counts = await Promise.all([two.run('count', [], LONG), two.run('count', [], LONG)]);
    assert.deepEqual(counts, [
      { kind: 'Result', result: 1 },
      { kind: 'Result', result: 1 },
    ]);
    await eventually(async () => (two.prepare() === 'New' ? true : undefined), 'the end of the idle thread', 10);
    await two.end();
  });

  it('keeps as many threads as it may for the next jobs at once, and ends those beyond', async () => {
    const many = new ThreadHost<typeof ODD_JOBS>({ file: FILE, memoryMib: 32, idleMs: 60_000, maxIdle: 2 });
    const countThrice = async () => await Promise.all([1, 2, 3].map(async () => await many.run('count', [], LONG)));
    await countThrice();
    const again = (await countThrice()).map((outcome) => (outcome.kind === 'Result' ? String(outcome.result) : outcome.kind));
    assert.deepEqual(again.sort(), ['1', '2', '2']);
    await many.end();
    assert.equal(many.prepare(), 'New');
    await many.end();
  });
});
