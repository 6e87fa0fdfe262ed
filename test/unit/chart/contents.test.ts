import assert from 'node:assert/strict';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { packChart, packEntries, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { fetchURL, libraryFor } from './library.ts';

const FULL = {
  'Chart.yaml': `apiVersion: v2
name: full
version: v1.2.3
appVersion: 16.4
description: All there is
icon: https://example.com/icon.svg
home: https://example.com
kubeVersion: ">=1.30.0-0"
keywords: [database, 7]
maintainers: [{name: Ann, email: ann@example.com}]
dependencies: [{name: common, version: 2.x.x, repository: "https://charts.example.com", condition: common.enabled}]
`,
  'values.yaml': '# How many.\nreplicas: 1\nyes: no\n__proto__: {polluted: true}\n',
  'values.schema.json': '{"type": "object"}',
  'README.md': '# Full',
  'openapispec.json': '{"definitions": {}}',
  'crds/b.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bs.example.com}\n---\n---\n# nothing\n',
  'crds/a.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\n',
  'crds/notes.txt': 'not YAML: [',
  'charts/sub/crds/c.yaml': 'not read: [',
};

test('a chart whose files are UTF-16 is rejected, which Helm reads in some of them alone', async (t) => {
  const folder = await temporaryFolder(t);
  const library = await libraryFor(t, { roots: { charts: folder } });
  for (const [index, name] of ['Chart.yaml', 'values.yaml', 'templates/a.yaml', 'charts/sub/values.yaml'].entries()) {
    const wide = Buffer.from(`a: b\n`, 'utf16le').toString('latin1');
    await writeFiles(folder, { [`${index}.tgz`]: await packChart('full', { ...FULL, [name]: wide }) });
    const message = new RegExp(`${name}: it is UTF-16 text: save it as UTF-8`);
    await assert.rejects(fetchURL(library, `file://charts/${index}.tgz`), { code: 'ChartInvalid', message });
  }
});

test('a chart is read: metadata, values as Helm reads them, schema, README and CRDs in order', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, { 'full.tgz': await packChart('full', FULL) });
  const { contents } = await fetchURL(await libraryFor(t, { roots: { charts: folder } }), 'file://charts/full.tgz');
  assert.deepEqual(contents.metadata, {
    name: 'full',
    version: 'v1.2.3',
    appVersion: '16.4',
    description: 'All there is',
    icon: 'https://example.com/icon.svg',
    home: 'https://example.com',
    kubeVersion: '>=1.30.0-0',
    keywords: ['database'],
    maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
    dependencies: [{ name: 'common', version: '2.x.x', repository: 'https://charts.example.com', condition: 'common.enabled' }],
  });
  assert.deepEqual(Object.keys(contents.values), ['replicas', 'true', '__proto__']);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.match(contents.valuesText, /^# How many\./);
  assert.deepEqual(contents.schema, { type: 'object' });
  assert.equal(contents.readme, '# Full');
  assert.equal(contents.openApiSpec, '{"definitions": {}}');
  assert.deepEqual(
    contents.crds.map((crd) => crd.metadata.name),
    ['as.example.com', 'bs.example.com'],
  );
  assert.equal(contents.files.length, 9);
});

test('of templates, libraries and values in ci/ a chart keeps what they tell of its values, and not the files', async (t) => {
  const folder = await temporaryFolder(t);
  const library = await packChart('lib', {
    'Chart.yaml': 'name: lib\nversion: 1.0.0\ntype: library\n',
    'templates/_render.tpl': '{{ define "lib.labels" }}{{ toYaml .labels }}{{ end }}',
  });
  const files = {
    'Chart.yaml': 'name: hints\nversion: 1.0.0\n',
    'values.yaml': 'where: []\nmarks: {}\nlimits: {}\n',
    'templates/pod.yaml':
      'kind: Pod\nmetadata:\n  labels: {{ include "lib.labels" (dict "labels" .Values.marks) | nindent 4 }}\nspec:\n  tolerations: {{ toYaml .Values.where }}\n',
    'ci/some-values.yaml': 'limits: {depth: 3}\n',
    'ci/broken.yaml': 'a: [',
  };
  const entries = [...Object.entries(files), ['charts/lib-1.0.0.tgz', library] as const];
  await writeFiles(folder, { 'hints.tgz': await packEntries(entries.map(([name, content]) => ({ name: `hints/${name}`, content }))) });
  const { contents } = await fetchURL(await libraryFor(t, { roots: { charts: folder } }), 'file://charts/hints.tgz');
  assert.deepEqual(contents.hints, {
    members: {
      marks: { type: 'text{}' },
      where: { type: 'Toleration[]' },
      limits: { type: { type: 'object', properties: { depth: { type: ['number', 'string'] } }, additionalProperties: true } },
    },
  });
  assert.ok(!stringifyJson(contents).includes('nindent'));
});

