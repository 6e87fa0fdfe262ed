import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { numberAt } from '../../src/domain/core/read.ts';
import { healthOf } from '../../src/domain/health/rules/health-of.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { APP_DEFINITION, DEPLOYMENT, EVENT, HORIZONTAL_POD_AUTOSCALER } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { deploymentTemplate } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';

// Runs in test:all: it runs several controllers of one cluster.

const RUN = Date.now().toString(36).slice(-5);
const HOME = `pods-${RUN}-home`;
const NAME = `pods-${RUN}`;
const DAY_MS = 86_400_000;

const WEB = {
  'values.yaml': 'replicas: 2\n',
  'templates/web.yaml': deploymentTemplate({ replicas: '{{ .Values.replicas }}', container: 'web', image: 'nginx' }),
};

describe('the replicas of an instance', () => {
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let webs: ResourceType;
  before(async () => {
    testCluster = await sharedCluster();
    world = await startInstanceWorld(testCluster, `pods-${RUN}`);
    await world.environment(HOME);
    webs = await world.offer(NAME, { '1.0.0': WEB }, { scale: { specReplicasPath: 'spec.values.replicas' } });
  });
  after(async () => {
    await world?.stop();
    await testCluster?.stop();
  });

  const ready = { type: 'Ready', status: 'True' };

  it('scales with kubectl scale, and with a HorizontalPodAutoscaler that reads its pods', { timeout: 180_000 }, async () => {
    const key = { namespace: HOME, name: 'elastic' };
    const kubectl = async (...args: readonly string[]): Promise<string> => {
      const program = testCluster.tools.kubectl ?? 'kubectl';
      return (await execa(program, ['--kubeconfig', testCluster.kubeconfigPath, '--namespace', HOME, ...args])).stdout;
    };
    const scaled = async (replicas: number): Promise<boolean> =>
      await eventually(async () => (await world.status(webs, key)).replicas === replicas, `${replicas} replicas`, 60);
    const lock = async (locked: readonly string[]): Promise<unknown> =>
      await world.kube.asController().patch({ ...APP_DEFINITION, name: NAME }, { type: 'merge', body: { spec: { catalog: { locked } } } });
    const target = `${webs.resource}.${webs.group}/${key.name}`;
    await world.create(webs, key);
    await scaled(2);
    assert.match(await kubectl('scale', target, '--replicas', '1'), /scaled$/);
    await scaled(1);
    const { spec, status } = JSON.parse(await kubectl('get', target, '--subresource', 'scale', '--output', 'json')) as KubeObject;
    assert.deepEqual([spec, status], [{ replicas: 1 }, { replicas: 1, selector: `app=pods${RUN}-elastic` }]);
    // It asks for nothing to be measured while there are fewer than its minimum.
    const apiVersion = `${webs.group}/${webs.version}`;
    const kind = `Pods${RUN}`;
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }];
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: key.name, namespace: HOME },
      spec: { scaleTargetRef: { apiVersion, kind, name: key.name }, minReplicas: 3, maxReplicas: 4, metrics },
    };
    await world.kube.asController().create(HORIZONTAL_POD_AUTOSCALER, autoscaler);
    await scaled(3);
    await world.condition(webs, key, ready);
    await world.kube.asController().delete({ ...HORIZONTAL_POD_AUTOSCALER, ...key });
    await lock(['spec.values.replicas']);
    await scaled(2);
    const ignored = /is installed and healthy; some values have no effect: spec\.values\.replicas is locked by the AppDefinition pods/;
    await eventually(async () => ignored.test((await world.condition(webs, key, ready)).message), 'it says that the scale is locked', 60);
    await lock([]);
    await scaled(3);
  });

  it('are zero between its expiry and its deletion, and those of before when it is given more time', { timeout: 180_000 }, async () => {
    const key = { namespace: HOME, name: 'trial' };
    const cluster = world.kube.asController();
    const inDays = (days: number): string => `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)}Z`;
    const expires = async (days: number): Promise<void> => await world.merge(webs, key, { spec: { expires: inDays(days) } });
    const replicas = async (): Promise<number | undefined> =>
      numberAt((await cluster.get({ ...DEPLOYMENT, namespace: HOME, name: `pods${RUN}-trial` })).spec, 'replicas');
    const expired = async (status: string, reason: string) => await world.condition(webs, key, { type: 'Expired', status, reason });
    await world.create(webs, { ...key, spec: { expires: inDays(30) } });
    await world.condition(webs, key, ready);
    await expired('False', 'NotDue');
    await expires(0.5);
    const soon = await expired('False', 'ExpiresSoon');
    assert.match(
      soon.message,
      /^The instance expires at 2\S+: its workloads are scaled to zero then, and it is deleted at 2\S+\. To keep it, set a later spec/,
    );
    await world.condition(webs, key, ready);
    await expires(-1);
    await expired('True', 'Expired');
    const zero = await world.condition(webs, key, { type: 'Ready', status: 'False', reason: 'Expired' });
    assert.match(zero.message, /scaled to zero: Deployment pods.*-trial \(2 replicas\)\. To wake the instance, set a later spec\.expires$/);
    assert.deepEqual(healthOf(await cluster.get({ ...webs, ...key })), { status: 'Suspended', message: 'Expired, so nothing of it runs' });
    assert.equal(await replicas(), 0);
    await cluster.patch({ ...DEPLOYMENT, namespace: HOME, name: `pods${RUN}-trial` }, { type: 'merge', body: { spec: { replicas: 1 } } });
    await eventually(async () => (await replicas()) === 0, 'what somebody starts is scaled to zero again', 30);
    await world.restart();
    const { expiry } = await world.status(webs, key);
    assert.ok(Date.parse(expiry?.deletesAt ?? '') > Date.now() + 2.9 * DAY_MS, 'the grace period begins when it is known');
    await expires(30);
    await expired('False', 'NotDue');
    await world.condition(webs, key, ready);
    assert.equal(await replicas(), 1, 'as somebody had it last');
    await expires(-1);
    await world.condition(webs, key, { type: 'Ready', status: 'False', reason: 'Expired' });
    const events = await cluster.list(EVENT, { namespace: HOME, fieldSelector: `involvedObject.name=${key.name}` });
    const told = events.items.map(({ reason, count }) => `${String(reason)} ${String(count)}`).filter((one) => one.startsWith('Expir'));
    assert.deepEqual(told.sort(), ['Expired 1', 'Expired 1', 'ExpiresSoon 1', 'ExpiryExtended 1']);
    await cluster.patch({ ...APP_DEFINITION, name: NAME }, { type: 'merge', body: { spec: { expiry: { gracePeriod: '0s' } } } });
    await eventually(
      async () => (await ifFound(cluster.get({ ...webs, ...key }))) === undefined,
      'it is deleted after the grace period',
      60,
    );
  });

  it(
    'are none of an instance that had expired before it was released, and its AppDefinition says the latest',
    { timeout: 90_000 },
    async () => {
      const key = { namespace: HOME, name: 'late' };
      const cluster = world.kube.asController();
      const expiry = { after: '1h', warnBefore: '2h', gracePeriod: '48h' };
      await cluster.patch({ ...APP_DEFINITION, name: NAME }, { type: 'merge', body: { spec: { expiry } } });
      const settings = { ...key, name: 'short', spec: { expires: '2099-01-01T00:00:00Z' } };
      await world.create(webs, settings);
      const soon = await world.condition(webs, settings, { type: 'Expired', status: 'False', reason: 'ExpiresSoon' });
      assert.match(soon.message, new RegExp(`To keep it, ask an admin for a longer spec\\.expiry\\.after of the AppDefinition ${NAME}$`));
      await world.condition(webs, settings, ready);
      await world.create(webs, { ...key, spec: { expires: '2026-01-01T00:00:00Z' } });
      await world.condition(webs, key, { type: 'Stalled', status: 'True', reason: 'Expired' });
      assert.equal((await world.status(webs, key)).release, undefined);
    },
  );
});
