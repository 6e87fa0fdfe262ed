import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import type { ChartLibrary, FetchedChart } from '../../../src/chart/chart-library.ts';
import type { ChartAccess } from '../../../src/domain/chart/chart-access.ts';
import { parseVerifySecret } from '../../../src/domain/chart/verify-secret.ts';
import { credentialsOf, secretOf } from '../../support/chart-secrets.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { serveRegistry, type TestRegistry } from '../../support/registry.ts';
import { createCosignSigner, pushChart, signByBundle, signByTag, type CosignSigner } from '../../support/signing.ts';
import { assertFails, libraryFor } from './library.ts';

// Runs in test:all: test/cluster/private-charts.test.ts verifies signatures of cosign in npm test.

const ANN = createCosignSigner();
const EVE = createCosignSigner();
const REPOSITORY = 'team/demo';

describe('a signature of cosign', () => {
  for (const type of ['ec', 'ed25519', 'rsa'] as const) {
    it(`with a trusted key (${type}) is taken, and the key named`, async (t) => {
      const signer = createCosignSigner(type);
      const { registry, library, digest } = await pushed(t);
      signByTag(registry, signer, { repository: REPOSITORY, digest });
      const chart = await fetchAs(library, registry, trusting(signer));
      assert.match(chart.signer ?? '', /^key SHA256:[0-9a-f]{64} \(0\.pub\)$/);
    });
  }

  for (const referrers of ['Served', 'Missing'] as const) {
    it(`in a bundle is found by what refers to the manifest (the registry’s own list: ${referrers})`, async (t) => {
      const { registry, library, digest } = await pushed(t);
      registry.options.referrers = referrers;
      signByBundle(registry, ANN, { repository: REPOSITORY, digest });
      assert.ok((await fetchAs(library, registry, trusting(EVE, ANN))).signer?.endsWith('(1.pub)'));
    });
  }

  it('by a key that nobody trusts is rejected, and both sides are named', async (t) => {
    const { registry, library, digest } = await pushed(t);
    signByTag(registry, EVE, { repository: REPOSITORY, digest });
    signByBundle(registry, EVE, { repository: REPOSITORY, digest });
    const sentence = /none of its 2 signatures is by a key of Secret "ops\/repo"; trusted are: key SHA256:[0-9a-f]{64} \(0\.pub\)/;
    await assertFails(fetchAs(library, registry, trusting(ANN)), 'SignatureInvalid', sentence);
  });

  it('must be there, and in a registry', async (t) => {
    const { registry, library, digest } = await pushed(t);
    await assertFails(
      fetchAs(library, registry, trusting(ANN)),
      'ChartUnsigned',
      new RegExp(`no signature of cosign for its manifest ${digest}`),
    );
    const folder = await temporaryFolder(t);
    await writeFiles(folder, { 'demo-1.0.0.tgz': await packChart('demo', chartFiles('demo', '1.0.0')) });
    const local = await libraryFor(t, { roots: { here: folder } });
    const source = { kind: 'repository', repoURL: 'file://here', name: 'demo', version: '1.0.0' } as const;
    await assertFails(local.fetch(source, AbortSignal.timeout(60_000), trusting(ANN)), 'ChartUnsigned', /signs in registries only/);
  });

  it('of another chart is not good for this one, however it is stored', async (t) => {
    const { registry, library, digest } = await pushed(t);
    const about = `sha256:${'a'.repeat(64)}`;
    signByTag(registry, ANN, { repository: REPOSITORY, digest, about });
    const sentence = new RegExp(
      `its signature by a trusted key is about another manifest \\("${about}"\\), not about this one \\(${digest}\\)`,
    );
    await assertFails(fetchAs(library, registry, trusting(ANN)), 'SignatureInvalid', sentence);
    const fresh = await pushed(t);
    signByBundle(fresh.registry, ANN, { repository: REPOSITORY, digest: fresh.digest, about });
    await assertFails(fetchAs(fresh.library, fresh.registry, trusting(ANN)), 'SignatureInvalid', /about another manifest/);
  });

  it('over a statement of another kind is no signature of the chart', async (t) => {
    const { registry, library, digest } = await pushed(t);
    signByBundle(registry, ANN, { repository: REPOSITORY, digest, predicateType: 'https://spdx.dev/Document' });
    await assertFails(fetchAs(library, registry, trusting(ANN)), 'SignatureInvalid', /a statement that is no signature/);
  });

  it('is given up when the registry drips it out', async (t) => {
    const { registry, digest } = await pushed(t);
    for (let n = 0; n < 5; n += 1) signByBundle(registry, EVE, { repository: REPOSITORY, digest });
    registry.options.delayMs = 300;
    const limits = { totalMs: 1500 };
    const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [registry.authority], limits });
    await assertFails(fetchAs(library, registry, trusting(ANN)), 'ChartUnreachable', /it took too long in all/);
  });

  it('counts beside others that do not', async (t) => {
    const { registry, library, digest } = await pushed(t);
    signByTag(registry, EVE, { repository: REPOSITORY, digest });
    signByBundle(registry, ANN, { repository: REPOSITORY, digest });
    assert.ok((await fetchAs(library, registry, trusting(ANN))).signer);
  });

  it('is read with the same credentials as the chart', async (t) => {
    const { registry, library, digest } = await pushed(t);
    signByTag(registry, ANN, { repository: REPOSITORY, digest });
    registry.options.login = { kind: 'Token', username: 'ann', password: 's3cret' };
    const credentials = credentialsOf({ username: 'ann', password: 's3cret' }, `oci://${registry.host}/team`);
    assert.ok((await fetchAs(library, registry, { ...trusting(ANN), credentials })).signer);
  });

  it('that was there when somebody else asked does not stand for another policy', async (t) => {
    const { registry, library, digest } = await pushed(t);
    signByTag(registry, ANN, { repository: REPOSITORY, digest });
    const chart = await fetchAs(library, registry, trusting(ANN));
    await assertFails(fetchAs(library, registry, trusting(EVE), chart.digest), 'SignatureInvalid', /none of its 1 signatures/);
    assert.ok((await fetchAs(library, registry, trusting(ANN), chart.digest)).signer);
  });
});

async function pushed(t: TestContext): Promise<{ registry: TestRegistry; library: ChartLibrary; digest: string }> {
  const registry = await serveRegistry(t);
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  const digest = await pushChart(t, registry, { name: 'demo', version: '1.0.0', packed });
  const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities: [registry.authority] });
  return { registry, library, digest };
}

function trusting(...signers: readonly CosignSigner[]): ChartAccess {
  const texts = Object.fromEntries(signers.map(({ publicKey }, index) => [`${index}.pub`, publicKey]));
  return { verification: parseVerifySecret(secretOf(texts), 'Cosign') };
}

function fetchAs(library: ChartLibrary, { host }: TestRegistry, access: ChartAccess, digest?: string): Promise<FetchedChart> {
  const pin = digest === undefined ? {} : { digest };
  const source = { kind: 'repository', repoURL: `oci://${host}/team`, name: 'demo', version: '1.0.0', ...pin } as const;
  return library.fetch(source, AbortSignal.timeout(60_000), access);
}
