import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { watchFolder } from '../../../src/folder/watch-folder.ts';
import { eventually } from '../../support/eventually.ts';

describe('watching the catalogue folder', () => {
  it('reports a new file, a change, an atomic save, a removal and a file below', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-watch-'));
    const watching = await startWatching(t, folder);
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
    const watching = await startWatching(t, join(outer, 'later'));
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

/** Stops with the test, also with one that fails: a watch keeps the process. What is there when it begins has been reported. */
async function startWatching(t: TestContext, folder: string): Promise<Watching> {
  const stopping = new AbortController();
  let reports = 0;
  const done = watchFolder(folder, () => void (reports += 1), stopping.signal);
  t.after(() => stopping.abort());
  const expectChange: Watching['expectChange'] = async (change) => {
    const before = reports;
    await change();
    await eventually(() => Promise.resolve(reports > before), 'the change is reported');
  };
  await expectChange(() => Promise.resolve());
  return {
    expectChange,
    stop: async () => {
      stopping.abort();
      await done;
      assert.ok(stopping.signal.aborted);
    },
  };
}
