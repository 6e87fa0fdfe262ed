import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { preparePki } from '../../../src/embedded/cluster/pki.ts';

const DAY = 86_400_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-pki-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a second start finds the certificates of the first', async () => {
  const first = await preparePki(folder, new Date());
  assert.deepEqual(await preparePki(folder, new Date()), first);
});

test('a certificate in its last month is renewed under the same authority', async () => {
  const first = await preparePki(folder, new Date());
  const later = await preparePki(folder, new Date(Date.now() + 340 * DAY));
  assert.notEqual(later.admin.certificate, first.admin.certificate);
  assert.equal(later['cluster-ca'].certificate, first['cluster-ca'].certificate);
});

test('an authority in its last month is renewed with all that it signed', async () => {
  const first = await preparePki(folder, new Date());
  const later = await preparePki(folder, new Date(Date.now() + 3630 * DAY));
  assert.notEqual(later['etcd-ca'].certificate, first['etcd-ca'].certificate);
  assert.ok(new X509Certificate(later['etcd-server'].certificate).verify(createPublicKey(later['etcd-ca'].certificate)));
});

test('a damaged file is replaced, and its key with it', async () => {
  const first = await preparePki(folder, new Date());
  await writeFile(first.kwok.certificateFile, 'half a certifica');
  const second = await preparePki(folder, new Date());
  assert.ok(new X509Certificate(second.kwok.certificate).checkPrivateKey(createPrivateKey(second.kwok.key)));
  assert.equal(second.admin.certificate, first.admin.certificate);
});

test('nobody else on the machine can read a key, and no half-written file stays', async () => {
  await preparePki(folder, new Date());
  for (const name of await readdir(folder)) {
    assert.match(name, /\.(crt|key|pub)$/);
    assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
  }
});

test('a certificate of the cluster does not open etcd', async () => {
  const pki = await preparePki(folder, new Date());
  const etcdAuthority = createPublicKey(await readFile(pki['etcd-ca'].certificateFile));
  assert.equal(new X509Certificate(pki.admin.certificate).verify(etcdAuthority), false);
  assert.equal(new X509Certificate(pki['etcd-client'].certificate).verify(etcdAuthority), true);
});
