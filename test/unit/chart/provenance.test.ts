import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { createCleartextMessage, generateKey, readCleartextMessage, readPrivateKey, revokeKey, sign } from 'openpgp';
import type { ChartLibrary, FetchedChart } from '../../../src/chart/chart-library.ts';
import type { ChartAccess } from '../../../src/domain/chart/chart-access.ts';
import { parseVerifySecret } from '../../../src/domain/chart/verify-secret.ts';
import { secretOf } from '../../support/chart-secrets.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { serveRegistry } from '../../support/registry.ts';
import { createPgpSigner, packSigned, pushChart, type PgpSigner, type SignedChart } from '../../support/signing.ts';
import { assertFails, libraryFor } from './library.ts';

let ANN: PgpSigner;
let EVE: PgpSigner;
before(async () => {
  [ANN, EVE] = await Promise.all([createPgpSigner('Ann'), createPgpSigner('Eve')]);
});

describe('the provenance of a chart', () => {
  it('that helm has signed with a trusted key is taken, and the signer named', async (t) => {
    const { library } = await folderWith(t, await signed(t, '1.0.0', ANN));
    for (const keys of [
      { 'pubring.gpg': Buffer.from(ANN.publicRing) },
      { 'ann.asc': ANN.publicKey },
      { 'all.asc': EVE.publicKey + ANN.publicKey },
    ]) {
      const chart = await fetchWith(library, trusting(keys));
      assert.equal(chart.signer, `key ${ANN.fingerprint} (Ann <ann@example.com>)`);
    }
  });

  it('comes out of a registry, too', async (t) => {
    const registry = await serveRegistry(t);
    const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [registry.authority] });
    await pushChart(t, registry, await signed(t, '1.0.0', ANN));
    const source = { kind: 'repository', repoURL: `oci://${registry.host}/team`, name: 'demo', version: '1.0.0' } as const;
    const chart = await library.fetch(source, AbortSignal.timeout(60_000), trusting({ 'ann.asc': ANN.publicKey }));
    assert.match(chart.signer ?? '', new RegExp(ANN.fingerprint));
    await assertFails(
      library.fetch(source, AbortSignal.timeout(60_000), trusting({ 'eve.asc': EVE.publicKey })),
      'SignatureInvalid',
      /is not in Secret/,
    );
    const plain = { name: 'demo', version: '1.1.0', packed: await packChart('demo', chartFiles('demo', '1.1.0')) };
    await pushChart(t, registry, plain);
    const unsigned = library.fetch({ ...source, version: '1.1.0' }, AbortSignal.timeout(60_000), trusting({ 'ann.asc': ANN.publicKey }));
    await assertFails(unsigned, 'ChartUnsigned', /the registry has no provenance with it/);
  });

  it('by a key that nobody trusts is rejected, and both keys are named', async (t) => {
    const { library } = await folderWith(t, await signed(t, '1.0.0', EVE));
    const sentence = new RegExp(
      `signed by the key ${EVE.fingerprint.slice(-16)}, which is not in Secret "ops/repo"; trusted are: key ${ANN.fingerprint} \\(Ann`,
    );
    await assertFails(fetchWith(library, trusting({ 'ann.asc': ANN.publicKey })), 'SignatureInvalid', sentence);
  });

  it('by a key that was revoked since is rejected', async (t) => {
    const { library } = await folderWith(t, await signed(t, '1.0.0', ANN));
    const { publicKey } = await revokeKey({ key: await readPrivateKey({ binaryKey: ANN.secretRing }), format: 'object' });
    const sentence = new RegExp(`its signature by key ${ANN.fingerprint} \\(Ann .* does not hold: .*revoked`, 'i');
    await assertFails(fetchWith(library, trusting({ 'ann.asc': publicKey.armor() })), 'SignatureInvalid', sentence);
  });

  it('by a key that has expired is rejected, although its date is earlier, as Helm does', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const date = new Date('2020-01-01T00:00:00Z');
    const old = await generateKey({
      userIDs: [{ name: 'Old', email: 'old@example.com' }],
      format: 'object',
      date,
      keyExpirationTime: 86_400,
    });
    const text = (await readCleartextMessage({ cleartextMessage: one.provenance })).getText();
    const message = await createCleartextMessage({ text });
    const { library } = await folderWith(t, { ...one, provenance: await sign({ message, signingKeys: old.privateKey, date }) });
    const keys = trusting({ 'old.asc': old.publicKey.armor() });
    await assertFails(fetchWith(library, keys), 'SignatureInvalid', /by a key that has expired or was revoked, key [0-9A-F]+ \(Old/);
  });

  it('must be there', async (t) => {
    const { library } = await folderWith(t, { ...(await signed(t, '1.0.0', ANN)), provenance: '' });
    await assertFails(fetchWith(library, trusting({ 'ann.asc': ANN.publicKey })), 'ChartUnsigned', /there is no \.prov file beside it/);
  });

  it('is about the very bytes, name and version', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const two = await signed(t, '2.0.0', ANN);
    const other = await signed(t, '1.0.0', ANN, 'other');
    const access = trusting({ 'ann.asc': ANN.publicKey });
    const tampered = { ...one, packed: await packChart('demo', chartFiles('demo', '1.0.0', { 'templates/evil.yaml': 'a: b\n' })) };
    await assertFails(
      fetchWith((await folderWith(t, tampered)).library, access),
      'SignatureInvalid',
      /is about an archive of the digest "sha256:/,
    );
    const ofTwo = { ...one, provenance: two.provenance };
    await assertFails(
      fetchWith((await folderWith(t, ofTwo)).library, access),
      'SignatureInvalid',
      /is about "demo" "2\.0\.0", not about demo 1\.0\.0/,
    );
    const ofOther = { ...one, provenance: other.provenance };
    await assertFails(fetchWith((await folderWith(t, ofOther)).library, access), 'SignatureInvalid', /is about "other" "1\.0\.0"/);
  });

  it('whose text was changed after it was signed does not hold', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const changed = one.provenance.replace('version: 1.0.0', 'version: 1.0.0 ');
    assert.notEqual(one.provenance.replace('name: demo', 'name: dem0'), one.provenance);
    const access = trusting({ 'ann.asc': ANN.publicKey });
    const forged = { ...one, provenance: one.provenance.replace('name: demo', 'name: dem0') };
    await assertFails(
      fetchWith((await folderWith(t, forged)).library, access),
      'SignatureInvalid',
      new RegExp(`its signature by key ${ANN.fingerprint} .* does not hold`),
    );
    // White space at the end of a line is not signed, by RFC 9580.
    await fetchWith((await folderWith(t, { ...one, provenance: changed })).library, access);
  });

  it('cannot smuggle text in before or after what is signed', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const access = trusting({ 'ann.asc': ANN.publicKey });
    const evil = await packChart('demo', chartFiles('demo', '1.0.0', { 'templates/evil.yaml': 'a: b\n' }));
    const { createHash } = await import('node:crypto');
    const files = `files:\n  demo-1.0.0.tgz: sha256:${createHash('sha256').update(evil).digest('hex')}\n`;
    const lines = `name: demo\nversion: 1.0.0\n\n...\n${files}`;
    for (const provenance of [`${lines}${one.provenance}`, `${one.provenance}\n${lines}`]) {
      const { library } = await folderWith(t, { ...one, packed: evil, provenance });
      await assertFails(fetchWith(library, access), 'SignatureInvalid', /clear-signed|another digest|archive of the digest/);
    }
  });

  it('that is no signed text, has no YAML, or is too large, is distinguished', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const access = trusting({ 'ann.asc': ANN.publicKey });
    await assertFails(
      fetchWith((await folderWith(t, { ...one, provenance: 'name: demo\n' })).library, access),
      'SignatureInvalid',
      /no clear-signed/,
    );
    const odd = { ...one, provenance: await clearSigned('a: [\n\n...\nb: [', ANN) };
    await assertFails(fetchWith((await folderWith(t, odd)).library, access), 'SignatureInvalid', /is not YAML/);
    const large = { ...one, provenance: one.provenance + ' '.repeat(256 * 1024) };
    await assertFails(fetchWith((await folderWith(t, large)).library, access), 'ChartTooLarge', /more than the 262144 bytes/);
  });

  it('with more signatures than anybody needs is not worked through', async (t) => {
    const signer = await readPrivateKey({ binaryKey: ANN.secretRing });
    const message = await createCleartextMessage({ text: 'name: demo\n\n...\nfiles: {}\n' });
    const provenance = await sign({ message, signingKeys: Array.from({ length: 11 }, () => signer) });
    const { library } = await folderWith(t, { ...(await signed(t, '1.0.0', ANN)), provenance });
    await assertFails(fetchWith(library, trusting({ 'ann.asc': ANN.publicKey })), 'SignatureInvalid', /more than 10 signatures/);
  });

  it('needs keys that can be read, and public ones', async (t) => {
    const { library } = await folderWith(t, await signed(t, '1.0.0', ANN));
    const box = Buffer.concat([Buffer.from([0, 0, 0, 32, 1, 1, 0, 2]), Buffer.from('KBXf')]);
    const armored = (await readPrivateKey({ binaryKey: ANN.secretRing })).armor();
    const rejected: readonly [Record<string, string | Buffer>, RegExp][] = [
      [{ 'pubring.gpg': box }, /"pubring\.gpg" is a keybox.*gpg --export/],
      [{ 'pubring.gpg': Buffer.from('s3cret') }, /"pubring\.gpg" holds no OpenPGP public key/],
      [{ 'secring.gpg': Buffer.from(ANN.secretRing) }, /"secring\.gpg" holds a private key/],
      [{ 'ann.asc': armored }, /"ann\.asc" holds a private key/],
    ];
    for (const [texts, sentence] of rejected) await assertFails(fetchWith(library, trusting(texts)), 'ChartSecretInvalid', sentence);
  });

  it('is checked for a chart of the cache as well, once for each policy', async (t) => {
    const one = await signed(t, '1.0.0', ANN);
    const { library, folder } = await folderWith(t, one);
    const { digest } = await fetchWith(library, {});
    await assertFails(fetchWith(library, trusting({ 'eve.asc': EVE.publicKey }), digest), 'SignatureInvalid', /is not in Secret/);
    assert.ok((await fetchWith(library, trusting({ 'ann.asc': ANN.publicKey }), digest)).signer);
    await rm(folder, { recursive: true });
    assert.ok((await fetchWith(library, trusting({ 'ann.asc': ANN.publicKey }), digest)).signer);
    assert.equal((await fetchWith(library, {}, digest)).signer, undefined);
    await assertFails(fetchWith(library, trusting({ 'eve.asc': EVE.publicKey }), digest), 'ChartNotFound', /./);
  });
});

