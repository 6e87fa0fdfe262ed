import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAppError } from '../../../src/domain/core/errors.ts';
import { helmCommand } from '../../../src/domain/operator/operator-commands.ts';
import type { ChartSource } from '../../../src/domain/operator/operator-spec.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { assertFails, fetchURL, libraryFor } from './library.ts';

/** What a person, an index or a redirect may name: in a configured root, behind a mirror, on the network. */
const IN_ROOTS = `
a a/ a/%ZZ a/%00 a/..%2f..%2fetc/passwd a/file.tgz a/folder a/folder/index.yaml gone plain plain/x /etc/passwd %20/ [::1]/x A/file.tgz
a/${'x'.repeat(2000)} a/${'x/'.repeat(900)}`;
const ELSEWHERE = String.raw`
https://mirror.test/https:[x https://mirror.test//[x https://mirror.test/%ZZ https://mirror.test https://gone.test/a https://folder.test/p/../x
https://folder.test/p https://password.test/a https://[ https://% https://${'a'.repeat(300)}.test/ https://x${'.y'.repeat(200)}/ https://a..b/
https://127.0.0.1:99999/ https://127.0.0.1:0/ https://127.1:1/ https://0x7f.1:1 https://2130706433:1/ https://127.0.0.1:1\a http://127.0.0.1:1/
oci:// oci://[ oci://a oci://127.0.0.1:1 oci://127.0.0.1:1/%ZZ:1 oci://127.0.0.1:1/a@sha256:x oci://mirror.test/x:1 oci://folder.test/p/x:1 ftp://a/b a`;
const ODD = [
  ...wordsOf(IN_ROOTS).map((rest) => `file://${rest}`),
  ...wordsOf(ELSEWHERE),
  'file://',
  'oci://127.0.0.1:1/a b:',
  'https://127.0.0.1:1/\t\r',
  '',
];

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

test('an odd address ends in a sentence, wherever it leads', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'a', 'folder', 'index.yaml'), { recursive: true });
  await writeFiles(folder, { 'a/file.tgz': 'x', plain: 'x' });
  const library = await libraryFor(t, {
    roots: { a: join(folder, 'a'), gone: join(folder, 'gone'), plain: join(folder, 'plain') },
    mirrors: [
      { prefix: 'https://mirror.test/', target: 'http://127.0.0.1:1/x/' },
      { prefix: 'https://gone.test/', target: join(folder, 'gone') },
      { prefix: 'https://folder.test/p', target: join(folder, 'a') },
      { prefix: 'https://password.test/', target: 'http://u:%ZZ@127.0.0.1:1/' },
    ],
    allowEgress: ['127.0.0.0/8'],
  });
  for (const url of ODD) {
    const at = { kind: 'repository', repoURL: url, name: 'x' } as const;
    const sources: ChartSource[] = [
      { kind: 'url', url },
      { ...at, version: '1.0.0' },
      { ...at, version: '^1' },
    ];
    for (const chart of sources) {
      const error = await library.fetch(chart, AbortSignal.timeout(20_000)).catch((thrown: unknown) => thrown);
      assert.ok(isAppError(error) && error.status !== 500, `${chart.kind} ${url}: ${String(error)}`);
      const spec = { chart, values: {}, valuesFrom: [], targetNamespace: 'a', createNamespace: false, releaseName: 'x' };
      assert.match(helmCommand({ namespace: 'a', legacy: 0, spec }).text, /helm upgrade --install/, url);
    }
  }
});

test('an address with a user or a password is rejected, and shown without them', async (t) => {
  const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8'] });
  for (const before of [
    'https://ann:s3cret@',
    'https://s3cret@',
    'https:///ann:s3cret@',
    'https://\\ann:s3cret@',
    'https://ann:s3%ZZcret@',
    'oci://ann:s3cret@',
  ]) {
    const source = { kind: 'repository', repoURL: `${before}127.0.0.1:1/charts`, name: 'x', version: '1.0.0' } as const;
    for (const asked of [
      fetchURL(library, `${before}127.0.0.1:1/a.tgz`),
      library.fetch(source, AbortSignal.timeout(9_000)),
      library.versions(source, AbortSignal.timeout(9_000)),
    ]) {
      await assertFails(asked, 'InvalidInput', /must not hold a user or password.*spec\.chart\.secretRef/);
      await assert.rejects(asked, (error: Error) => !/s3cret|ann/.test(error.message));
    }
  }
});

test('a schema of any depth is read, or rejected with a sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const library = await libraryFor(t, { roots: { a: folder } });
  const nested = (depth: number): string => `${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`;
  const put = async (schema: string): Promise<void> =>
    await writeFile(join(folder, 'c.tgz'), await packChart('c', chartFiles('c', '1.0.0', { 'values.schema.json': schema })));
  await put(nested(100).replace('{}', '{"description": "[[[ \\" {{{"}'));
  assert.ok((await fetchURL(library, 'file://a/c.tgz')).contents.schema);
  for (const schema of [
    nested(200),
    nested(100_000),
    `{"allOf":${'['.repeat(400_000)}`,
    `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
  ]) {
    await put(schema);
    await assertFails(fetchURL(library, 'file://a/c.tgz'), 'ChartInvalid', /values\.schema\.json: it is nested more than 256 levels deep/);
  }
});
