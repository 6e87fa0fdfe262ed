import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packBatches } from '../../runner/batches.ts';
import { shuffled } from '../../runner/shuffled.ts';

const names = (batches: ReturnType<typeof packBatches>): string[][] => batches.map(({ files }) => files.map(({ path }) => path));

describe('batches of test files', () => {
  it('hold files of one folder and world up to their bound, and come longest first', () => {
    const files = ['a', 'b', 'c'].map((name) => ({ path: `test/cluster/${name}.test.ts`, world: 'cluster' as const }));
    const other = { path: 'test/web/d.test.ts' };
    const recorded = { 'test/cluster/a.test.ts': 20, 'test/cluster/b.test.ts': 3, 'test/cluster/c.test.ts': 2, 'test/web/d.test.ts': 9 };
    assert.deepEqual(names(packBatches([...files, other], recorded)), [
      ['test/cluster/a.test.ts', 'test/cluster/b.test.ts'],
      ['test/web/d.test.ts'],
      ['test/cluster/c.test.ts'],
    ]);
  });

  it('leave a file that runs alone by itself', () => {
    const [a, b] = [{ path: 'test/web/a.test.ts', alone: 'it counts calls' }, { path: 'test/web/b.test.ts' }];
    const batches = packBatches([a, b], {});
    assert.deepEqual(names(batches), [['test/web/a.test.ts'], ['test/web/b.test.ts']]);
    assert.deepEqual(
      batches.map(({ alone }) => alone),
      [true, false],
    );
  });
});

describe('a random order', () => {
  it('is the same for the same seed, and holds each item once', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    assert.deepEqual(shuffled(items, '1'), shuffled(items, '1'));
    assert.notDeepEqual(shuffled(items, '1'), shuffled(items, '2'));
    assert.deepEqual(
      shuffled(items, '1').toSorted((a, b) => a - b),
      items,
    );
  });
});
