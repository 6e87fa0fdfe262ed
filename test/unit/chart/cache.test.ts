import assert from 'node:assert/strict';
import { readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { assertFails, fetchFrom, fetchURL, libraryFor } from './library.ts';

const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'is broken off': (path) => truncate(path, 50),
  'has another byte': async (path) => {
    const bytes = await readFile(path);
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    await writeFile(path, bytes);
  },
  'is gone': (path) => rm(path),
};

for (const [damage, inflict] of Object.entries(DAMAGES)) {
  test(`a cached chart that ${damage} is given to nobody, and fetched again`, async (t) => {
    const root = await temporaryFolder(t);
    await writeFiles(root, { 'demo-1.0.0.tgz': await packChart('demo', chartFiles('demo', '1.0.0')) });
    const library = await libraryFor(t, { roots: { charts: root } });
    const chart = await fetchURL(library, 'file://charts/demo-1.0.0.tgz');
    assert.equal(await library.using(chart.path, async () => 'used'), 'used');
    await inflict(chart.path);
    await assertFails(
      library.using(chart.path, async () => 'used'),
      'ChartUnreachable',
      /missing or damaged in the chart cache; Chandlery fetches it again/,
    );
    assert.equal(await library.has(chart.digest), false);
    assert.equal(await library.contents(chart.digest), undefined);
    const pinned = await fetchFrom(library, { repoURL: 'file://charts', name: 'demo', version: '1.0.0', digest: chart.digest });
    assert.equal(pinned.digest, chart.digest);
    assert.equal(await library.has(chart.digest), true);
  });
}

test('the cache stays within its quota, and a chart in use stays in it', async (t) => {
  const root = await temporaryFolder(t);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) await writeFiles(root, { [`${name}.tgz`]: await packChart(name, chartFiles(name, '1.0.0')) });
  const cacheDir = join(await temporaryFolder(t), 'cache');
  const { length } = await readFile(join(root, 'a.tgz'));
  const library = await libraryFor(t, { roots: { charts: root }, cacheDir, cacheBytes: length * 2.5 });
  const fetchNamed = (name: string) => fetchURL(library, `file://charts/${name}.tgz`);
  const first = await fetchNamed('a');
  await library.using(first.path, async () => {
    for (const name of ['b', 'c', 'd']) await fetchNamed(name);
    assert.equal(await library.has(first.digest), true);
  });
  assert.equal((await readdir(cacheDir)).length, 2);
  for (const name of ['b', 'c', 'd']) await fetchNamed(name);
  assert.equal(await library.has(first.digest), false);
});