function signed(t: TestContext, version: string, signer: PgpSigner, name = 'demo'): Promise<SignedChart> {
  return packSigned(t, { name, version, files: chartFiles(name, version) }, signer);
}

async function folderWith(t: TestContext, { packed, provenance }: SignedChart): Promise<{ library: ChartLibrary; folder: string }> {
  const folder = await temporaryFolder(t);
  const beside: Record<string, string> = provenance === '' ? {} : { 'demo-1.0.0.tgz.prov': provenance };
  await writeFiles(folder, { 'demo-1.0.0.tgz': packed, ...beside });
  return { library: await libraryFor(t, { roots: { here: folder } }), folder };
}

function trusting(texts: Readonly<Record<string, string | Buffer>>): ChartAccess {
  return { verification: parseVerifySecret(secretOf(texts), 'Provenance') };
}

function fetchWith(library: ChartLibrary, access: ChartAccess, digest?: string): Promise<FetchedChart> {
  const pin = digest === undefined ? {} : { digest };
  return library.fetch(
    { kind: 'repository', repoURL: 'file://here', name: 'demo', version: '1.0.0', ...pin },
    AbortSignal.timeout(60_000),
    access,
  );
}

async function clearSigned(text: string, signer: PgpSigner): Promise<string> {
  const message = await createCleartextMessage({ text });
  return sign({ message, signingKeys: await readPrivateKey({ binaryKey: signer.secretRing }) });
}
