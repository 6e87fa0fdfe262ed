import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { createGit, type Git } from '../../../src/git/git.ts';
import { credentialsOf, type GitHost, startGitHost } from '../../support/git-host.ts';

const MAX_BYTES = 512 * 1024;
const { signal } = new AbortController();
let host: GitHost;
let home: string;
let git: Git;

describe('a repository that is larger than the quota', () => {
  /** Files that do not compress. */
  const large = (): Record<string, string> => ({ 'media/film': randomBytes(MAX_BYTES).toString('base64') });
  const checkout = async (path: string) =>
    await git.checkout({ source: 'large', git: { url: host.url, path }, credentials: credentialsOf(host) }, signal);
  const allowFilter = async (value: string): Promise<void> => {
    await execa('git', ['--git-dir', join(host.root, 'catalog.git'), 'config', 'uploadpack.allowFilter', value]);
  };

  before(async () => {
    host = await startGitHost();
    home = await mkdtemp(join(tmpdir(), 'chandlery-partial-'));
    git = createGit({ homeDir: home, allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [], maxBytes: MAX_BYTES });
  });
  after(async () => {
    await host.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('is rejected with what would help, where the host cannot leave files out', async () => {
    await host.push({ ...large(), 'catalog/a.yaml': 'a: 1' });
    await allowFilter('false');
    await assert.rejects(
      checkout('catalog'),
      /a revision may have 200 MiB.* if the host offers partial clones \(uploadpack\.allowFilter\)/,
    );
  });

  it('gives the folder of a source and nothing else, commit after commit', async () => {
    await allowFilter('true');
    const first = await checkout('catalog');
    assert.deepEqual(await readdir(first.folder), ['a.yaml']);
    const commit = await host.push({ ...large(), 'catalog/a.yaml': 'a: 2', 'catalog/deep/b.yaml': 'b: 1' });
    const second = await checkout('catalog');
    assert.equal(second.revision, `main@sha1:${commit}`);
    assert.equal(await readFile(join(second.folder, 'a.yaml'), 'utf8'), 'a: 2');
    assert.equal(await readFile(join(second.folder, 'deep', 'b.yaml'), 'utf8'), 'b: 1');
    const before = host.fetches();
    assert.deepEqual(await checkout('catalog'), second);
    assert.equal(host.fetches(), before, 'a commit that is there is not fetched again');
  });

  it('is rejected where the folder itself is larger', async () => {
    await assert.rejects(checkout('media'), /a revision may have 200 MiB/);
  });

  it('has no folder of a name that it does not have', async () => {
    await assert.rejects(checkout('elsewhere'), /has no folder "elsewhere"/);
  });
});
