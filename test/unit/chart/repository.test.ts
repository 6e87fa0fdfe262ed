import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartFiles, packChart, serveHttp, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { assertFails, fetchFrom, fetchURL, libraryFor } from './library.ts';

const REPOSITORY = 'https://charts.example.com/stable';
const { signal } = new AbortController();

test('a folder without an index offers its archives and chart folders, the newest fitting version first', async (t) => {
  const root = await temporaryFolder(t);
  await writeFiles(root, {
    'demo-1.0.0.tgz': await packChart('demo', chartFiles('demo', '1.0.0')),
    'demo-1.9.0.tgz': await packChart('demo', chartFiles('demo', '1.9.0')),
    'demo-2.0.0-rc.1.tgz': await packChart('demo', chartFiles('demo', '2.0.0-rc.1')),
    'demo-extra-9.0.0.tgz': 'another chart',
    'demo/Chart.yaml': 'name: demo\nversion: 1.10.0\n',
    'other/Chart.yaml': 'name: not-other\nversion: 1.0.0\n',
  });
  const library = await libraryFor(t, { roots: { charts: root } });
  const demo = { repoURL: 'file://charts', name: 'demo' };
  assert.deepEqual(await library.versions({ kind: 'repository', ...demo, version: '' }, signal), [
    '2.0.0-rc.1',
    '1.10.0',
    '1.9.0',
    '1.0.0',
  ]);
  const versionOf = async (version: string) => (await fetchFrom(library, { ...demo, version })).contents.metadata.version;
  assert.equal(await versionOf(''), '1.10.0');
  assert.equal(await versionOf('1.9.0'), '1.9.0');
  assert.equal(await versionOf('~1.0'), '1.0.0');
  assert.equal(await versionOf('2.0.0-rc.1'), '2.0.0-rc.1');
  await assertFails(versionOf('7.0.0'), 'ChartNotFound', /no version "7.0.0" of the chart "demo"; the newest ones are 2.0.0-rc.1, 1.10.0/);
  await assertFails(
    fetchFrom(library, { repoURL: 'file://charts', name: 'demos', version: '' }),
    'ChartNotFound',
    /the repository holds no chart named "demos"; check the name; names like it: demo$/,
  );
  await assertFails(
    fetchFrom(library, { repoURL: 'file://elsewhere', name: 'demo', version: '' }),
    'ChartUnreachable',
    /no root named "elsewhere"; the configured ones are: charts/,
  );
});

test('versions that lack parts are offered as Helm takes them, and asked for as ranges unless a chart has exactly them', async (t) => {
  const root = await temporaryFolder(t);
  const archives = ['1.2', 'v1', '1.16-SNAPSHOT', '1.2.7', '1.1'].map(
    async (version) => [`demo-${version}.tgz`, await packChart('demo', chartFiles('demo', `"${version}"`))] as const,
  );
  await writeFiles(root, {
    ...Object.fromEntries(await Promise.all(archives)),
    'loose/Chart.yaml': 'apiVersion: v2\nname: loose\nversion: "1.2"\n',
    'broken/Chart.yaml': 'apiVersion: v2\nname: broken\nversion: 1.2.3.4\n',
  });
  const library = await libraryFor(t, { roots: { charts: root } });
  const demo = { repoURL: 'file://charts', name: 'demo' };
  const versionOf = async (version: string, name = 'demo') =>
    (await fetchFrom(library, { ...demo, name, version })).contents.metadata.version;
  assert.deepEqual(await library.versions({ kind: 'repository', ...demo, version: '' }, signal), [
    '1.16-SNAPSHOT',
    '1.2.7',
    '1.2',
    '1.1',
    'v1',
  ]);
  const wishes = { '': '1.2.7', '1.2': '1.2', '~1.2': '1.2.7', '1': 'v1', '1.1': '1.1', '1.1.0': '1.1', '1.16-SNAPSHOT': '1.16-SNAPSHOT' };
  for (const [wished, version] of Object.entries(wishes)) assert.equal(await versionOf(wished), version, wished);
  assert.equal(await versionOf('', 'loose'), '1.2');
  await assertFails(versionOf('', 'broken'), 'ChartInvalid', /Chart\.yaml: the version "1\.2\.3\.4" is not a semantic version/);
});

