import assert from 'node:assert/strict';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { createMessage, generateKey, type PrivateKey, sign } from 'openpgp';
import { parseGitVerifySecret } from '../../../src/domain/source/git-access.ts';
import type { GitCheckout, GitSource } from '../../../src/domain/source/git-source.ts';
import { createGit } from '../../../src/git/git.ts';
import { credentialsOf, type GitHost, startGitHost } from '../../support/git-host.ts';
import { makeKey } from '../../support/git-ssh-host.ts';

// Runs in test:all: test/cluster/source-git.test.ts verifies signed commits in npm test.

type SshKey = Awaited<ReturnType<typeof makeKey>>;

let host: GitHost;
let home: string;
let ada: SshKey;
let eve: SshKey;
let pgp: { readonly privateKey: PrivateKey; readonly publicKey: string; readonly fingerprint: string };

before(async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-signed-'));
  host = await startGitHost();
  [ada, eve] = await Promise.all([makeKey(home, 'ada'), makeKey(home, 'eve')]);
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'Ada', email: 'ada@example.com' }], format: 'object' });
  pgp = { privateKey, publicKey: publicKey.armor(), fingerprint: publicKey.getFingerprint().toUpperCase() };
});
after(async () => {
  await host.stop();
  await rm(home, { recursive: true, force: true });
});

