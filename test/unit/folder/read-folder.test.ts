import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type FolderContent, readFolder } from '../../../src/folder/read-folder.ts';

describe('reading the catalogue folder', () => {
  let outer: string;
  let folder: string;
  before(async () => {
    outer = await mkdtemp(join(tmpdir(), 'chandlery-folder-'));
    folder = join(outer, 'catalog');
    await mkdir(join(folder, 'sub', '.git'), { recursive: true });
    await Promise.all([
      writeFile(join(folder, 'b.yaml'), 'b'),
      writeFile(join(folder, 'a.yml'), 'a'),
      writeFile(join(folder, 'sub', 'c.yaml'), 'c'),
      writeFile(join(folder, 'README.md'), 'words'),
      writeFile(join(folder, '.b.yaml.swp'), 'x'),
      writeFile(join(folder, '.hidden.yaml'), 'x'),
      writeFile(join(folder, 'b.yaml~'), 'x'),
      writeFile(join(folder, 'sub', '.git', 'd.yaml'), 'x'),
      writeFile(join(folder, 'large.yaml'), 'x'.repeat(1024 * 1024 + 1)),
      writeFile(join(folder, 'latin.yaml'), Buffer.from([0x61, 0xe9, 0x62])),
      writeFile(join(folder, 'wide.yaml'), Buffer.from('\ufeffkind: A\n', 'utf16le')),
      writeFile(join(outer, 'secret.yaml'), 'x'),
    ]);
    await symlink(join(outer, 'secret.yaml'), join(folder, 'link.yaml'));
    await symlink(join(folder, 'b.yaml'), join(folder, 'inner.yaml'));
  });
  after(() => rm(outer, { recursive: true }));

  it('takes YAML files and those below, in order, and leaves what editors and git put beside them', async () => {
    const content = await read(folder);
    assert.deepEqual(
      content.files.map(({ file, text }) => `${file}=${text}`),
      ['a.yml=a', 'b.yaml=b', 'inner.yaml=b', 'sub/c.yaml=c'],
    );
  });

  it('names links that lead out, files that are too large and files that are not text, and reads none of them', async () => {
    const { faults } = await read(folder);
    assert.deepEqual(
      faults.map(({ file }) => file),
      ['large.yaml', 'latin.yaml', 'link.yaml', 'wide.yaml'],
    );
    assert.match(faults[0]?.message ?? '', /1048577 bytes/);
    assert.match(faults[1]?.message ?? '', /UTF-8/);
    assert.match(faults[2]?.message ?? '', /leads out/);
    assert.match(faults[3]?.message ?? '', /UTF-16 text: save it as UTF-8/);
  });

  it('neither waits for a pipe nor passes over a link to nothing', { timeout: 10_000 }, async () => {
    const odd = join(outer, 'odd');
    await mkdir(odd);
    await promisify(execFile)('mkfifo', [join(odd, 'pipe.yaml')]);
    await symlink(join(odd, 'gone.yaml'), join(odd, 'dangling.yaml'));
    const { files, faults } = await read(odd);
    assert.deepEqual(files, []);
    assert.deepEqual(
      faults.map(({ file }) => file),
      ['dangling.yaml', 'pipe.yaml'],
    );
    assert.match(faults[0]?.message ?? '', /broken link/);
    assert.match(faults[1]?.message ?? '', /not a regular file/);
  });

  it('has the same revision until a file changes', async () => {
    const first = await read(folder);
    assert.equal((await read(folder)).revision, first.revision);
    await writeFile(join(folder, 'b.yaml'), 'B');
    assert.notEqual((await read(folder)).revision, first.revision);
  });

  it('says so when there is no folder', async () => {
    assert.deepEqual(await readFolder(join(outer, 'nowhere')), { kind: 'Vanished', why: 'it does not exist' });
    assert.deepEqual(await readFolder(join(outer, 'secret.yaml')), { kind: 'Vanished', why: 'it is not a folder' });
  });
});

async function read(path: string): Promise<Extract<FolderContent, { kind: 'Read' }>> {
  const content = await readFolder(path);
  assert.equal(content.kind, 'Read');
  return content;
}
