import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import type { ChartLimits } from '../../../src/chart/limits.ts';
import type { ErrorCode } from '../../../src/domain/core/errors.ts';
import { packEntries, type RawEntry, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { assertFails, fetchURL } from './library.ts';

const CHART: RawEntry = { name: 'demo/Chart.yaml', content: 'apiVersion: v2\nname: demo\nversion: 1.0.0\n' };
const DEEP = `deep: ${'['.repeat(5000)}${']'.repeat(5000)}`;
const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, index) => bombLine(name, 'abcdefgh'[index] ?? '')),
].join('\n');

interface BadArchive {
  readonly title: string;
  readonly entries: readonly RawEntry[];
  readonly code?: ErrorCode;
  readonly sentence: RegExp;
  readonly limits?: Partial<ChartLimits>;
}

const BAD: readonly BadArchive[] = [
  {
    title: 'a name that climbs out',
    entries: [CHART, { name: 'demo/../../evil' }],
    sentence: /"demo\/..\/..\/evil" leads, or could lead, out/,
  },
  { title: 'a name that begins with ../', entries: [CHART, { name: '../evil' }], sentence: /out of the archive/ },
  { title: 'an absolute name', entries: [CHART, { name: '/etc/passwd' }], sentence: /out of the archive/ },
  { title: 'a name with ./ in it', entries: [CHART, { name: 'demo/./values.yaml' }], sentence: /out of the archive/ },
  { title: 'a name with a backslash', entries: [CHART, { name: 'demo\\..\\evil' }], sentence: /out of the archive/ },
  { title: 'a name with a drive', entries: [CHART, { name: 'c:/demo/evil' }], sentence: /out of the archive/ },
  {
    title: 'a symbolic link',
    entries: [CHART, { name: 'demo/values.yaml', type: 'symlink', linkname: '/etc/passwd' }],
    sentence: /holds a symlink "demo\/values.yaml"/,
  },
  { title: 'a hard link', entries: [CHART, { name: 'demo/a', type: 'link', linkname: 'demo/Chart.yaml' }], sentence: /holds a link/ },
  { title: 'a device', entries: [CHART, { name: 'demo/null', type: 'character-device' }], sentence: /holds a character-device/ },
  { title: 'a pipe', entries: [CHART, { name: 'demo/pipe', type: 'fifo' }], sentence: /holds a fifo/ },
  { title: 'two Chart.yaml', entries: [CHART, CHART], sentence: /holds the file "demo\/Chart.yaml" twice/ },
  { title: 'two folders', entries: [CHART, { name: 'other/Chart.yaml' }], sentence: /several folders: demo, other/ },
  {
    title: 'a chart without a folder',
    entries: [{ ...CHART, name: 'Chart.yaml' }],
    sentence: /not in the chart's folder; pack it with "helm package"/,
  },
  {
    title: 'no Chart.yaml',
    entries: [{ name: 'demo/values.yaml', content: 'a: 1' }],
    sentence: /no Chart.yaml in it, so it is not a chart/,
  },
  {
    title: 'too many entries',
    entries: [CHART, ...many(20)],
    limits: { entries: 20 },
    code: 'ChartTooLarge',
    sentence: /more than 20 entries/,
  },
  {
    title: 'one large file',
    entries: [CHART, { name: 'demo/big', content: 'x'.repeat(2000) }],
    limits: { fileBytes: 1000 },
    code: 'ChartTooLarge',
    sentence: /"demo\/big" is larger than 1000 bytes/,
  },
  {
    title: 'a name that is no chart name',
    entries: [{ ...CHART, content: 'name: ../x\nversion: 1.0.0' }],
    sentence: /Chart.yaml: the name "..\/x" is not a chart name/,
  },
  {
    title: 'a version that is none',
    entries: [{ ...CHART, content: 'name: demo\nversion: latest' }],
    sentence: /the version "latest" is not a semantic version/,
  },
  {
    title: 'a library',
    entries: [{ ...CHART, content: 'name: demo\nversion: 1.0.0\ntype: library' }],
    sentence: /"library" cannot be installed/,
  },
  { title: 'a Chart.yaml that is a list', entries: [{ ...CHART, content: '- a' }], sentence: /Chart.yaml: it does not hold a map/ },
  {
    title: 'values that are not YAML',
    entries: [CHART, { name: 'demo/values.yaml', content: 'a: [1' }],
    sentence: /values.yaml: the text is not YAML.*line 1, column/,
  },
  {
    title: 'values that are nested deeply',
    entries: [CHART, { name: 'demo/values.yaml', content: DEEP }],
    sentence: /values.yaml: the text is nested more than 100 levels/,
  },
  {
    title: 'values with an alias bomb',
    entries: [CHART, { name: 'demo/values.yaml', content: BOMB }],
    sentence: /values.yaml: the text expands its aliases more often/,
  },
  {
    title: 'a schema that is not JSON',
    entries: [CHART, { name: 'demo/values.schema.json', content: '{' }],
    sentence: /values.schema.json: it is not JSON/,
  },
  {
    title: 'a CRD file with something else',
    entries: [CHART, { name: 'demo/crds/a.yaml', content: 'a: 1' }],
    sentence: /crds\/a.yaml: document 1 is not a Kubernetes object/,
  },
];

