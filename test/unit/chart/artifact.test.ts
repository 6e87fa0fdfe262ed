import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { createArtifacts } from '../../../src/chart/oci/artifact.ts';
import { parseChartSecret } from '../../../src/domain/chart/chart-secret.ts';
import { parseVerifySecret } from '../../../src/domain/chart/verify-secret.ts';
import { isAppError, messageOf } from '../../../src/domain/core/errors.ts';
import type { GitCheckout } from '../../../src/domain/source/git-source.ts';
import type { OciSource } from '../../../src/domain/source/oci-source.ts';
import { packEntries, type RawEntry, temporaryFolder } from '../../support/charts.ts';
import { OCI_MANIFEST, serveRegistry, type TestRegistry } from '../../support/registry.ts';
import { createCosignSigner, signByTag } from '../../support/signing.ts';

const REPOSITORY = 'platform/catalogue';
const FLUX = 'application/vnd.cncf.flux.content.v1.tar+gzip';
const LOGIN = { username: 'chandlery', password: 'tides' };

interface World {
  readonly registry: TestRegistry;
  readonly home: string;
  push(tag: string, entries: readonly RawEntry[] | Buffer, mediaType?: string): Promise<string>;
  checkout(oci?: Partial<OciSource>, keys?: Readonly<Record<string, string>>, allowEgress?: readonly string[]): Promise<GitCheckout>;
}

async function startWorld(t: TestContext): Promise<World> {
  const registry = await serveRegistry(t, { login: { kind: 'Token', ...LOGIN } });
  const home = await temporaryFolder(t);
  const object = (data: Readonly<Record<string, string>>) => {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'oci', namespace: 'chandlery-system' },
      data: Object.fromEntries(encoded),
    };
  };
  return {
    registry,
    home,
    push: async (tag, content, mediaType = FLUX) => {
      const packed = Buffer.isBuffer(content) ? content : await packEntries(content);
      const layer = { mediaType, size: packed.length, digest: registry.putBlob(packed) };
      const config = { mediaType: 'application/vnd.cncf.flux.config.v1+json', size: 2, digest: registry.putBlob('{}') };
      return registry.putManifest(REPOSITORY, tag, { schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers: [layer] });
    },
    checkout: async (oci = {}, keys, allowEgress = ['127.0.0.0/8', '::1/128']) => {
      const url = `oci://${registry.host}/${REPOSITORY}`;
      const artifacts = createArtifacts({ homeDir: home, mirrors: [], allowEgress, certificateAuthorities: [registry.authority] });
      const credentials = parseChartSecret(object(LOGIN), url);
      const verification = keys === undefined ? {} : { verification: parseVerifySecret(object(keys), 'Cosign') };
      return await artifacts.checkout(
        { source: 'test', oci: { url, path: '', ...oci }, credentials, ...verification },
        AbortSignal.timeout(60_000),
      );
    },
  };
}

const FILES: readonly RawEntry[] = [
  { name: './', type: 'directory' },
  { name: './clusters/one/a.yaml', content: 'a: 1\n' },
  { name: 'clusters/two/b.yaml', content: 'b: 1\n' },
];

