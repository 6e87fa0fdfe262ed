import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CRD, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, writeFiles, type ChartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP, kindsOf, operatorChart } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { createHands, type OperatorHands } from '../support/operator-hands.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

let testCluster: TestCluster;
let world: OperatorWorld;
let hands: OperatorHands;

before(async () => {
  testCluster = await sharedCluster();
  const namespaces = `take-${RUN}-`;
  world = await startOperatorWorld({ kubeconfigPath: testCluster.kubeconfigPath, helm: testCluster.tools.helm, namespaces });
  hands = createHands(world, namespaces);
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('a release that somebody has made without Chandlery', () => {
  it('is taken over when that is asked for, with its history, its CRDs and what is stored of them', async () => {
    const namespace = await hands.newNamespace();
    const { kind, plural, group } = kindsOf('taken');
    await installByHand(namespace, 'taken', olderChart('taken'));
    const definitions = [`${plural}.${group}`, `parts.${group}`, `olds.${group}`];
    const live = await Promise.all(definitions.map(uidOf));
    assert.ok(live.every((uid) => uid !== undefined));
    const type = { group, version: 'v1', resource: plural };
    const mine = { apiVersion: `${group}/v1`, kind, metadata: { name: 'mine', namespace } };
    await eventually(
      () =>
        world.kube
          .asController()
          .create(type, mine)
          .catch(() => undefined),
      'the kind is served',
    );

    await world.writeChart('taken', operatorChart('taken', '1.0.0'));
    await world.create(namespace, 'taken', spec('taken'));
    const rejected = await world.condition(namespace, 'taken', { type: 'Released', status: 'False', reason: 'ReleaseConflict' });
    assert.match(rejected.message, /set spec\.adopt to adopt it/);
    await hands.merge(namespace, 'taken', { adopt: true });
    await world.condition(namespace, 'taken', { type: 'Ready', status: 'True' });
    assert.deepEqual(await hands.revisionsOf(namespace, 'taken'), ['1 superseded', '2 deployed']);
    assert.deepEqual(await Promise.all(definitions.map(uidOf)), live);
    const status = await world.status(namespace, 'taken');
    assert.deepEqual([...status.customResourceDefinitions].sort(), definitions.sort());
    assert.equal((await world.kube.asController().get({ ...type, namespace, name: 'mine' })).metadata.name, 'mine');
    const [reported, ...more] = await hands.eventsOf(namespace, 'ReleaseAdopted');
    assert.deepEqual(more, []);
    assert.match(reported ?? '', /in revision 1 \(deployed\), was adopted with chart taken 1\.0\.0; its kinds: olds/);
  });

  it('is left alone when another Operator owns it, whatever is asked for', async () => {
    const namespace = await hands.newNamespace();
    await world.writeChart('shared', chartFiles('shared', '1.0.0', { 'templates/a.yaml': CONFIG_MAP }));
    await world.create(namespace, 'first', spec('shared'));
    await world.condition(namespace, 'first', { type: 'Ready', status: 'True' });
    await world.create(namespace, 'second', { ...spec('shared'), adopt: true });
    const rejected = await world.condition(namespace, 'second', { type: 'Released', status: 'False', reason: 'ReleaseConflict' });
    assert.match(rejected.message, /the Operator "[^"]*\/first" owns it/);
    assert.deepEqual(await hands.revisionsOf(namespace, 'shared'), ['1 deployed']);
  });
});

describe('an Operator that is in step', () => {
  it('is upgraded once for each new value of force-at, and for nothing else', async () => {
    const namespace = await hands.newNamespace();
    await world.writeChart('pressed', chartFiles('pressed', '1.0.0', { 'templates/a.yaml': CONFIG_MAP }));
    await world.create(namespace, 'pressed', spec('pressed'));
    await world.condition(namespace, 'pressed', { type: 'Ready', status: 'True' });
    await hands.annotate(namespace, 'pressed', { 'chandlery.dev/force-at': 'one' });
    await eventually(async () => (await readyRevision(namespace, 'pressed')) === 2, 'it was upgraded', 60);
    assert.equal((await world.status(namespace, 'pressed')).lastAttempted?.forcedAt, 'one');
    await hands.annotate(namespace, 'pressed', { 'chandlery.dev/reconcile-at': 'now' });
    await hands.annotate(namespace, 'pressed', { 'chandlery.dev/force-at': 'two' });
    await eventually(async () => (await readyRevision(namespace, 'pressed')) === 3, 'it was upgraded again', 60);
    assert.deepEqual(await hands.revisionsOf(namespace, 'pressed'), ['1 superseded', '2 superseded', '3 deployed']);
  });

  it('is installed again when an uninstall that somebody began was left half done', async () => {
    const namespace = await hands.newNamespace();
    await world.writeChart(
      'halved',
      chartFiles('halved', '1.0.0', { 'templates/a.yaml': CONFIG_MAP, 'templates/hook.yaml': FAILING_HOOK }),
    );
    await world.create(namespace, 'halved', spec('halved'));
    await world.condition(namespace, 'halved', { type: 'Ready', status: 'True' });
    const before = await recordOf(namespace, 'halved');
    await assert.rejects(world.helm.uninstall({ release: 'halved', namespace }, AbortSignal.timeout(60_000)), { code: 'HelmFailed' });
    await hands.annotate(namespace, 'halved', { 'chandlery.dev/reconcile-at': 'now' });
    const isAnew = async (): Promise<boolean> => {
      const after = await recordOf(namespace, 'halved');
      return after !== undefined && after !== before && (await hands.revisionsOf(namespace, 'halved')).join() === '1 deployed';
    };
    await eventually(isAnew, 'it is installed again', 60);
    await world.condition(namespace, 'halved', { type: 'Ready', status: 'True' });
    assert.deepEqual(
      (await world.status(namespace, 'halved')).history.map(({ revision, healthy }) => [revision, healthy]),
      [[1, true]],
    );
  });
});

function spec(name: string): object {
  return { name, chart: { repoURL: 'file://samples', name, version: '1.0.0' } };
}

/** As charts often are: all CRDs in templates, so that they are Helm's own; one of them is not in the newer chart. */
function olderChart(name: string): ChartFiles {
  const { 'crds/main.yaml': main = '', 'templates/part.yaml': part = '', ...files } = operatorChart(name, '0.9.0');
  const old = part.replaceAll('parts', 'olds').replace('Part', 'Old');
  return { ...files, 'templates/main.yaml': main, 'templates/part.yaml': part, 'templates/old.yaml': old };
}

async function installByHand(namespace: string, name: string, files: ChartFiles): Promise<void> {
  const chartPath = `${world.chartsDir}/by-hand-${name}`;
  await writeFiles(chartPath, files);
  await world.helm.install({ release: name, namespace, chartPath, values: {}, labels: {} }, AbortSignal.timeout(60_000));
}

async function uidOf(name: string): Promise<string | undefined> {
  try {
    const crd: KubeObject = await world.kube.asController().get({ ...CRD, name });
    return crd.metadata.deletionTimestamp === undefined ? crd.metadata.uid : 'being deleted';
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The uid of the record of the first revision. */
async function recordOf(namespace: string, release: string): Promise<string | undefined> {
  const { items } = await world.kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${release}` });
  return items[0]?.metadata.uid;
}

async function readyRevision(namespace: string, name: string): Promise<number | undefined> {
  const status = await world.status(namespace, name);
  return findCondition(status.conditions, 'Ready')?.status === 'True' ? status.release?.revision : undefined;
}

const FAILING_HOOK = `apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-last"
  annotations: {"helm.sh/hook": pre-delete}
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 1
  template: {spec: {restartPolicy: Never, nodeSelector: {no: such}, containers: [{name: a, image: example.com/a:1}]}}
`;