test('uploaded charts are a repository of their versions, and nothing reads the archive of one that is cached', async (t) => {
  const archives = new Map(
    await Promise.all(['1.0.0', '2.0.0', '1.10.0'].map(async (v) => [v, await packChart('demo', chartFiles('demo', v))] as const)),
  );
  const read: string[] = [];
  const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const addressOf = (version: string): string => `file://uploaded/demo-${version}.tgz`;
  const library = await libraryFor(t, {
    uploads: {
      archive: async (address) => {
        const [version, bytes] = [...archives].find(([known]) => addressOf(known) === address) ?? [];
        if (version !== undefined) read.push(version);
        return bytes;
      },
      versions: async (name) =>
        name === 'demo' ? [...archives].map(([version, bytes]) => ({ version, address: addressOf(version), digest: digestOf(bytes) })) : [],
    },
  });
  const demo = { repoURL: 'file://uploaded', name: 'demo' };
  assert.deepEqual(await library.versions({ kind: 'repository', ...demo, version: '' }, signal), ['2.0.0', '1.10.0', '1.0.0']);
  for (const version of ['^1', '1.10.0', '^1'])
    assert.equal((await fetchFrom(library, { ...demo, version })).contents.metadata.version, '1.10.0');
  assert.deepEqual(read, ['1.10.0']);
  await assertFails(
    fetchFrom(library, { ...demo, version: '^3' }),
    'ChartNotFound',
    /no version "\^3" of the chart "demo"; the newest ones are 2.0.0/,
  );
  await assertFails(fetchFrom(library, { ...demo, name: 'other', version: '*' }), 'ChartNotFound', /no chart named "other" was uploaded/);
});

test('a chart folder is packed to the same digest each time, without what .helmignore leaves out, and an edit changes it', async (t) => {
  const root = await temporaryFolder(t);
  await writeFiles(root, { ...below('demo', chartFiles('demo', '1.0.0')), 'demo/.helmignore': 'controller/\n*.bak\n', 'demo/a.bak': 'x' });
  await writeFiles(root, { 'demo/controller/main.ts': 'program', 'demo/templates/.hidden': 'x', 'demo/templates/a.yaml': '' });
  const library = await libraryFor(t, { roots: { charts: root } });
  const fetchDemo = () => fetchFrom(library, { repoURL: 'file://charts', name: 'demo', version: '1.0.0' });
  const first = await fetchDemo();
  assert.deepEqual(first.contents.files, ['.helmignore', 'Chart.yaml', 'templates/a.yaml', 'values.yaml']);
  await writeFiles(root, { 'demo/controller/main.ts': 'another program' });
  assert.equal((await fetchDemo()).digest, first.digest);
  await writeFiles(root, { 'demo/values.yaml': 'replicas: 2\n' });
  const second = await fetchDemo();
  assert.notEqual(second.digest, first.digest);
  assert.deepEqual(second.contents.values, { replicas: 2 });
  assert.deepEqual((await library.contents(first.digest))?.values, { replicas: 1 });
});

test('a repository with an index gives the version asked for, and its digest is checked', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.1.0'));
  const digest = createHash('sha256').update(packed).digest('hex');
  const filler = Array.from({ length: 500 }, (_, index) => `  chart-${index}:\n  - version: 1.0.0\n    urls: [x.tgz]\n`).join('');
  const index = `apiVersion: v1\nentries:\n${filler}  demo:\n  - version: 1.0.0\n    urls:\n    - files/demo-1.0.0.tgz\n    digest: ${digest}\n  - version: 1.1.0\n    urls:\n    - files/demo-1.1.0.tgz\n    digest: ${digest}\n  zebra:\n  - version: 1.0.0\n    urls: [z.tgz]\ngenerated: "2020-01-01T00:00:00Z"\n`;
  const target = await serveHttp(t, (request, response) => {
    if (request.url === '/repo/index.yaml') response.end(index);
    else if (request.url?.startsWith('/repo/files/demo-1') === true) response.end(packed);
    else response.writeHead(404).end();
  });
  const library = await libraryFor(t, { mirrors: [{ prefix: `${REPOSITORY}/`, target: `${target}/repo` }] });
  const demo = { repoURL: REPOSITORY, name: 'demo' };
  const chart = await fetchFrom(library, { ...demo, version: '^1' });
  assert.equal(chart.digest, `sha256:${digest}`);
  const wrong = `sha256:${'0'.repeat(64)}`;
  await assertFails(
    fetchFrom(library, { ...demo, version: '1.1.0', digest: wrong }),
    'DigestMismatch',
    new RegExp(`its digest is sha256:${digest}, but ${wrong} is expected`),
  );
  await assertFails(
    fetchFrom(library, { repoURL: REPOSITORY, name: 'demos', version: '' }),
    'ChartNotFound',
    /holds no chart named "demos"/,
  );
  await assertFails(
    fetchFrom(library, { repoURL: `${REPOSITORY}/none`, name: 'demo', version: '' }),
    'ChartNotFound',
    /none\/index.yaml: answered 404/,
  );
});

