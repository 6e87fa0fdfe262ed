import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { messageOf } from '../../../src/domain/core/errors.ts';
import { parseGitAddress, parseGitSecret } from '../../../src/domain/source/git-access.ts';
import type { GitCheckout, GitRequest, GitSource } from '../../../src/domain/source/git-source.ts';
import { createGit } from '../../../src/git/git.ts';
import { createGitPush } from '../../../src/git/push.ts';
import { type GitHost, startGitHost } from '../../support/git-host.ts';
import { type GitSshHost, startGitSshHost } from '../../support/git-ssh-host.ts';

const OPEN = ['127.0.0.0/8', '::1/128'];
let repository: GitHost;
let host: GitSshHost;
let home: string;
let commit: string;

before(async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'chandlery checkouts-'));
  repository = await startGitHost();
  commit = await repository.push({ 'a.yaml': 'a: 1\n' }, { tag: 'v1.0.0' });
  host = await startGitSshHost(repository.root);
});
after(async () => {
  await Promise.all([host.stop(), repository.stop()]);
  await rm(home, { recursive: true, force: true });
});

interface Asked {
  readonly git?: Partial<GitSource>;
  readonly keys?: Readonly<Record<string, string | undefined>>;
  readonly allowEgress?: readonly string[];
  readonly at?: GitSshHost;
}

function requestOf({ git, keys = {}, at = host }: Asked = {}): GitRequest {
  const url = `ssh://git@${at.host}/catalog.git`;
  const texts = Object.entries({ ...at.credentials, ...keys }).filter(([, text]) => text !== undefined);
  const data = Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(text ?? '').toString('base64')]));
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'chandlery-system' }, data };
  return { source: 'test', git: { url, path: '', ...git }, credentials: parseGitSecret(object, url) };
}

async function checkout(asked: Asked = {}): Promise<GitCheckout> {
  const { allowEgress = OPEN } = asked;
  const git = createGit({ homeDir: home, allowEgress, certificateAuthorities: [] });
  return await git.checkout(requestOf(asked), new AbortController().signal);
}