for (const { title, entries, code = 'ChartInvalid', sentence, limits } of BAD) {
  test(`an archive is rejected for ${title}, and leaves nothing in the cache`, async (t) => {
    await assertRejected(t, await packEntries(entries), { code, sentence, ...(limits === undefined ? {} : { limits }) });
  });
}

test('an archive with a NUL in a name is rejected', async (t) => {
  const packed = await packEntries([CHART, { name: 'demo/a\0b', pax: { path: 'demo/a\0b' } }]);
  await assertRejected(t, packed, { code: 'ChartInvalid', sentence: /out of the archive|no tar archive/ });
});

test('a gzip bomb is stopped while it is unpacked', async (t) => {
  const packed = await packEntries([CHART, { name: 'demo/zeros', content: Buffer.alloc(60 * 1024 * 1024) }]);
  assert.ok(packed.length < 200_000);
  const before = process.memoryUsage().rss;
  await assertRejected(t, packed, { code: 'ChartTooLarge', sentence: /unpacks to more than 50 MiB/, limits: { fileBytes: 1024 ** 3 } });
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
});

test('a bomb in a packed subchart counts against the same limit', async (t) => {
  const inner = await packEntries([
    { ...CHART, name: 'sub/Chart.yaml' },
    { name: 'sub/zeros', content: Buffer.alloc(60 * 1024 * 1024) },
  ]);
  const packed = await packEntries([CHART, { name: 'demo/charts/sub-1.0.0.tgz', content: inner }]);
  await assertRejected(t, packed, {
    code: 'ChartTooLarge',
    sentence: /subchart charts\/sub-1.0.0.tgz: it unpacks to more/,
    limits: { fileBytes: 1024 ** 3 },
  });
});

test('values that keep the parser busy end with its time', async (t) => {
  const packed = await packEntries([CHART, { name: 'demo/values.yaml', content: 'a: [b, {c: d}]\n'.repeat(200_000) }]);
  await assertRejected(t, packed, { code: 'ChartInvalid', sentence: /its files could not be parsed in 0.4 s/, limits: { parseMs: 400 } });
});

test('an archive that breaks off is rejected as such', async (t) => {
  const packed = await packEntries([
    CHART,
    { name: 'demo/noise', content: Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * 7919) % 251)) },
  ]);
  await assertRejected(t, packed.subarray(0, packed.length - 200), { code: 'ChartInvalid', sentence: /breaks off before its end/ });
});

test('gzip without a tar inside is rejected as such', async (t) => {
  await assertRejected(t, gzipSync('just a text '.repeat(100)), { code: 'ChartInvalid', sentence: /no tar archive/ });
});

async function assertRejected(
  t: TestContext,
  packed: Buffer,
  expected: { code: ErrorCode; sentence: RegExp; limits?: Partial<ChartLimits> },
): Promise<void> {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, { 'mirror/demo.tgz': packed });
  const cacheDir = join(folder, 'cache');
  const mirrors = [{ prefix: 'https://charts.example.com/', target: join(folder, 'mirror') }];
  const library = await createChartLibrary({ cacheDir, roots: {}, mirrors, allowEgress: [], limits: expected.limits ?? {} });
  const sentence = new RegExp(`^chart: https://charts\\.example\\.com/demo\\.tgz: .*(${expected.sentence.source})`);
  await assertFails(fetchURL(library, 'https://charts.example.com/demo.tgz'), expected.code, sentence);
  assert.deepEqual(await readdir(cacheDir), []);
}

function many(count: number): RawEntry[] {
  return Array.from({ length: count }, (_, index) => ({ name: `demo/file-${index}`, content: '' }));
}

function bombLine(name: string, previous: string): string {
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${previous}`).join(', ')}]`;
}
