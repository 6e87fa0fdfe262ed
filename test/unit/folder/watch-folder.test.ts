import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { watchFolder } from '../../../src/folder/watch-folder.ts';

describe('watching the catalogue folder', () => {
  it('reports a new file, a change, an atomic save, a removal and a file below, each within two seconds', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-watch-'));
    const watching = startWatching(t, folder);
    await watching.expectChange(() => writeFile(join(folder, 'a.yaml'), 'a'));
    await watching.expectChange(() => writeFile(join(folder, 'a.yaml'), 'b'));
    await watching.expectChange(async () => {
      await writeFile(join(folder, '.a.yaml.swp'), 'c');
      await rename(join(folder, '.a.yaml.swp'), join(folder, 'a.yaml'));
    });
    await watching.expectChange(() => rm(join(folder, 'a.yaml')));
    await watching.expectChange(async () => {
      await mkdir(join(folder, 'sub'));
      await writeFile(join(folder, 'sub', 'b.yaml'), 'b');
    });
    await watching.stop();
    await rm(folder, { recursive: true });
  });

  it('reports a folder that appears later', async (t) => {
    const outer = await mkdtemp(join(tmpdir(), 'chandlery-watch-'));
    const watching = startWatching(t, join(outer, 'later'));
    await watching.expectChange(async () => {
      await mkdir(join(outer, 'later'));
      await writeFile(join(outer, 'later', 'a.yaml'), 'a');
    });
    await watching.stop();
    await rm(outer, { recursive: true });
  });
});

interface Watching {
  readonly expectChange: (change: () => Promise<unknown>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Stops with the test, also with one that fails: a watch keeps the process. */
function startWatching(t: TestContext, folder: string): Watching {
  const stopping = new AbortController();
  let onChange = (): void => {};
  const done = watchFolder(folder, () => onChange(), stopping.signal);
  t.after(() => stopping.abort());
  return {
    expectChange: async (change) => {
      const reported = Promise.withResolvers<void>();
      onChange = reported.resolve;
      const timer = setTimeout(() => reported.reject(new Error('no change was reported within two seconds')), 2_000);
      await change();
      await reported.promise;
      clearTimeout(timer);
    },
    stop: async () => {
      stopping.abort();
      await done;
      assert.ok(stopping.signal.aborted);
    },
  };
}
