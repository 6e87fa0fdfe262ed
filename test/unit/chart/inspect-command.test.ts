import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { chartCommand } from '../../../src/compose/chart-command.ts';
import type { ChartInspection } from '../../../src/domain/chart/inspection/inspection.ts';
import { chartFiles, LEGACY_CHART, packChart, serveHttps, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { createCosignSigner, createPgpSigner, packSigned } from '../../support/signing.ts';
import { assertFails } from './library.ts';

const repoRoot = resolve(import.meta.dirname, '../../..');

describe('chandlery chart inspect', () => {
  it('reports the kinds of a folder of 2018 by origin, and what becomes of its objects', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFiles(join(folder, 'legacy-operator'), LEGACY_CHART);
    const found = await inspect(join(folder, 'legacy-operator'));
    assert.equal(found.chart.name, 'legacy-operator');
    assert.deepEqual(
      found.kinds.map(({ name, origin }) => [name, origin]),
      [
        ['boats.legacy.example.com', 'hook'],
        ['ships.legacy.example.com', 'template'],
      ],
    );
    assert.ok(found.conversions.some(({ kind, to }) => kind === 'Deployment' && to === 'apps/v1'));
    assert.ok(found.warnings.some(({ code }) => code === 'NoSchema'));
  });

  it('says the same of the packed chart as of an address behind a mirror', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'a b-1.0.0.tgz'), await packChart('a', chartFiles('a', '1.0.0')));
    const fromFile = await inspect(join(folder, 'a b-1.0.0.tgz'));
    const fromAddress = await inspect('https://charts.example.com/a%20b-1.0.0.tgz', '--mirror', `https://charts.example.com/=${folder}`);
    assert.deepEqual(fromFile, fromAddress);
    assert.ok(fromFile.release.bytes > 200 && fromFile.release.bytes < 5000, String(fromFile.release.bytes));
  });

  it('warns of a chart whose record no Secret holds', async (t) => {
    const folder = await temporaryFolder(t);
    const files = chartFiles('big', '1.0.0', { 'files/noise.txt': randomBytes(1_100_000).toString('base64') });
    await writeFiles(join(folder, 'big'), files);
    const { warnings } = await inspect(join(folder, 'big'));
    assert.equal(warnings[0]?.code, 'ReleaseTooLarge');
  });

  it('says why a chart does not render, in lines for people', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFiles(join(folder, 'broken'), chartFiles('broken', '1.0.0', { 'templates/a.yaml': '{{ fail "no such size" }}\n' }));
    const text = await run('inspect', join(folder, 'broken'));
    assert.match(text, /^broken 1\.0\.0\n/);
    assert.match(text, /RenderFailed {2}chart: .*no such size/);
  });

  it('says who signed a chart, and rejects one that the key did not sign', async (t) => {
    const [ann, eve] = [await createPgpSigner('Ann'), await createPgpSigner('Eve')];
    const { packed, provenance } = await packSigned(t, { name: 'a', version: '1.0.0', files: chartFiles('a', '1.0.0') }, ann);
    const folder = await temporaryFolder(t);
    await writeFiles(folder, {
      'a-1.0.0.tgz': packed,
      'a-1.0.0.tgz.prov': provenance,
      'ann.asc': ann.publicKey,
      'eve.asc': eve.publicKey,
      'cosign.pub': createCosignSigner().publicKey,
    });
    const archive = join(folder, 'a-1.0.0.tgz');
    assert.match(
      await run('inspect', archive, '--verify-key', join(folder, 'ann.asc')),
      new RegExp(`signed by key ${ann.fingerprint} \\(Ann`),
    );
    const rejected = (key: string) => run('inspect', archive, '--verify-key', join(folder, key));
    await assertFails(rejected('eve.asc'), 'SignatureInvalid', /which is not in the file ".*eve\.asc"/);
    await assertFails(rejected('cosign.pub'), 'ChartUnsigned', /signs in registries only/);
    await assertFails(rejected('none.asc'), 'ConfigInvalid', /--verify-key: ".*none\.asc" cannot be read/);
    await assertFails(
      run('inspect', archive, '--chart-ca', join(folder, 'ann.asc')),
      'ConfigInvalid',
      /--chart-ca: .* has no certificates/,
    );
  });

  it('trusts the authorities that it is given', async (t) => {
    const packed = await packChart('a', chartFiles('a', '1.0.0'));
    const site = await serveHttps(t, (_request, response) => response.end(packed));
    const folder = await temporaryFolder(t);
    await writeFiles(folder, { 'ca.pem': `the authority of the house\n${site.authority}` });
    const open = ['--allow-egress', '127.0.0.0/8', '--allow-egress', '::1/128'];
    await assertFails(run('inspect', `${site.address}/a.tgz`, ...open), 'ChartUnreachable', /certificate is not trusted.*--chart-ca/);
    assert.match(await run('inspect', `${site.address}/a.tgz`, ...open, '--chart-ca', join(folder, 'ca.pem')), /^a 1\.0\.0\n/);
  });

  it('rejects what it does not know, and says what to write', async () => {
    await assertFails(run('inspect'), 'ConfigInvalid', /write chandlery chart inspect/);
    await assertFails(run('look', 'charts/cache-operator'), 'ConfigInvalid', /write chandlery chart inspect/);
    await assertFails(run('inspect', 'a', '-o', 'yaml'), 'ConfigInvalid', /"yaml" is not one of lines, json/);
    await assertFails(run('inspect', '/no/such/chart'), 'ChartNotFound', /there is no such file or folder/);
    await assertFails(run('inspect', 'http://169.254.169.254/a.tgz'), 'EgressDenied', /https only/);
  });
});

async function inspect(...words: readonly string[]): Promise<ChartInspection> {
  return JSON.parse(await run('inspect', ...words, '-o', 'json')) as ChartInspection;
}

function run(...argv: readonly string[]): Promise<string> {
  return chartCommand({ argv, env: {}, repoRoot }, AbortSignal.timeout(60_000));
}