test('the templates of subcharts tell of the values below their names and aliases, and of global ones', async (t) => {
  const folder = await temporaryFolder(t);
  const pod = (...lines: string[]): string => `kind: Pod\nspec:\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const metrics = {
    'charts/metrics/Chart.yaml': 'name: metrics\nversion: 1.0.0\n',
    'charts/metrics/templates/pod.yaml': pod('nodeSelector: {{ toYaml .Values.where }}'),
  };
  const redis = await packChart('redis', {
    'Chart.yaml': 'name: redis\nversion: 1.0.0\n',
    'templates/pod.yaml': pod('tolerations: {{ toYaml .Values.where }}', 'imagePullSecrets: {{ toYaml .Values.global.pulls }}'),
    ...metrics,
  });
  const dependencies =
    '[{name: redis, alias: cache, version: 1.0.0}, {name: redis, alias: queue, version: 1.0.0}, {name: odd, version: 1.0.0}]';
  const files = {
    'Chart.yaml': `apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: ${dependencies}\n`,
    'values.yaml': 'global: {pulls: []}\ncache: {where: [], metrics: {where: {}}}\nqueue: {where: []}\nodd: {where: {}}\n',
    'templates/pod.yaml': pod('tolerations: {{ toYaml .Values.queue.where }}'),
    'charts/odd/Chart.yaml': 'name: odd\nversion: 1.0.0\n',
    'charts/odd/templates/broken.yaml': '{{ if }}{{ .Values.where',
  };
  const entries = [...Object.entries(files), ['charts/redis-1.0.0.tgz', redis] as const];
  await writeFiles(folder, {
    'umbrella.tgz': await packEntries(entries.map(([name, content]) => ({ name: `umbrella/${name}`, content }))),
  });
  const { contents } = await fetchURL(await libraryFor(t, { roots: { charts: folder } }), 'file://charts/umbrella.tgz');
  const inRedis = { where: { type: 'Toleration[]' }, metrics: { members: { where: { type: 'text{}' } } } };
  assert.deepEqual(contents.hints.members, {
    queue: { members: inRedis },
    global: { members: { pulls: { type: 'LocalObjectReference[]' } } },
    cache: { members: inRedis },
  });
});

test('an icon that is no https or data address is left out', async (t) => {
  const folder = await temporaryFolder(t);
  const chart = { 'Chart.yaml': 'name: demo\nversion: 1.0.0\nicon: "javascript:alert(1)"\n' };
  await writeFiles(folder, { 'demo.tgz': await packChart('demo', chart) });
  const { contents } = await fetchURL(await libraryFor(t, { roots: { charts: folder } }), 'file://charts/demo.tgz');
  assert.equal(contents.metadata.icon, undefined);
  assert.deepEqual([contents.values, contents.valuesText, contents.readme, contents.crds], [{}, '', '', []]);
});

test('the cache does not give out what was tampered with, and outlives the library', async (t) => {
  const folder = await temporaryFolder(t);
  const cacheDir = join(folder, 'cache');
  await writeFiles(folder, { 'root/full.tgz': await packChart('full', FULL) });
  const options = { cacheDir, roots: { charts: join(folder, 'root') }, mirrors: [], allowEgress: [] };
  const first = await fetchURL(await createChartLibrary(options), 'file://charts/full.tgz');
  const library = await createChartLibrary(options);
  assert.deepEqual(await library.contents(first.digest), first.contents);
  assert.equal(await library.contents(`sha256:${'0'.repeat(64)}`), undefined);
  assert.equal(await library.contents('../../etc/passwd'), undefined);
  await appendFile(first.path, 'more');
  assert.equal(await library.contents(first.digest), undefined);
  assert.deepEqual(await readdir(cacheDir), []);
});
