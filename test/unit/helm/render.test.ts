import assert from 'node:assert/strict';
import { chmod, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { uplift } from '../../../src/domain/uplift/uplift.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { createHelm, type Helm, type HelmOptions } from '../../../src/helm/helm.ts';
import { chartFiles, type ChartFiles, LEGACY_CHART, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import type { RenderInput } from '../../../src/helm/render.ts';
import { writeSeedCharts } from '../../support/seed.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const { signal } = new AbortController();

interface Bench {
  readonly helm: Helm;
  readonly folder: string;
  readonly homeDir: string;
  render(files: ChartFiles, change?: Partial<RenderInput>): ReturnType<Helm['render']>;
}

async function bench(t: TestContext, options: Partial<HelmOptions> = {}): Promise<Bench> {
  const folder = await temporaryFolder(t);
  const homeDir = join(folder, 'home');
  const program = (await loadTools(ROOT)).helm;
  const helm = await createHelm({ program, homeDir, maxChildren: 2, log: { debug: () => undefined }, ...options });
  const input = { release: 'demo', namespace: 'default', values: {}, kubeVersion: 'v1.36.3', apiVersions: ['apps/v1'], isUpgrade: false };
  return {
    helm,
    folder,
    homeDir,
    render: async (files, change = {}) => {
      await writeFiles(folder, { 'chart.tgz': await packChart('chart', files) });
      return helm.render({ ...input, chartPath: join(folder, 'chart.tgz'), ...change }, signal);
    },
  };
}

test('a chart of 2018 renders whole, with the CRD that is a hook of Helm 2, and all of it is carried over', async (t) => {
  const { render } = await bench(t);
  const objects = await render(LEGACY_CHART, { values: { host: '10.0.0.1' } });
  assert.deepEqual(objects.map((object) => `${object.apiVersion} ${object.kind} ${object.metadata.name}`).sort(), [
    'apiextensions.k8s.io/v1beta1 CustomResourceDefinition boats.legacy.example.com',
    'apiextensions.k8s.io/v1beta1 CustomResourceDefinition ships.legacy.example.com',
    'apps/v1beta1 Deployment demo',
    'rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding demo-rbac',
    'v1 ConfigMap demo-settings',
  ]);
  const settings = objects.find((object) => object.kind === 'ConfigMap');
  assert.deepEqual(settings?.['data'], { answer: 'yes', clock: '1:30', host: '10.0.0.1' });
  const lifted = uplift(objects);
  assert.deepEqual(lifted.failedConversions, []);
  assert.equal(lifted.conversions.length, 4);
});

test('templates see the version and the APIs they are given, and whether it is an upgrade; hooks keep their annotation', async (t) => {
  const { render } = await bench(t);
  const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, annotations: {"helm.sh/hook": pre-install}}
data:
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
  has: {{ .Capabilities.APIVersions.Has "example.com/v1/Thing" | quote }}
  upgrade: {{ .Release.IsUpgrade | quote }}
  dns: {{ getHostByName "localhost" | quote }}
`;
  const files = chartFiles('chart', '1.0.0', { 'templates/a.yaml': template });
  const [object] = await render(files, { kubeVersion: 'v1.35.1', apiVersions: ['v1', 'example.com/v1/Thing'], isUpgrade: true });
  assert.deepEqual(object?.['data'], { kube: 'v1.35.1', has: 'true', upgrade: 'true', dns: '' });
  assert.equal(object?.metadata.annotations?.['helm.sh/hook'], 'pre-install');
});

test('a chart is read as Helm hands it to a post-renderer, with the quote that closes a text in column 0', async (t) => {
  const { render } = await bench(t);
  const template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  rule: 'one\n\n    two\n\n    '\n  b: x\n";
  const [object] = await render(chartFiles('chart', '1.0.0', { 'templates/a.yaml': template }));
  assert.deepEqual(object?.['data'], { rule: 'one\ntwo\n', b: 'x' });
});

test('what a post-renderer cannot read is reported by object, file and reason, without a secret', async (t) => {
  const { render } = await bench(t);
  const hook =
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c, annotations: {"helm.sh/hook": crd-install}}\n';
  const odd = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {a: b}\n  name: hunter2\ndata: [*hunter2]\n';
  const nameless = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {a: b}\n';
  const files = chartFiles('chart', '1.0.0', { 'templates/a.yaml': hook, 'templates/b.yaml': nameless });
  await assert.rejects(render(files), {
    code: 'HelmFailed',
    message: /^helm render of "demo" in namespace "default": ConfigMap \(chart\/templates\/b\.yaml\): .*has no metadata\.name$/,
  });
  await assert.rejects(render(chartFiles('chart', '1.0.0', { 'templates/b.yaml': odd }), { secrets: ['hunter2'] }), (error: Error) => {
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
});

test('a cluster may have thousands of kinds', async (t) => {
  const { render } = await bench(t);
  const many = Array.from({ length: 5000 }, (_, index) => `group-${index}.providers.example.com/v1alpha1/SomeLongKind${index}`);
  const template =
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {has: {{ .Capabilities.APIVersions.Has "LAST" | quote }}}\n';
  const files = chartFiles('chart', '1.0.0', { 'templates/a.yaml': template.replace('LAST', many.at(-1) ?? '') });
  assert.deepEqual((await render(files, { apiVersions: many }))[0]?.['data'], { has: 'true' });
});

test('values that a killed process left behind are removed at the next start', async (t) => {
  const folder = await temporaryFolder(t);
  const homeDir = join(folder, 'home');
  await writeFiles(homeDir, { 'values/old.json': '{}', 'values/young.json': '{}' });
  await utimes(join(homeDir, 'values', 'old.json'), 1, 1);
  await bench(t, { homeDir });
  assert.deepEqual(await readdir(join(homeDir, 'values')), ['young.json']);
});

test('what is in crds/ is left out, or included when asked for, as enabled subcharts have it', async (t) => {
  const { render } = await bench(t);
  const crd = (name: string) => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
  const dependency = (name: string) => `  - {name: ${name}, version: 1.0.0, repository: "", condition: ${name}.enabled}\n`;
  const files = {
    'Chart.yaml': `apiVersion: v2\nname: chart\nversion: 1.0.0\ndependencies:\n${dependency('used')}${dependency('unused')}`,
    'values.yaml': 'used: {enabled: true}\nunused: {enabled: false}\n',
    'crds/a.yaml': crd('own.example.com'),
    'charts/used/Chart.yaml': 'apiVersion: v2\nname: used\nversion: 1.0.0\n',
    'charts/used/crds/a.yaml': crd('used.example.com'),
    'charts/unused/Chart.yaml': 'apiVersion: v2\nname: unused\nversion: 1.0.0\n',
    'charts/unused/crds/a.yaml': crd('unused.example.com'),
  };
  assert.deepEqual(await render(files), []);
  assert.deepEqual((await render(files, { crds: 'include' })).map((object) => object.metadata.name).sort(), [
    'own.example.com',
    'used.example.com',
  ]);
});

test('a chart that does not render says where, and shows no secret', async (t) => {
  const { render, homeDir } = await bench(t);
  const files = chartFiles('chart', '1.0.0', { 'templates/a.yaml': '{{ fail (printf "the password %s is weak" .Values.password) }}' });
  await assert.rejects(render(files, { values: { password: 'hunter2!' }, secrets: ['hunter2!'] }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'HelmFailed');
    assert.match(
      error.message,
      /^helm render of "demo" in namespace "default": .*templates\/a.yaml:1:3\): the message of the chart repeats a value of a Secret/,
    );
    return true;
  });
  assert.deepEqual(await readdir(join(homeDir, 'values')), []);
});

test('a chart that renders something else than objects is a HelmFailed', async (t) => {
  const { render } = await bench(t);
  const files = chartFiles('chart', '1.0.0', { 'templates/a.yaml': 'kind: ConfigMap\nfoo: bar\n' });
  await assert.rejects(render(files), { code: 'HelmFailed', message: /ConfigMap \(chart\/templates\/a\.yaml\): .*no apiVersion/ });
});

test('a schema with a reference to elsewhere is not fetched', async (t) => {
  const { render } = await bench(t);
  const files = chartFiles('chart', '1.0.0', { 'values.schema.json': '{"$ref": "http://127.0.0.1:1/schema.json"}' });
  assert.deepEqual(await render(files), []);
});

test('no argument can be taken for an option', async (t) => {
  const { render, helm } = await bench(t);
  const files = chartFiles('chart', '1.0.0');
  for (const change of [
    { release: '--debug' },
    { release: 'a b' },
    { namespace: '-n' },
    { chartPath: '--set=a' },
    { kubeVersion: '--debug' },
    { apiVersions: ['v1', '--debug'] },
  ]) {
    await assert.rejects(render(files, change), { code: 'InvalidInput' }, JSON.stringify(change));
  }
  const install = { chartPath: '/chart.tgz', release: 'a', namespace: 'b', values: {} };
  for (const labels of [{ 'a,b': 'c' }, { a: 'b,c=d' }, { '': 'b' }]) {
    await assert.rejects(helm.install({ ...install, labels }, signal), { code: 'InvalidInput' }, JSON.stringify(labels));
  }
});

test('the program gets an environment of our own, values in a file for us alone, and no flag that the rules forbid', async (t) => {
  const folder = await temporaryFolder(t);
  const program = join(folder, 'helm');
  await writeFile(
    program,
    '#!/bin/sh\n{ env; echo "ARGS $@"; for a in "$@"; do case "$a" in values/*) ls -l "$a"; cat "$a";; esac; done; } > seen\nprintf "{}"\n',
  );
  await chmod(program, 0o700);
  process.env['CHANDLERY_TEST_SECRET'] = 'must not leak';
  t.after(() => delete process.env['CHANDLERY_TEST_SECRET']);
  const homeDir = join(folder, 'home, with a comma');
  const { helm } = await bench(t, { program, homeDir, kubeconfigPath: '/kube/config', kubeContext: 'ctx' });
  await helm.upgrade(
    {
      chartPath: '/chart.tgz',
      release: 'a',
      namespace: 'b',
      values: { key: 'v' },
      labels: { 'chandlery.dev/owner': 'x' },
      historyLimit: 3,
    },
    signal,
  );
  const seen = await readFile(join(homeDir, 'seen'), 'utf8');
  assert.doesNotMatch(seen, /must not leak|--debug|--set|--enable-dns|--take-ownership|--post-renderer/);
  assert.match(seen, new RegExp(`^HOME=${homeDir}$`, 'm'));
  assert.match(seen, /^GOMEMLIMIT=/m);
  assert.match(seen, /-rw------- .* values\//);
  assert.match(seen, /\{"key":"v"\}/);
  assert.match(
    seen,
    /ARGS upgrade --kubeconfig \/kube\/config --kube-context ctx .*--history-max 3 .*--labels chandlery\.dev\/owner=x -- a \/chart\.tgz\n/,
  );
  for (const flag of ['--skip-crds', '--skip-schema-validation', '--disable-openapi-validation']) assert.match(seen, new RegExp(flag));
});

test('a program that is not there, and one that never ends, are distinguished', async (t) => {
  const missing = await bench(t, { program: '/nowhere/helm' });
  await assert.rejects(missing.helm.history({ release: 'a', namespace: 'b' }, signal), {
    code: 'HelmFailed',
    message: /cannot be started; run bin\/setup/,
  });
  const folder = await temporaryFolder(t);
  const program = join(folder, 'helm');
  await writeFile(program, '#!/bin/sh\nexec sleep 60\n');
  await chmod(program, 0o700);
  const { helm } = await bench(t, { program });
  const install = { chartPath: '/chart.tgz', release: 'a', namespace: 'b', values: {}, labels: {} };
  await assert.rejects(helm.install({ ...install, timeoutMs: 300 }, signal), {
    code: 'HelmFailed',
    message: /took longer than 0.3 s and was stopped/,
  });
  await assert.rejects(helm.install(install, AbortSignal.timeout(300)), { name: 'TimeoutError' });
});

for (const [file, values, kinds] of [
  ['postgres-crd-v2-chart-0.0.2.tgz', {}, ['CustomResourceDefinition', 'Deployment']],
  ['moodle-operator-chart-0.0.1.tgz', { HOST_IP: '192.168.99.100' }, ['ClusterRoleBinding', 'CustomResourceDefinition', 'Deployment']],
] as const) {
  test(`the seed chart ${file} renders and is carried over without a failedConversion`, async (t) => {
    const { render, folder } = await bench(t);
    await writeSeedCharts(folder);
    const result = uplift(await render({}, { chartPath: join(folder, file), values }));
    assert.deepEqual(result.failedConversions, []);
    assert.deepEqual(result.conversions.map((conversion) => conversion.kind).sort(), kinds);
  });
}