describe('an OCI artifact', () => {
  it('is read by tag, by digest and by the newest version of a range, and fetched once a digest', async (t) => {
    const { push, checkout, registry } = await startWorld(t);
    const old = await push('v1.2.0', FILES);
    const newest = await push('v1.10.0', [{ name: 'a.yaml', content: 'a: 2\n' }], 'application/vnd.oci.image.layer.v1.tar+gzip');
    await push('v2.0.0-rc.1', FILES);
    const first = await checkout({ ref: { tag: 'v1.2.0' }, path: 'clusters/one' });
    assert.equal(first.revision, `v1.2.0@${old}`);
    assert.deepEqual(await readdir(first.folder), ['a.yaml']);
    const blobs = () => registry.asked.filter((line) => line.includes('/blobs/')).length;
    const before = blobs();
    assert.deepEqual(await checkout({ ref: { tag: 'v1.2.0' }, path: 'clusters/one' }), first);
    assert.equal(blobs(), before);
    const ranged = await checkout({ ref: { semver: '^1.2' } });
    assert.equal(ranged.revision, `v1.10.0@${newest}`);
    assert.equal(await readFile(join(ranged.folder, 'a.yaml'), 'utf8'), 'a: 2\n');
    assert.equal((await checkout({ ref: { digest: old } })).revision, old);
  });

  it('has the files of all its layers of files, of which the later ones count, and nothing of other layers', async (t) => {
    const { checkout, registry } = await startWorld(t);
    const layer = async (entries: readonly RawEntry[], mediaType = FLUX): Promise<object> => {
      const packed = await packEntries(entries);
      return { mediaType, size: packed.length, digest: registry.putBlob(packed) };
    };
    const layers = [
      await layer(FILES),
      await layer([{ name: 'clusters/one/note.yaml', content: 'a: 1\n' }], 'application/vnd.in-toto+tar+gzip'),
      await layer([
        { name: 'clusters/one/a.yaml', content: 'a: 2\n' },
        { name: 'clusters/one/c.yaml', content: 'c: 1\n' },
      ]),
    ];
    registry.putManifest(REPOSITORY, 'layered', { schemaVersion: 2, mediaType: OCI_MANIFEST, layers });
    const { folder } = await checkout({ ref: { tag: 'layered' }, path: 'clusters/one' });
    assert.deepEqual((await readdir(folder)).toSorted(), ['a.yaml', 'c.yaml']);
    assert.equal(await readFile(join(folder, 'a.yaml'), 'utf8'), 'a: 2\n');
    const many = await Promise.all(Array.from({ length: 9 }, async () => await layer(FILES)));
    registry.putManifest(REPOSITORY, 'many', { schemaVersion: 2, mediaType: OCI_MANIFEST, layers: many });
    await assert.rejects(checkout({ ref: { tag: 'many' } }), /it has 9 layers of files, at most 8 are read/);
  });

  it('is read only when cosign has signed its manifest with an allowed key, if there is a policy', async (t) => {
    const { push, checkout, registry } = await startWorld(t);
    const [ann, eve] = [createCosignSigner(), createCosignSigner()];
    const digest = await push('latest', FILES);
    const failure = async (): Promise<unknown> => await checkout({}, { 'ann.pub': ann.publicKey }).catch((error: unknown) => error);
    const unsigned = await failure();
    assert.ok(
      isAppError(unsigned, 'VerificationFailed') && /^artifact: .*no signature of cosign/.test(unsigned.message),
      messageOf(unsigned),
    );
    signByTag(registry, eve, { repository: REPOSITORY, digest });
    assert.match(messageOf(await failure()), /none of its 1 signatures is by a key of Secret "chandlery-system\/oci"/);
    signByTag(registry, ann, { repository: REPOSITORY, digest });
    assert.equal((await checkout({}, { 'ann.pub': ann.publicKey })).revision, `latest@${digest}`);
    const moved = await push('latest', [{ name: 'evil.yaml', content: 'a: 1\n' }]);
    registry.putManifest(
      REPOSITORY,
      `${moved.replace(':', '-')}.sig`,
      JSON.parse(registry.manifest(REPOSITORY, `${digest.replace(':', '-')}.sig`)?.toString() ?? '{}') as object,
    );
    assert.match(messageOf(await failure()), /is about another manifest/);
  });

  it('is rejected when it is not what it should be, and nothing of it is on the disk', async (t) => {
    const { push, checkout, home } = await startWorld(t);
    const zeros = Buffer.alloc(4 * 1024 * 1024);
    const cases: readonly (readonly [readonly RawEntry[] | Buffer, RegExp, string?])[] = [
      [[{ name: '../escape.yaml', content: 'a: 1\n' }], /leads, or could lead, out of the archive/],
      [[{ name: '/etc/escape.yaml', content: 'a: 1\n' }], /leads, or could lead, out of the archive/],
      [[{ name: 'a.yaml', type: 'symlink', linkname: '/etc/passwd' }], /it holds a symlink "a\.yaml"; only files are allowed/],
      [
        [
          { name: 'a.yaml', content: 'a: 1\n' },
          { name: './a.yaml', content: 'a: 2\n' },
        ],
        /it holds the file "a\.yaml" twice/,
      ],
      [
        [
          { name: 'a', content: 'a: 1\n' },
          { name: 'a/b.yaml', content: 'a: 2\n' },
        ],
        /its files cannot be written/,
      ],
      [Array.from({ length: 13 }, (_, index) => ({ name: `${index}.yaml`, content: zeros })), /it unpacks to more than 50 MiB/],
      [[{ name: 'a.yaml', content: Buffer.alloc(6 * 1024 * 1024) }], /is larger than 5 MiB/],
      [Buffer.from('no archive'), /not a gzip archive/],
      [FILES, /it has no layer of files/, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'],
    ];
    for (const [content, message, mediaType] of cases) {
      await push('latest', content, mediaType);
      const error: unknown = await checkout().catch((reason: unknown) => reason);
      assert.ok(isAppError(error, 'ArtifactUnavailable'), messageOf(error));
      assert.match(error.message, message);
    }
    await push('latest', FILES);
    await assert.rejects(checkout({ path: 'clusters/three' }), /it has no folder "clusters\/three"/);
    await assert.rejects(checkout({ ref: { semver: '>=3' } }), /no tag is a version in the range >=3/);
    await assert.rejects(checkout({ ref: { digest: `sha256:${'0'.repeat(64)}` } }), /ArtifactUnavailable|artifact:/);
    await assert.rejects(checkout({}, undefined, []), /the egress policy allows no loopback/);
    const kept = await readdir(home, { recursive: true });
    assert.deepEqual(
      kept.filter((name) => /\.yaml|layer|files-|draft-/.test(name)),
      [],
    );
  });
});
