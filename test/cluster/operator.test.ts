import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CLUSTER_ROLE, CRD, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { operatorView } from '../../src/domain/catalog/operator-view.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, LEGACY_CHART, type ChartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP, kindsOf, operatorChart } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

const EVENTS: ResourceType = { group: '', version: 'v1', resource: 'events' };
let testCluster: TestCluster;
let world: OperatorWorld;

before(async () => {
  testCluster = await sharedCluster();
  world = await startOperatorWorld({ kubeconfigPath: testCluster.kubeconfigPath, helm: testCluster.tools.helm, namespaces: `ns-${RUN}-` });
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('an Operator whose chart is good', () => {
  it('becomes READY with its kinds, permissions and events, and an unchanged one keeps its revision', async () => {
    const namespace = await newNamespace();
    const { plural, group } = kindsOf('good');
    await world.writeChart('good', operatorChart('good', '1.0.0'));
    await world.create(namespace, 'good', spec('good', { catalog: { kinds: [{ kind: 'GoodPart', hidden: true }] } }));
    await world.condition(namespace, 'good', { type: 'Ready', status: 'True' });
    const status = await world.status(namespace, 'good');
    const main = `${plural}.${group}`;
    assert.equal(status.status, 'READY');
    assert.deepEqual(status.customResourceDefinitions, [main, `parts.${group}`]);
    assert.deepEqual(
      status.crds.map(({ name, origin, established }) => [name, origin, established]),
      [
        [main, 'crds', true],
        [`parts.${group}`, 'template', true],
      ],
    );
    assert.deepEqual(status.release, { name: 'good', namespace, revision: 1, status: 'deployed' });
    assert.equal(status.chart?.version, '1.0.0');
    assert.equal(findCondition(status.conditions, 'Uplifted')?.reason, 'NoDeprecatedAPIs');
    assert.equal(findCondition(status.conditions, 'Reconciling'), undefined);
    const crd = await world.kube.asController().get({ ...CRD, name: main });
    assert.equal(crd.metadata.labels?.['chandlery.dev/operator'], `${namespace}.good`);
    assert.deepEqual(
      await rolesOf(`${namespace}.good`),
      [main, `parts.${group}`]
        .map((name) => `chandlery-app-${name}-count`)
        .concat(['edit', 'impersonate', 'view'].map((word) => `chandlery-app-${main}-${word}`))
        .sort(),
    );
    const reasons = (await eventsOf(namespace)).map((event) => textAt(event, 'reason'));
    assert.ok(
      ['Fetched', 'Installing', 'Deployed', 'Ready'].every((reason) => reasons.includes(reason)),
      reasons.join(' '),
    );

    await annotate(namespace, 'good', { 'chandlery.dev/reconcile-at': 'now' });
    await eventually(async () => (await world.status(namespace, 'good')).lastHandledReconcileAt === 'now', 'the request is handled');
    await annotate(namespace, 'good', { other: 'x' });
    await merge(namespace, 'good', { catalog: { displayName: 'Good' } });
    await eventually(async () => (await world.status(namespace, 'good')).observedGeneration === 2, 'the new generation is seen');
    assert.deepEqual(await revisionsOf(namespace, 'good'), ['1 deployed']);
  });

  it('is upgraded when values or chart change', async () => {
    const namespace = await newNamespace();
    await world.writeChart('moving', operatorChart('moving', '1.0.0'));
    await world.create(namespace, 'moving', spec('moving'));
    await world.condition(namespace, 'moving', { type: 'Ready', status: 'True' });
    await merge(namespace, 'moving', { values: { replicas: 2 } });
    await eventually(async () => (await readyRevision(namespace, 'moving')) === 2, 'the second revision is ready');
    await world.writeChart('moving', operatorChart('moving', '1.1.0'));
    await merge(namespace, 'moving', { chart: { version: '1.1.0' } });
    await eventually(async () => (await readyRevision(namespace, 'moving')) === 3, 'the third revision is ready');
    assert.equal((await world.status(namespace, 'moving')).chart?.version, '1.1.0');
    assert.deepEqual(await revisionsOf(namespace, 'moving'), ['1 superseded', '2 superseded', '3 deployed']);
  });

  it('gets a CRD back that somebody deleted, without a new revision', async () => {
    const namespace = await newNamespace();
    const { plural, group } = kindsOf('lost');
    await world.writeChart('lost', operatorChart('lost', '1.0.0'));
    await world.create(namespace, 'lost', spec('lost'));
    await world.condition(namespace, 'lost', { type: 'Ready', status: 'True' });
    const ref = { ...CRD, name: `${plural}.${group}` };
    const before = await world.kube.asController().get(ref);
    await deleteWithIntent(world.kube.asController(), { type: CRD, object: before });
    await eventually(
      async () => (await found(ref))?.metadata.uid !== before.metadata.uid && (await found(ref)) !== undefined,
      'the definition is back',
      60,
    );
    await world.condition(namespace, 'lost', { type: 'Ready', status: 'True' });
    assert.deepEqual(await revisionsOf(namespace, 'lost'), ['1 deployed']);
  });

  it('of 2018 is carried over to today, each conversion listed, its hook CRD included', async () => {
    const namespace = await newNamespace();
    await world.writeChart('legacy-operator', LEGACY_CHART);
    await world.create(namespace, 'legacy', {
      name: 'legacy',
      chart: { repoURL: 'file://samples', name: 'legacy-operator', version: '0.0.1' },
    });
    await world.condition(namespace, 'legacy', { type: 'Ready', status: 'True' });
    const status = await world.status(namespace, 'legacy');
    assert.deepEqual(
      status.crds.map(({ name, origin }) => [name, origin]),
      [
        ['boats.legacy.example.com', 'hook'],
        ['ships.legacy.example.com', 'template'],
      ],
    );
    const uplifted = findCondition(status.conditions, 'Uplifted');
    assert.equal(uplifted?.reason, 'DeprecatedAPIsConverted');
    assert.match(uplifted.message, /Deployment "legacy" from apps\/v1beta1 to apps\/v1/);

    await world.create(namespace, 'strict', {
      ...spec('legacy-operator'),
      chart: { repoURL: 'file://samples', name: 'legacy-operator', version: '0.0.1' },
      legacyAPIs: 'Reject',
    });
    const rejected = await world.condition(namespace, 'strict', { type: 'Uplifted', status: 'False', reason: 'ConversionFailed' });
    assert.match(rejected.message, /spec\.legacyAPIs/);
    await drop(namespace, 'legacy');
  });
});

describe('an Operator that cannot be installed', () => {
  const cases: readonly { title: string; chart: () => ChartFiles; type: string; reason: string; message: RegExp }[] = [
    {
      title: 'because its chart does not render, is stalled and says why',
      chart: () => chartFiles('broken', '1.0.0', { 'templates/a.yaml': '{{ fail "no such size" }}\n' }),
      type: 'Released',
      reason: 'RenderFailed',
      message: /no such size/,
    },
    {
      title: 'because a CRD of it belongs to another Operator, is stalled and names that one',
      chart: () => operatorChart('thief', '1.0.0', 'owner'),
      type: 'CRDsEstablished',
      reason: 'CrdConflict',
      message: /the Operator "ns-[^"]*\/owner" owns it/,
    },
    {
      title: 'because there is no such chart, is stalled and says where it looked',
      chart: () => ({}),
      type: 'Fetched',
      reason: 'ChartNotFound',
      message: /file:\/\/samples/,
    },
  ];
  for (const [index, { title, chart, type, reason, message }] of cases.entries()) {
    it(title, async () => {
      const namespace = await newNamespace();
      const name = `bad-${index}`;
      if (reason === 'CrdConflict') await ready(namespace, 'owner');
      const files = chart();
      const chartName = /name: (\S+)/.exec(files['Chart.yaml'] ?? '')?.[1] ?? 'missing';
      await world.writeChart(chartName, files);
      await world.create(namespace, name, { ...spec(chartName), name });
      const condition = await world.condition(namespace, name, { type, status: 'False', reason });
      assert.match(condition.message, message);
      const status = await world.status(namespace, name);
      assert.equal(status.status, 'ERROR');
      assert.equal(findCondition(status.conditions, 'Ready')?.status, 'False');
      assert.equal(findCondition(status.conditions, 'Stalled')?.status, 'True');
      assert.equal(status.failures, 1);
      assert.deepEqual(await revisionsOf(namespace, name), []);
    });
  }

  it('because somebody else has a release of that name, leaves that release alone', async () => {
    const namespace = await newNamespace();
    await world.writeChart('plain', chartFiles('plain', '1.0.0', { 'templates/a.yaml': CONFIG_MAP }));
    const foreign = { release: 'taken', namespace, chartPath: `${world.chartsDir}/plain`, values: {}, labels: {} };
    await world.helm.install(foreign, AbortSignal.timeout(30_000));
    await world.create(namespace, 'taken', spec('plain', { name: 'taken' }));
    const condition = await world.condition(namespace, 'taken', { type: 'Released', status: 'False', reason: 'ReleaseConflict' });
    assert.match(condition.message, /spec\.releaseName/);
    assert.deepEqual(await revisionsOf(namespace, 'taken'), ['1 deployed']);
    await drop(namespace, 'taken');
    assert.deepEqual(await revisionsOf(namespace, 'taken'), ['1 deployed']);
  });

  it('because its namespace is missing, is installed once it may be created', async () => {
    const namespace = await newNamespace();
    await world.writeChart('plain', chartFiles('plain', '1.0.0', { 'templates/a.yaml': CONFIG_MAP }));
    await world.create(namespace, 'far', spec('plain', { name: 'far', targetNamespace: `${namespace}-far` }));
    await world.condition(namespace, 'far', { type: 'Released', status: 'False', reason: 'NamespaceMissing' });
    await merge(namespace, 'far', { createNamespace: true });
    await world.condition(namespace, 'far', { type: 'Ready', status: 'True' });
  });
});

describe('deleting an Operator', () => {
  it('waits for the last instance, which it names, then removes release and permissions and keeps the CRDs', async () => {
    const namespace = await newNamespace();
    const { plural, group } = await ready(namespace, 'kept');
    const type = { group, version: 'v1', resource: plural };
    await world.kube.asController().create(type, instance('kept', namespace, 'mine'));
    await world.kube.asController().delete({ ...OPERATOR, namespace, name: 'kept' });
    const condition = await world.condition(namespace, 'kept', { type: 'Deletable', status: 'False', reason: 'InstancesExist' });
    assert.match(condition.message, new RegExp(`1 instance: Kept ${namespace}/mine`));
    const status = await world.status(namespace, 'kept');
    assert.equal(status.status, 'DELETING');
    assert.equal(status.crds.find(({ name }) => name === `${plural}.${group}`)?.instances, 1);
    assert.deepEqual(await revisionsOf(namespace, 'kept'), ['1 deployed']);
    await world.kube.asController().delete({ ...type, namespace, name: 'mine' });
    await gone({ ...OPERATOR, namespace, name: 'kept' });
    assert.deepEqual(await revisionsOf(namespace, 'kept'), []);
    assert.deepEqual(await rolesOf(`${namespace}.kept`), []);
    const crd = await found({ ...CRD, name: `${plural}.${group}` });
    assert.ok(crd);
    assert.equal(crd.metadata.labels?.['chandlery.dev/operator'], undefined);
  });

  it('with Cascade takes instances, release and CRDs, in that order', async () => {
    const namespace = await newNamespace();
    const { plural, group } = await ready(namespace, 'cascade', { deletionPolicy: 'Cascade' });
    const type = { group, version: 'v1', resource: plural };
    await world.kube.asController().create(type, instance('cascade', namespace, 'held', ['example.com/hold']));
    await world.kube.asController().delete({ ...OPERATOR, namespace, name: 'cascade' });
    const waiting = { type: 'Deletable', status: 'False', reason: 'DeletingInstances' };
    await eventually(
      async () =>
        /since .* waits for the finalizer example\.com\/hold/.test((await world.condition(namespace, 'cascade', waiting)).message),
      'what holds the instance is reported',
    );
    const [blocker] = operatorView(await world.read(namespace, 'cascade')).deletion?.blockers ?? [];
    assert.deepEqual([blocker?.kind, blocker?.namespace, blocker?.name], ['Cascade', namespace, 'held']);
    assert.deepEqual([blocker?.finalizers, blocker?.heldBy], [['example.com/hold'], ['chandlery-test']]);
    assert.deepEqual(await revisionsOf(namespace, 'cascade'), ['1 deployed']);
    await world.kube
      .asController()
      .patch({ ...type, namespace, name: 'held' }, { type: 'merge', body: { metadata: { finalizers: null } } });
    await gone({ ...OPERATOR, namespace, name: 'cascade' });
    await gone({ ...CRD, name: `${plural}.${group}` });
    assert.deepEqual(await revisionsOf(namespace, 'cascade'), []);
  });

  it('with Orphan leaves release and CRDs as they are', async () => {
    const namespace = await newNamespace();
    const { plural, group } = await ready(namespace, 'orphan', { deletionPolicy: 'Orphan' });
    await drop(namespace, 'orphan');
    assert.deepEqual(await revisionsOf(namespace, 'orphan'), ['1 deployed']);
    assert.ok(await found({ ...CRD, name: `${plural}.${group}` }));
  });
});

function spec(chart: string, more: object = {}): object {
  return { name: chart, chart: { repoURL: 'file://samples', name: chart, version: '1.0.0' }, ...more };
}

function instance(name: string, namespace: string, instanceName: string, finalizers: readonly string[] = []): KubeObject {
  const { kind, group } = kindsOf(name);
  return { apiVersion: `${group}/v1`, kind, metadata: { name: instanceName, namespace, finalizers } };
}

async function ready(namespace: string, name: string, more: object = {}): Promise<ReturnType<typeof kindsOf>> {
  await world.writeChart(name, operatorChart(name, '1.0.0'));
  await world.create(namespace, name, spec(name, more));
  await world.condition(namespace, name, { type: 'Ready', status: 'True' });
  return kindsOf(name);
}

let namespaces = 0;
async function newNamespace(): Promise<string> {
  namespaces += 1;
  const name = `ns-${RUN}-${namespaces}`;
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}

async function revisionsOf(namespace: string, release: string): Promise<string[]> {
  const { items } = await world.kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${release}` });
  return items.map(({ metadata: { labels = {} } }) => `${labels['version'] ?? ''} ${labels['status'] ?? ''}`).sort();
}

async function readyRevision(namespace: string, name: string): Promise<number | undefined> {
  const status = await world.status(namespace, name);
  return status.status === 'READY' ? status.release?.revision : undefined;
}

async function rolesOf(label: string): Promise<string[]> {
  const { items } = await world.kube.asController().list(CLUSTER_ROLE, { labelSelector: `chandlery.dev/operator=${label}` });
  return items.map(({ metadata }) => metadata.name).sort();
}

async function eventsOf(namespace: string): Promise<readonly KubeObject[]> {
  const { items } = await world.kube.asController().list(EVENTS, { namespace });
  return items.filter((event) => textAt(event, 'involvedObject', 'kind') === 'Operator');
}

async function merge(namespace: string, name: string, change: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace, name }, { type: 'merge', body: { spec: change } });
}

async function annotate(namespace: string, name: string, annotations: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace, name }, { type: 'merge', body: { metadata: { annotations } } });
}

async function drop(namespace: string, name: string): Promise<void> {
  await world.kube.asController().delete({ ...OPERATOR, namespace, name });
  await gone({ ...OPERATOR, namespace, name });
}

async function found(ref: Parameters<ReturnType<OperatorWorld['kube']['asController']>['get']>[0]): Promise<KubeObject | undefined> {
  try {
    return await world.kube.asController().get(ref);
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function gone(ref: Parameters<typeof found>[0]): Promise<void> {
  await eventually(async () => (await found(ref)) === undefined, `${ref.resource} ${ref.name} is gone`, 60);
}
