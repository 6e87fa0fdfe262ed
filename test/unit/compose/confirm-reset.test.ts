import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { confirmReset } from '../../../src/compose/confirm-reset.ts';
import { parseConfig } from '../../../src/config.ts';
import { claimStateFolder } from '../../../src/embedded/cluster/state-folder.ts';

describe('--reset', () => {
  let parent: string;
  let stateDir: string;
  before(async () => {
    parent = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-reset-'));
  });
  beforeEach(async () => {
    stateDir = await mkdtemp(join(parent, 'state-'));
    await (await claimStateFolder(stateDir)).release();
    await mkdir(join(stateDir, 'etcd'));
    await writeFile(join(stateDir, 'store.json'), '{}');
  });
  after(async () => await rm(parent, { recursive: true, force: true }));

  /** The lines that are printed and asked, and whether the start goes on. */
  async function reset(options: readonly string[], answer?: 'yes' | 'no'): Promise<{ readonly lines: string; readonly goesOn: boolean }> {
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    const confirm = async (question: string): Promise<boolean> => {
      note(question);
      return answer === 'yes';
    };
    const dialog = answer === undefined ? { note } : { note, confirm };
    const goesOn = await confirmReset({ config: parseConfig(options, {}), stateDir, dialog }).then(
      () => true,
      (error: unknown) => {
        assert.match(String(error), /you did not confirm: nothing was deleted/);
        return false;
      },
    );
    return { lines: lines.join('\n'), goesOn };
  }

  it('names the folder and what it deletes, and asks at a terminal', async () => {
    const { lines, goesOn } = await reset(['--reset'], 'no');
    assert.equal(goesOn, false);
    assert.ok(lines.startsWith(`--reset deletes the content of the state folder ${stateDir}:\n  etcd, store.json\n`), lines);
    assert.match(lines, /all its resources, instances and releases are deleted\.\nDelete them\? \[y\/N\] $/);
    assert.deepEqual((await readdir(stateDir)).toSorted(), ['.chandlery-state', 'etcd', 'lock', 'store.json']);
    assert.equal((await reset(['--reset'], 'yes')).goesOn, true);
  });

  it('asks nobody with --yes and without a terminal, but says what it deletes', async () => {
    for (const result of [await reset(['--reset', '--yes'], 'no'), await reset(['--reset'])]) {
      assert.equal(result.goesOn, true);
      assert.match(result.lines, /^--reset deletes/);
      assert.doesNotMatch(result.lines, /y\/N/);
    }
  });

  it('says that the resources of a cluster of yours stay', async () => {
    assert.match((await reset(['--reset', '--context', 'kind'])).lines, /The resources of your own cluster stay as they are\.$/);
  });

  it('says nothing where there is nothing to delete, or no reset', async () => {
    assert.deepEqual(await reset([], 'no'), { lines: '', goesOn: true });
    await rm(stateDir, { recursive: true });
    assert.deepEqual(await reset(['--reset'], 'no'), { lines: '', goesOn: true });
    await mkdir(stateDir);
    await writeFile(join(stateDir, 'thesis.txt'), 'years of work');
    assert.deepEqual(await reset(['--reset'], 'no'), { lines: '', goesOn: true });
  });
});
