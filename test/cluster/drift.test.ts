import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CONFIG_MAP, NAMESPACE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { at, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { whileDead } from '../support/dead-webhook.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

const NS = `drift-${RUN}`;
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {ours: good, free: good}\n';
let testCluster: TestCluster;
let world: OperatorWorld;

before(async () => {
  testCluster = await sharedCluster();
  world = await startOperatorWorld({ kubeconfigPath: testCluster.kubeconfigPath, helm: testCluster.tools.helm, namespaces: NS });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
  await world.writeChart('map', chartFiles('map', '1.0.0', { 'templates/a.yaml': MAP }));
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('an object that somebody changed', () => {
  it('is named with field and manager under Warn, and stays', async () => {
    await install('warned', { mode: 'Warn' });
    await world.condition(NS, 'warned', { type: 'Drifted', status: 'False', reason: 'NoDrift' });
    await change('warned', { ours: 'bad', theirs: 'new' });
    await ask('warned');
    const drifted = await world.condition(NS, 'warned', { type: 'Drifted', status: 'True', reason: 'DriftDetected' });
    assert.equal(drifted.message, `ConfigMap ${NS}/warned data.ours (by somebody)`);
    assert.equal(findCondition((await world.status(NS, 'warned')).conditions, 'Ready')?.status, 'True');
    assert.equal(textAt(await read('warned'), 'data', 'ours'), 'bad');
  });

  it('is put right under Enabled, what is not ours and what may differ stays, and a gone one comes back', async () => {
    await install('mended', { mode: 'Enabled', ignore: [{ kind: 'ConfigMap', paths: ['data.free'] }] });
    await world.condition(NS, 'mended', { type: 'Drifted', status: 'False' });
    await change('mended', { ours: 'bad', theirs: 'new', free: 'mine' });
    await ask('mended');
    await eventually(async () => textAt(await read('mended'), 'data', 'ours') === 'good', 'the field is put right', 60);
    assert.deepEqual(at(await read('mended'), 'data'), { ours: 'good', theirs: 'new', free: 'mine' });
    const { metadata } = await read('mended');
    assert.equal(metadata.annotations?.['meta.helm.sh/release-name'], 'mended');
    assert.deepEqual((await world.status(NS, 'mended')).release?.revision, 1);

    await world.kube.asController().delete({ ...CONFIG_MAP, namespace: NS, name: 'mended' });
    await ask('mended');
    await eventually(async () => (await found('mended')) !== undefined, 'the object is back', 60);
    await world.condition(NS, 'mended', { type: 'Drifted', status: 'False' });
  });

  it('again and again is left alone, and the other manager is named', async () => {
    await install('fought', { mode: 'Enabled' });
    await world.condition(NS, 'fought', { type: 'Drifted', status: 'False' });
    await change('fought', { ours: 'bad' });
    await ask('fought');
    await eventually(async () => textAt(await read('fought'), 'data', 'ours') === 'good', 'the field is put right', 60);
    await change('fought', { ours: 'bad' });
    await ask('fought');
    const contended = await world.condition(NS, 'fought', { type: 'Drifted', status: 'True', reason: 'Contended' });
    assert.match(contended.message, /data\.ours \(by somebody\)/);
    assert.equal(textAt(await read('fought'), 'data', 'ours'), 'bad');
  });

  it('is distinguished from one that cannot be compared, because a webhook does not answer', async () => {
    await install('unanswered', { mode: 'Warn' });
    await world.condition(NS, 'unanswered', { type: 'Drifted', status: 'False', reason: 'NoDrift' });
    const clientConfig = { service: { namespace: NS, name: 'nowhere' } };
    const webhook = { name: `${NS}-dead`, clientConfig, timeoutSeconds: 2, group: '', objects: 'unanswered' };
    await whileDead(world.kube.asController(), webhook, async () => {
      // The api-server takes a moment to know a webhook.
      const asked = async (): Promise<boolean> => await change('unanswered', { theirs: 'new' }).then(() => false, isUnanswered);
      await eventually(asked, 'the webhook is asked');
      await ask('unanswered');
      const { message } = await world.condition(NS, 'unanswered', { type: 'Drifted', status: 'Unknown', reason: 'NotCompared' });
      assert.match(message, new RegExp(`ConfigMap ${NS}/unanswered: the webhook "${NS}-dead\\.example\\.com" does not answer`));
      assert.equal(findCondition((await world.status(NS, 'unanswered')).conditions, 'Ready')?.status, 'True');
    });
  });
});

function isUnanswered(error: unknown): boolean {
  return isAppError(error, 'WebhookUnavailable');
}

async function install(name: string, driftDetection: object): Promise<void> {
  await world.create(NS, name, { chart: { repoURL: 'file://samples', name: 'map', version: '1.0.0' }, driftDetection });
  await world.condition(NS, name, { type: 'Ready', status: 'True' });
}

async function change(name: string, data: object): Promise<void> {
  const options = { fieldManager: 'somebody' };
  await world.kube.asController().patch({ ...CONFIG_MAP, namespace: NS, name }, { type: 'merge', body: { data } }, options);
}

async function ask(name: string): Promise<void> {
  const body = { metadata: { annotations: { 'chandlery.dev/reconcile-at': String(performance.now()) } } };
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body });
}

async function read(name: string): Promise<KubeObject> {
  const object = await found(name);
  assert.ok(at(object, 'data') !== undefined);
  return object as KubeObject;
}

async function found(name: string): Promise<KubeObject | undefined> {
  try {
    return await world.kube.asController().get({ ...CONFIG_MAP, namespace: NS, name });
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