test('a chart that is pinned and in the cache needs no network', async (t) => {
  const root = await temporaryFolder(t);
  await writeFiles(root, { 'demo-1.0.0.tgz': await packChart('demo', chartFiles('demo', '1.0.0')) });
  const library = await libraryFor(t, { mirrors: [{ prefix: `${REPOSITORY}/demo-1.0.0.tgz`, target: join(root, 'demo-1.0.0.tgz') }] });
  const { digest } = await fetchURL(library, `${REPOSITORY}/demo-1.0.0.tgz`);
  const kept = await fetchFrom(library, {
    repoURL: 'https://nowhere.invalid',
    name: 'demo',
    version: '1.0.0',
    digest: digest.replace('sha256:', ''),
  });
  assert.equal(kept.digest, digest);
});

test('an index of JSON, one that is HTML, and one without entries', async (t) => {
  const root = await temporaryFolder(t);
  await writeFiles(root, {
    'json/index.yaml': JSON.stringify({ entries: { demo: [{ version: '1.0.0', urls: ['demo.tgz'] }] } }),
    'json/demo.tgz': await packChart('demo', chartFiles('demo', '1.0.0')),
    'html/index.yaml': '<!doctype html><html><body class="a">no: charts</body></html>',
    'empty/index.yaml': 'apiVersion: v1\n',
  });
  const library = await libraryFor(t, { roots: { charts: root } });
  assert.equal((await fetchFrom(library, { repoURL: 'file://charts/json', name: 'demo', version: '' })).contents.metadata.version, '1.0.0');
  for (const folder of ['html', 'empty']) {
    await assertFails(
      fetchFrom(library, { repoURL: `file://charts/${folder}/`, name: 'demo', version: '' }),
      'ChartInvalid',
      /its index.yaml/,
    );
  }
});

test('neither dots, in any spelling, nor links lead out of a root or a mirror’s folder', async (t) => {
  const folder = await temporaryFolder(t);
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  await writeFiles(folder, { 'secret.tgz': packed, 'root/inside.tgz': packed });
  await symlink(join(folder, 'secret.tgz'), join(folder, 'root', 'link.tgz'));
  await symlink(join(folder, 'root', 'inside.tgz'), join(folder, 'root', 'fine.tgz'));
  const library = await libraryFor(t, {
    roots: { charts: join(folder, 'root') },
    mirrors: [{ prefix: 'https://charts.example.com/', target: join(folder, 'root') }],
  });
  for (const base of ['file://charts/', 'https://charts.example.com/']) {
    for (const path of [
      '..%2fsecret.tgz',
      '%2e%2e/secret.tgz',
      '%2e%2e%2fsecret.tgz',
      '..%5csecret.tgz',
      'link.tgz',
      'a%00b.tgz',
      '%zz.tgz',
      `..%2f..${folder}/secret.tgz`,
    ]) {
      await assertFails(fetchURL(library, base + path), 'ChartNotFound', /holds no such file/);
    }
    assert.equal((await fetchURL(library, `${base}fine.tgz`)).contents.metadata.name, 'demo');
  }
});

test('the longest prefix of a mirror counts, and a prefix ends between two segments', async (t) => {
  const folder = await temporaryFolder(t);
  const chart = async (name: string) => packChart(name, chartFiles(name, '1.0.0'));
  await writeFiles(folder, { 'all/team/a.tgz': await chart('all'), 'team/a.tgz': await chart('team') });
  const library = await libraryFor(t, {
    mirrors: [
      { prefix: 'https://charts.example.com', target: join(folder, 'all') },
      { prefix: 'https://charts.example.com/team', target: join(folder, 'team') },
    ],
  });
  assert.equal((await fetchURL(library, 'https://charts.example.com/team/a.tgz')).contents.metadata.name, 'team');
  await assertFails(fetchURL(library, 'https://charts.example.com/teams/a.tgz'), 'ChartNotFound', /holds no such file/);
  await assertFails(fetchURL(library, 'https://charts.example.com.evil.invalid/a.tgz'), 'ChartUnreachable', /cannot be resolved/);
});

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}
