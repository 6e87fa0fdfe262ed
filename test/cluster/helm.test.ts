import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { tmpdir } from 'node:os';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { describeFromOpenApiSpec } from '../../src/domain/uplift/openapi-spec.ts';
import { isCustomResourceDefinition, uplift } from '../../src/domain/uplift/uplift.ts';
import { createHelm, type Helm } from '../../src/helm/helm.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { chartFiles, type ChartFiles, LEGACY_CHART, packChart, writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';

const SEED = resolve(repoRoot, '..', 'shared', 'seed');
const LABELS = { 'chandlery.dev/owner': 'helm-test' };
const { signal } = new AbortController();

describe('helm on a real control plane', () => {
  let cluster: TestCluster;
  let helm: Helm;
  let kube: Kube;
  let folder: string;
  let namespaces = 0;

  before(async () => {
    cluster = await sharedCluster();
    folder = await mkdtemp(join(tmpdir(), 'chandlery-helm-'));
    helm = await createHelm({
      program: cluster.tools.helm,
      homeDir: join(folder, 'home'),
      kubeconfigPath: cluster.kubeconfigPath,
      maxChildren: 2,
      log: { debug: () => undefined },
    });
    kube = openKube(cluster.kubeconfigPath);
  });

  after(async () => {
    await kube.close();
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  async function namespace(): Promise<string> {
    namespaces += 1;
    const name = `helm-test-${process.pid}-${namespaces}`;
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  }

  async function chart(name: string, files: ChartFiles): Promise<string> {
    await writeFiles(folder, { [`${name}.tgz`]: await packChart('chart', files) });
    return join(folder, `${name}.tgz`);
  }

  const typeOf = async (apiVersion: string, kind: string): Promise<ResourceType> => {
    const type = await kube.find(apiVersion, kind);
    assert.ok(type !== undefined, `${apiVersion} ${kind} is served`);
    return type;
  };
  const read = async (apiVersion: string, kind: string, at: { name: string; namespace?: string }): Promise<KubeObject> =>
    await kube.asController().get({ ...(await typeOf(apiVersion, kind)), ...at });

  test('a release is installed, upgraded, rolled back and uninstalled, and its labels tell whose it is', async () => {
    const at = { release: 'demo', namespace: await namespace() };
    const template = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {replicas: {{ .Values.replicas | quote }}}\n';
    const chartPath = await chart('demo', chartFiles('demo', '1.0.0', { 'templates/a.yaml': template }));
    const replicas = async () =>
      ((await read('v1', 'ConfigMap', { name: 'a', namespace: at.namespace }))['data'] as Record<string, string>)['replicas'];

    assert.equal(await helm.status(at, signal), undefined);
    const installed = await helm.install({ ...at, chartPath, values: { replicas: 2 }, labels: LABELS }, signal);
    assert.deepEqual([installed.revision, installed.status, installed.chart], [1, 'deployed', 'demo-1.0.0']);
    assert.equal(await replicas(), '2');
    assert.deepEqual((await helm.status(at, signal))?.labels, LABELS);
    await assert.rejects(helm.install({ ...at, chartPath, values: {}, labels: LABELS }, signal), { code: 'ReleaseConflict' });

    const upgraded = await helm.upgrade({ ...at, chartPath, values: {}, labels: LABELS, historyLimit: 2 }, signal);
    assert.equal(upgraded.revision, 2);
    assert.equal(await replicas(), '1', 'no value of an earlier revision is kept');
    const back = await helm.rollback({ ...at, revision: 1 }, signal);
    assert.deepEqual([back.revision, back.status], [3, 'deployed']);
    assert.equal(await replicas(), '2');
    await helm.upgrade({ ...at, chartPath, values: {}, labels: LABELS, historyLimit: 2 }, signal);
    const history = await helm.history(at, signal);
    assert.deepEqual(
      history.map((info) => [info.revision, info.status]),
      [
        [4, 'deployed'],
        [3, 'superseded'],
      ],
    );
    assert.deepEqual(
      (await helm.manifest(at, signal)).map((object) => object.metadata.name),
      ['a'],
    );

    await helm.uninstall(at, signal);
    await helm.uninstall(at, signal);
    assert.deepEqual(await helm.history(at, signal), []);
    await assert.rejects(read('v1', 'ConfigMap', { name: 'a', namespace: at.namespace }), { code: 'NotFound' });
  });

  test('a field that the kind does not have fails an installation and an upgrade with its name', async () => {
    const at = { release: 'fields', namespace: await namespace() };
    const template = 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}], {{ .Values.field }}: here}\n';
    const chartPath = await chart('fields', chartFiles('fields', '1.0.0', { 'templates/a.yaml': template }));
    const wrong = { ...at, chartPath, values: { field: 'selektor' }, labels: LABELS };
    const named = { code: 'HelmFailed', message: /selektor/ };
    await assert.rejects(helm.install(wrong, signal), named);
    await helm.upgrade({ ...wrong, values: { field: 'externalName' } }, signal);
    await assert.rejects(helm.upgrade(wrong, signal), named);
  });

  test('a chart of 2018 is installed through the post-renderer: carried over, and without its CRDs', async () => {
    const at = { release: 'legacy', namespace: await namespace() };
    const chartPath = await chart('legacy', LEGACY_CHART);
    await helm.install({ ...at, chartPath, values: { host: 'a' }, labels: LABELS, postRender: 'uplift' }, signal);
    assert.equal((await read('apps/v1', 'Deployment', { name: 'legacy', namespace: at.namespace })).kind, 'Deployment');
    const kinds = (await helm.manifest(at, signal)).map((object) => `${object.apiVersion} ${object.kind}`).sort();
    assert.deepEqual(kinds, ['apps/v1 Deployment', 'rbac.authorization.k8s.io/v1 ClusterRoleBinding', 'v1 ConfigMap']);
    const settings = await read('v1', 'ConfigMap', { name: 'legacy-settings', namespace: at.namespace });
    assert.deepEqual(settings['data'], { answer: 'yes', clock: '1:30', host: 'a' });
    await helm.upgrade({ ...at, chartPath, values: { host: 'b' }, labels: LABELS, postRender: 'uplift' }, signal);
    await helm.uninstall(at, signal);
  });

  test('a chart of CRDs alone is a release of nothing', async () => {
    const at = { release: 'only-crds', namespace: await namespace() };
    const crd = 'apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.example.com}\nspec: {}\n';
    const chartPath = await chart('only-crds', chartFiles('only-crds', '1.0.0', { 'templates/a.yaml': crd }));
    const info = await helm.install({ ...at, chartPath, values: {}, labels: {}, postRender: 'uplift' }, signal);
    assert.equal(info.status, 'deployed');
    assert.deepEqual(await helm.manifest(at, signal), []);
    await helm.uninstall(at, signal);
  });

  test('what was not carried over is rejected by today’s api-server, and the failed release can be upgraded', async () => {
    const at = { release: 'mended', namespace: await namespace() };
    const chartPath = await chart('mended', LEGACY_CHART);
    const input = { ...at, chartPath, values: {}, labels: LABELS };
    await assert.rejects(helm.install(input, signal), {
      code: 'HelmFailed',
      message: /no matches for kind|unable to build kubernetes objects/,
    });
    const bad = await chart(
      'bad',
      chartFiles('bad', '1.0.0', { 'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: [1]\n' }),
    );
    await assert.rejects(helm.install({ ...input, chartPath: bad }, signal), { code: 'HelmFailed' });
    assert.equal((await helm.status(at, signal))?.status, 'failed');
    assert.deepEqual(await helm.unlock(at, signal), { kind: 'none' });
    assert.equal((await helm.upgrade({ ...input, postRender: 'uplift' }, signal)).status, 'deployed');
    await helm.uninstall(at, signal);
  });

  test('a foreign object in the way is a ReleaseConflict, not taken over', async () => {
    const at = { release: 'taken', namespace: await namespace() };
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: at.namespace } };
    await kube.asController().create(await typeOf('v1', 'ConfigMap'), config);
    const template = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
    const chartPath = await chart('taken', chartFiles('taken', '1.0.0', { 'templates/a.yaml': template }));
    await assert.rejects(helm.install({ ...at, chartPath, values: {}, labels: {} }, signal), { code: 'ReleaseConflict' });
  });

  test('a release that a dead worker left pending is freed: a first install goes, an upgrade goes back', async () => {
    const at = { release: 'stuck', namespace: await namespace() };
    const hook = (name: string) =>
      `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}\n  annotations: {"helm.sh/hook": "pre-install,pre-upgrade"}\nspec:\n  suspend: {{ .Values.hang }}\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}\n`;
    const files = chartFiles('stuck', '1.0.0', {
      'templates/hook.yaml': `{{ if .Values.hang }}${hook('{{ .Release.Name }}-{{ .Release.Revision }}')}{{ end }}`,
      'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    });
    const input = { ...at, chartPath: await chart('stuck', files), labels: LABELS };
    await killWhilePending('install', input);
    assert.deepEqual(await helm.unlock(at, signal), { kind: 'uninstall' });
    assert.equal(await helm.status(at, signal), undefined);

    assert.equal((await helm.install({ ...input, values: { hang: false } }, signal)).status, 'deployed');
    await killWhilePending('upgrade', input);
    assert.deepEqual(await helm.unlock(at, signal), { kind: 'rollback', revision: 1 });
    assert.equal((await helm.upgrade({ ...input, values: { hang: false } }, signal)).status, 'deployed');
    await helm.uninstall(at, signal);
  });

  /** Helm writes `failed` when it is asked to end; one that is killed writes nothing. */
  async function killWhilePending(
    verb: 'install' | 'upgrade',
    at: { release: string; namespace: string; chartPath: string },
  ): Promise<void> {
    const args = [
      verb,
      '--kubeconfig',
      cluster.kubeconfigPath,
      '--namespace',
      at.namespace,
      '--set',
      'hang=true',
      at.release,
      at.chartPath,
    ];
    const worker = spawn(cluster.tools.helm, args, { stdio: 'ignore', env: { HOME: folder } });
    try {
      await becomesPending(at);
    } finally {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
  }

  async function becomesPending(at: { release: string; namespace: string }): Promise<void> {
    const until = Date.now() + 30_000;
    while (Date.now() < until) {
      if ((await helm.status(at, signal))?.status.startsWith('pending-') === true) return;
    }
    assert.fail('the release never became pending');
  }

  for (const [file, values] of [
    ['postgres-crd-v2-chart-0.0.2.tgz', {}],
    ['moodle-operator-chart-0.0.1.tgz', { HOST_IP: '192.168.99.100' }],
  ] as const) {
    const skip = existsSync(join(SEED, file)) ? false : 'the seed charts are not beside this clone';
    test(
      `today’s api-server takes every object of the chart ${file} of 2018, its kind with the fields that it describes`,
      { skip },
      async () => {
        const at = { release: 'seed', namespace: await namespace() };
        const library = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { seed: SEED }, mirrors: [], allowEgress: [] });
        const { path, contents } = await library.fetch({ kind: 'url', url: `file://seed/${file}` }, signal);
        const rendered = await helm.render(
          { ...at, chartPath: path, values, kubeVersion: 'v1.36.3', apiVersions: [], isUpgrade: false },
          signal,
        );
        const { objects, failedConversions } = uplift(rendered);
        assert.deepEqual(failedConversions, []);
        // A dry run: the names are those of the chart, and other tests on this cluster may install it.
        for (const object of objects) {
          const described = isCustomResourceDefinition(object) ? describeFromOpenApiSpec(object, contents.openApiSpec ?? '') : object;
          const isClusterWide = described.kind === 'CustomResourceDefinition' || described.kind === 'ClusterRoleBinding';
          const placed = isClusterWide ? described : { ...described, metadata: { ...described.metadata, namespace: at.namespace } };
          const taken = await dryRun(placed);
          if (isCustomResourceDefinition(object)) assert.ok(fieldsOfSpec(taken).length > 1, 'the fields are described');
        }
      },
    );
  }

  async function dryRun(object: KubeObject): Promise<KubeObject> {
    const type = await typeOf(object.apiVersion, object.kind);
    return (await kube.asController().apply(type, object, { fieldManager: 'helm-test', force: 'force', dryRun: 'All' })).object;
  }

  function fieldsOfSpec(definition: KubeObject): string[] {
    const [version] = (definition.spec as { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[] })
      .versions;
    return Object.keys(version?.schema.openAPIV3Schema.properties.spec.properties ?? {});
  }
});