describe('a repository by ssh', () => {
  it('is read with a private key that has a password, and no file of the key stays', async () => {
    const { folder, revision } = await checkout();
    assert.equal(revision, `main@sha1:${commit}`);
    assert.equal(await readFile(join(folder, 'a.yaml'), 'utf8'), 'a: 1\n');
    const kept = await readdir(home, { recursive: true });
    assert.ok(!kept.some((file) => /ssh-|identity|password/.test(file)), kept.join('\n'));
  });

  it('takes a branch, and gives it up again unless somebody has changed it', async () => {
    const git = createGitPush({ homeDir: home, allowEgress: OPEN, certificateAuthorities: [] });
    const [request, signal] = [requestOf(), AbortSignal.timeout(30_000)];
    const person = { name: 'Ada', email: 'ada@example.com' };
    const wanted = { branch: 'chandlery/change-a', message: 'Change a', author: person, committer: person };
    const pushed = await git.push(request, { ...wanted, edit: async () => new Map([['a.yaml', 'a: 2\n']]) }, signal);
    assert.deepEqual([pushed.base, pushed.files], ['main', ['a.yaml']]);
    const branch = { branch: wanted.branch };
    const { folder } = await checkout({ git: { ref: branch } });
    assert.equal(await readFile(join(folder, 'a.yaml'), 'utf8'), 'a: 2\n');
    assert.ok(host.commands.some((command) => command.startsWith('git-receive-pack')));
    await assert.rejects(git.remove(request, { ...branch, commit }, signal), /GitUnavailable|git:/);
    assert.equal((await checkout({ git: { ref: branch } })).revision, `${wanted.branch}@sha1:${pushed.commit}`);
    await git.remove(request, { ...branch, commit: pushed.commit }, signal);
    await assert.rejects(checkout({ git: { ref: branch } }), /it has no heads\/chandlery\/change-a/);
  });

  it('is read at an annotated tag also of a host that knows version 1 of the protocol alone', async () => {
    const old = await startGitSshHost(repository.root, 'VersionOne');
    try {
      assert.equal((await checkout({ at: old, git: { ref: { tag: 'v1.0.0' } } })).revision, `v1.0.0@sha1:${commit}`);
    } finally {
      await old.stop();
    }
  });

  const rejected: readonly { readonly title: string; readonly asked: () => Asked; readonly message: RegExp }[] = [
    {
      title: 'a host that is not in known_hosts',
      asked: () => ({ keys: { known_hosts: 'example.com ssh-ed25519 AAAA' } }),
      message: /known_hosts has no key of this host/,
    },
    {
      title: 'a host with another key than known_hosts has',
      asked: () => ({ keys: { known_hosts: host.otherHostKey } }),
      message: /the host key is another than the one in known_hosts/,
    },
    {
      title: 'a key that the host does not know',
      asked: () => ({ keys: { identity: host.stranger, password: undefined } }),
      message: /the host rejects the private key/,
    },
    {
      title: 'a wrong password of the key',
      asked: () => ({ keys: { password: 'spring tide' } }),
      message: /check the keys identity and password/,
    },
    {
      title: 'a key whose password is missing',
      asked: () => ({ keys: { password: undefined } }),
      message: /check the keys identity and password/,
    },
    {
      title: 'a Secret without known_hosts',
      asked: () => ({ keys: { known_hosts: undefined } }),
      message: /its key "known_hosts" is missing or empty/,
    },
    {
      title: 'a Secret with the public key',
      asked: () => ({ keys: { identity: 'ssh-ed25519 AAAA' } }),
      message: /its key "identity" is missing or no private key/,
    },
    {
      title: 'an address that the egress policy closes',
      asked: () => ({ allowEgress: [] }),
      message: /the egress policy allows no loopback/,
    },
    {
      title: 'a repository that is not there',
      asked: () => ({ git: { url: `ssh://git@${host.host}/other.git` } }),
      message: /there is no repository at this address/,
    },
  ];
  for (const { title, asked, message } of rejected) {
    it(`says what to do about ${title}`, async () => {
      const reported = await checkout(asked()).then(
        () => 'no fault',
        (error: unknown) => messageOf(error),
      );
      assert.match(reported, message);
      assert.ok(!reported.includes('tide') && !reported.includes('PRIVATE'));
    });
  }

  it('is given up when the controller stops, and ssh with it, although the host never answers', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `ssh://git@localhost:${(silent.address() as AddressInfo).port}/catalog.git`;
    const ended = new Promise<void>((resolve) => silent.once('connection', (socket) => socket.on('close', () => resolve()).resume()));
    const stopping = new AbortController();
    silent.once('connection', () => stopping.abort(new Error('stopping')));
    const credentials = { authorities: [], ssh: { key: { reveal: () => host.stranger, toJSON: String }, knownHosts: host.otherHostKey } };
    const git = createGit({ homeDir: home, allowEgress: OPEN, certificateAuthorities: [] });
    await assert.rejects(git.checkout({ source: 'silent', git: { url, path: '' }, credentials }, stopping.signal), /stopping/);
    await ended;
    await new Promise((resolve) => silent.close(resolve));
  });

  it('has an address that neither a shell nor ssh takes for anything else', () => {
    assert.deepEqual(parseGitAddress('git@git.example.com:team/catalog.git'), { scheme: 'ssh', host: 'git.example.com', port: 22 });
    assert.deepEqual(parseGitAddress('ssh://git@[2001:db8::1]:2222/catalog.git'), { scheme: 'ssh', host: '2001:db8::1', port: 2222 });
    for (const url of [
      'ssh://-oProxyCommand=touch@host/catalog.git',
      'ssh://-oProxyCommand=touch/catalog.git',
      '-oProxyCommand=touch@host:catalog.git',
      'git@-oProxyCommand=touch:catalog.git',
      'git@host:-upload-pack',
      'git@host$(touch x):catalog.git',
      'ssh://git@host/catalog.git\nProxyCommand touch',
      'ssh://git:password@host/catalog.git',
      'ext::sh -c touch',
      'file:///etc',
      '/etc',
      'http://host/catalog.git',
    ])
      assert.equal(parseGitAddress(url), undefined, url);
  });
});
