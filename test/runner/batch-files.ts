import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { after, before, describe } from 'node:test';
import { takeWaits } from '../support/waits.ts';
import { leftBehind, runningChildren } from './children.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { measured } from './measured.ts';

// Loads the files of a batch, each as a suite: its hooks are those of its own tests. Hooks and tests find their suite only while that is being made, which
// is why the files are required: the body of an imported module runs later.

const require = createRequire(import.meta.url);

for (const path of (process.env['CHANDLERY_TEST_FILES'] ?? '').split(' ')) {
  describe(path, () => {
    let begin = { wall: 0, cpu: 0 };
    let children: ReadonlySet<number> = new Set();
    before(() => {
      begin = { wall: performance.now(), cpu: cpuSeconds() };
      children = runningChildren();
    });
    require(resolve(path));
    after(async () => {
      measured.set(path, { wall: (performance.now() - begin.wall) / 1_000, cpu: cpuSeconds() - begin.cpu, waits: takeWaits() });
      const left = await leftBehind(children);
      if (left.length > 0) throw new Error(`${path} left processes behind:\n${left.join('\n')}`);
    });
  });
}