async function checkout(keys: Readonly<Record<string, string>>, ref?: GitSource['ref']): Promise<GitCheckout> {
  const data = Object.fromEntries(Object.entries(keys).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const metadata = { name: 'signers', namespace: 'chandlery-system' };
  const verification = parseGitVerifySecret({ apiVersion: 'v1', kind: 'Secret', metadata, data });
  const reader = createGit({ homeDir: join(home, 'git'), allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [] });
  const request = {
    source: 'signed',
    git: { url: host.url, path: '', ...(ref === undefined ? {} : { ref }) },
    credentials: credentialsOf(host),
    verification,
  };
  return await reader.checkout(request, new AbortController().signal);
}

async function bare(args: readonly string[], input: string | Buffer = ''): Promise<string> {
  return (await execa('git', ['--git-dir', join(host.root, 'catalog.git'), ...args], { input, stripFinalNewline: false })).stdout;
}

/** Signs what the branch names with OpenPGP, as gpg does for git, after a change of what is signed or of the rest. */
async function signAs(key: PrivateKey, change: (commit: string) => string = (commit) => commit, date = new Date()): Promise<void> {
  const payload = await bare(['cat-file', 'commit', 'main']);
  const signature = await sign({ message: await createMessage({ text: payload }), signingKeys: key, detached: true, date });
  const header = `gpgsig ${signature.trim().replaceAll('\r', '').replaceAll('\n', '\n ')}\n`;
  const object = change(payload.replace('\n\n', () => `\n${header}\n`));
  await bare(['update-ref', 'refs/heads/main', (await bare(['hash-object', '-t', 'commit', '-w', '--stdin'], object)).trim()]);
}

describe('a revision with a policy of signatures', () => {
  it('is read when an allowed ssh key has signed its commit, and says who', async () => {
    await host.push({ 'a.yaml': 'a: 1\n' }, { signCommit: ada.file });
    const { commit } = await checkout({ 'ada.pub': ada.public, 'other.pub': eve.public });
    assert.match(commit?.signedBy ?? '', /^ada\.pub: ED25519 key SHA256:\S+$/);
    const signers = `ada@example.com valid-before="20200101" ${eve.public}\nada@example.com namespaces="git" ${ada.public}\n`;
    assert.match((await checkout({ allowed_signers: signers })).commit?.signedBy ?? '', /^ada@example\.com: /);
  });

  it('is read when an allowed ssh key has signed its tag alone', async () => {
    await host.push({ 'a.yaml': 'a: 2\n' }, { tag: 'v1.0.0', signTag: ada.file });
    assert.match((await checkout({ 'ada.pub': ada.public }, { semver: '1.x' })).commit?.signedBy ?? '', /^ada\.pub: /);
    await assert.rejects(checkout({ 'ada.pub': ada.public }), /neither the commit \S+ nor a tag of it has a signature/);
  });

  it('is read when an allowed OpenPGP key has signed it', async () => {
    await host.push({ 'a.yaml': 'a: 3\n' });
    await signAs(pgp.privateKey);
    assert.equal((await checkout({ 'ada.asc': pgp.publicKey })).commit?.signedBy, `key ${pgp.fingerprint} (Ada <ada@example.com>)`);
    await assert.rejects(checkout({ 'ada.pub': ada.public }), /is signed by another key, [0-9A-F]{16}/);
  });

  it('is not read when an expired key has signed it, with a date of before', async () => {
    await host.push({ 'a.yaml': 'a: 5\n' });
    const date = new Date('2020-01-01T00:00:00Z');
    const userIDs = [{ name: 'Old', email: 'old@example.com' }];
    const old = await generateKey({ userIDs, format: 'object', date, keyExpirationTime: 86_400 });
    await signAs(old.privateKey, (commit) => commit, date);
    await assert.rejects(checkout({ 'old.asc': old.publicKey.armor() }), /is signed by a key that has expired or was revoked, key .*\(Old/);
    await host.push({ 'a.yaml': 'a: 6\n' });
    const ssh = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${ada.file}`, 'commit-tree', '-S', '-m', 'Date back', 'main^{tree}'];
    const people = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    };
    const env = { ...people, GIT_COMMITTER_DATE: date.toISOString() };
    const { stdout } = await execa('git', ['--git-dir', join(host.root, 'catalog.git'), ...ssh], { env });
    await bare(['update-ref', 'refs/heads/main', stdout.trim()]);
    await checkout({ allowed_signers: `ada@example.com ${ada.public}\n` });
    const expired = checkout({ allowed_signers: `ada@example.com valid-before="20210101" ${ada.public}\n` });
    await assert.rejects(expired, /is signed by a key that has expired, ada@example\.com: ED25519/);
  });

  it('is not read again with keys that have been withdrawn', async () => {
    await host.push({ 'a.yaml': 'a: 4\n' }, { signCommit: eve.file });
    await checkout({ 'eve.pub': eve.public });
    const withdrawn = checkout({ 'ada.pub': ada.public });
    await assert.rejects(
      withdrawn,
      /the commit is signed by another key, ED25519 key SHA256:.*; spec\.git\.verify needs one by a key of Secret "chandlery-system\/signers"/,
    );
  });

  const changes: readonly { readonly title: string; readonly change: (commit: string) => string; readonly message: RegExp }[] = [
    {
      title: 'the message',
      change: (commit) => commit.replace('Change the', 'Delete the'),
      message: /has a signature that is not about it/,
    },
    {
      title: 'the tree',
      change: (commit) => commit.replace(/^tree \S+/, 'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904'),
      message: /has a signature that is not about it/,
    },
    {
      title: 'the number of signatures',
      change: (commit) => commit.replace(/^gpgsig/m, 'gpgsig -----BEGIN SSH SIGNATURE-----\n x\ngpgsig'),
      message: /has a signature$|nor a tag of it has a signature/,
    },
  ];
  for (const { title, change, message } of changes)
    it(`is not read when somebody changed ${title} after it was signed`, async () => {
      await host.push({ 'a.yaml': `${title}: 1\n` });
      await bare(['hash-object', '-t', 'tree', '-w', '--stdin']);
      await signAs(pgp.privateKey, change);
      await assert.rejects(checkout({ 'ada.asc': pgp.publicKey }), message);
    });

  it('is not read by the signature of a tag that names another commit', async () => {
    const signed = await host.push({ 'a.yaml': 'a: 6\n' }, { tag: 'v2.0.0', signTag: ada.file });
    await checkout({ 'ada.pub': ada.public }, { tag: 'v2.0.0' });
    const other = await host.push({ 'a.yaml': 'a: 7\n' });
    const object = (await bare(['cat-file', 'tag', 'v2.0.0'])).replace(signed, other);
    await bare(['update-ref', 'refs/tags/v2.0.0', (await bare(['hash-object', '-t', 'tag', '-w', '--stdin'], object)).trim()]);
    await assert.rejects(checkout({ 'ada.pub': ada.public }, { tag: 'v2.0.0' }), /the tag has a signature that is not about it/);
    assert.ok(!(await readdir(join(home, 'git'), { recursive: true })).some((name) => name.includes('signature-')));
  });

  it('is not read by a signed tag that has got the name of a newer version', async () => {
    await host.push({ 'a.yaml': 'a: 8\n' }, { tag: 'v3.0.0', signTag: ada.file });
    await bare(['update-ref', 'refs/tags/v3.1.0', (await bare(['rev-parse', 'v3.0.0'])).trim()]);
    await checkout({ 'ada.pub': ada.public }, { tag: 'v3.0.0' });
    const renamed = checkout({ 'ada.pub': ada.public }, { semver: '3.x' });
    await assert.rejects(renamed, /the tag \S+ was signed under another name than v3\.1\.0/);
  });

  it('needs public keys', async () => {
    await assert.rejects(checkout({ 'ada.pub': ada.private }), /its key "ada\.pub" holds a private key/);
    await assert.rejects(checkout({ 'ada.pub': `cert-authority ${ada.public}` }), /its key "ada\.pub" is no public key of ssh/);
    await assert.rejects(checkout({ README: 'none' }), /it has no key "allowed_signers"/);
  });
});
