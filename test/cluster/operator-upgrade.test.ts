import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CRD, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { FORCE_AT } from '../../src/domain/operator/operator-spec.ts';
import type { OperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { APPROVED_UPGRADE } from '../../src/domain/upgrade/upgrade-approval.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';
import { inAll } from '../support/test-set.ts';

const NS = `upgr-${RUN}`;
const NOON = Date.parse('2030-01-01T12:00:00Z');
const HOUR = 3_600_000;

let testCluster: TestCluster;
let world: OperatorWorld;
/** What the clock of the controller is ahead of ours. */
let ahead = NOON - Date.now();

before(async () => {
  testCluster = await sharedCluster();
  world = await startOperatorWorld({
    kubeconfigPath: testCluster.kubeconfigPath,
    helm: testCluster.tools.helm,
    namespaces: NS,
    wrap: (ports) => ({ ...ports, now: () => new Date(Date.now() + ahead) }),
  });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('a channel', () => {
  it('under Manual waits for the approval of exactly what is on offer', async () => {
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await offerChart(world.chartsDir, { name: 'hand', version });
    await world.create(NS, 'hand', { ...chart('hand', '1.0.0'), upgrade: { range: '^1' } });
    await world.condition(NS, 'hand', { type: 'Ready', status: 'True' });
    const status = await untilStatus('hand', ({ pendingUpgrade }) => pendingUpgrade !== undefined, 'an upgrade waits');
    assert.equal(status.chart?.version, '1.0.0');
    assert.equal(status.availableVersion, '1.1.0');
    const { chartDigest = '', ...pending } = status.pendingUpgrade ?? {};
    assert.deepEqual(pending, { version: '1.1.0', reason: 'AwaitingApproval' });
    assert.match(
      findCondition(status.conditions, 'Ready')?.message ?? '',
      /hand 1\.0\.0 is installed and healthy\. Version 1\.1\.0 awaits approval/,
    );

    await annotate('hand', { [APPROVED_UPGRADE]: '0.9.0' });
    await world.condition(NS, 'hand', { type: 'Approved', status: 'False', reason: 'ApprovalOutdated' });
    await annotate('hand', { [APPROVED_UPGRADE]: '2.0.0' });
    await world.condition(NS, 'hand', { type: 'Approved', status: 'False', reason: 'ApprovalOutOfRange' });
    await annotate('hand', { [APPROVED_UPGRADE]: `1.1.0@sha256:${'0'.repeat(64)}` });
    const differs = await world.condition(NS, 'hand', { type: 'Approved', status: 'False', reason: 'ApprovalDigestMismatch' });
    assert.match(differs.message, /check the preview again/);
    assert.equal((await world.status(NS, 'hand')).status, 'READY');
    assert.deepEqual(await revisionsOf('hand'), ['1 deployed']);

    await annotate('hand', { [APPROVED_UPGRADE]: `1.1.0@${chartDigest}` });
    const done = await untilStatus(
      'hand',
      ({ chart: installed, status: word }) => installed?.version === '1.1.0' && word === 'READY',
      '1.1.0 is installed',
    );
    assert.equal(done.pendingUpgrade, undefined);
    assert.equal(findCondition(done.conditions, 'Approved'), undefined);
    assert.deepEqual(await revisionsOf('hand'), ['1 superseded', '2 deployed']);
  });

  it('under Manual stays where it is when the approval is taken away again', async () => {
    await annotate('hand', { [APPROVED_UPGRADE]: 'yes' });
    await world.condition(NS, 'hand', { type: 'Approved', status: 'False', reason: 'ApprovalUnreadable' });
    await annotate('hand', { [APPROVED_UPGRADE]: null });
    const isApproved = ({ conditions }: OperatorStatus): boolean => findCondition(conditions, 'Approved') !== undefined;
    const status = await untilStatus('hand', (now) => !isApproved(now), 'it was looked at without an approval');
    assert.equal(status.chart?.version, '1.1.0');
    assert.deepEqual(await revisionsOf('hand'), ['1 superseded', '2 deployed']);
  });

  it('under Automatic installs the newest, and the next one when it appears', async () => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0-rc.1']) await offerChart(world.chartsDir, { name: 'auto', version });
    await world.create(NS, 'auto', { ...chart('auto', '1.0.0'), upgrade: { range: '^1', policy: 'Automatic' } });
    await world.condition(NS, 'auto', { type: 'Ready', status: 'True' });
    assert.equal((await world.status(NS, 'auto')).chart?.version, '1.1.0');
    await offerChart(world.chartsDir, { name: 'auto', version: '1.3.0' });
    await annotate('auto', { [OURS.reconcileAt]: 'now' });
    await untilStatus(
      'auto',
      ({ chart: installed, status: word }) => installed?.version === '1.3.0' && word === 'READY',
      '1.3.0 is installed',
    );
  });

  it('that is no range is reported, and what runs stays', inAll('it is bad input of the same field'), async () => {
    await merge('auto', { upgrade: { range: 'newest' } });
    const fetched = await world.condition(NS, 'auto', { type: 'Fetched', status: 'False', reason: 'InvalidInput' });
    assert.match(fetched.message, /spec\.upgrade\.range: "newest" is no range of versions/);
  });
});

describe('a maintenance window', () => {
  const window = { start: '22:00', duration: '4h' };

  it('does not bind the first installation, and holds an upgrade until it opens', async () => {
    for (const version of ['1.0.0', '1.1.0']) await offerChart(world.chartsDir, { name: 'night', version });
    await world.create(NS, 'night', { ...chart('night', '1.0.0'), upgrade: { window } });
    await world.condition(NS, 'night', { type: 'Ready', status: 'True' });
    await merge('night', { chart: { version: '1.1.0' } });
    const status = await untilStatus('night', ({ pendingUpgrade }) => pendingUpgrade !== undefined, 'the upgrade is held');
    assert.equal(status.pendingUpgrade?.reason, 'OutsideWindow');
    assert.equal(status.pendingUpgrade?.version, '1.1.0');
    assert.equal(status.pendingUpgrade?.opensAt, '2030-01-01T22:00:00Z');
    assert.equal(status.chart?.version, '1.0.0');
    assert.equal(status.status, 'READY');
    assert.match(
      findCondition(status.conditions, 'Ready')?.message ?? '',
      /waits for the maintenance window, which opens 2030-01-01T22:00:00Z/,
    );
    assert.deepEqual(await revisionsOf('night'), ['1 deployed']);
  });

  it('lets CRDs that are gone come back while it is closed', inAll('it waits for a window'), async () => {
    const { plural, group } = kindsOf('night');
    const name = `${plural}.${group}`;
    const uidOf = async (): Promise<string | undefined> => {
      const { items } = await world.kube.asController().listMetadata(CRD, { fieldSelector: `metadata.name=${name}` });
      return items[0]?.metadata.uid;
    };
    const before = await uidOf();
    await deleteWithIntent(world.kube.asController(), { type: CRD, object: { metadata: { name } } });
    await eventually(async () => ![undefined, before].includes(await uidOf()), 'the definition is back', 60);
    assert.deepEqual(await revisionsOf('night'), ['1 deployed']);
  });

  it('lets the upgrade go when it opens', async () => {
    ahead += 10.5 * HOUR;
    await annotate('night', { [OURS.reconcileAt]: 'open' });
    const done = await untilStatus(
      'night',
      ({ chart: installed, status: word }) => installed?.version === '1.1.0' && word === 'READY',
      '1.1.0 is installed',
    );
    assert.equal(done.pendingUpgrade, undefined);
    assert.deepEqual(await revisionsOf('night'), ['1 superseded', '2 deployed']);
  });

  it('holds other values, too, and is passed by anybody who forces it', async () => {
    ahead += 12 * HOUR;
    await merge('night', { values: { password: 'another' } });
    await untilStatus('night', ({ pendingUpgrade }) => pendingUpgrade?.reason === 'OutsideWindow', 'the values are held');
    assert.deepEqual(await revisionsOf('night'), ['1 superseded', '2 deployed']);
    await annotate('night', { [FORCE_AT]: 'now' });
    await eventually(async () => (await revisionsOf('night')).includes('3 deployed'), 'the third revision is deployed', 60);
    await untilStatus('night', ({ pendingUpgrade, status: word }) => pendingUpgrade === undefined && word === 'READY', 'nothing waits');
  });

  it('in a zone that nobody knows is reported, and what runs stays', inAll('it is bad input of the same field'), async () => {
    await merge('night', { upgrade: { window: { ...window, timeZone: 'Europe/Atlantis' } } });
    const fetched = await world.condition(NS, 'night', { type: 'Fetched', status: 'False', reason: 'InvalidInput' });
    assert.match(fetched.message, /"Europe\/Atlantis" is no time zone/);
    assert.equal((await revisionsOf('night')).includes('3 deployed'), true);
  });
});

function chart(name: string, version: string): object {
  return { chart: { repoURL: 'file://samples', name, version }, interval: '10m' };
}

async function untilStatus(name: string, test: (status: OperatorStatus) => boolean, what: string): Promise<OperatorStatus> {
  return await eventually(
    async () => {
      const status = await world.status(NS, name);
      return test(status) ? status : undefined;
    },
    `${name}: ${what}`,
    120,
  );
}

async function annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body: { metadata: { annotations } } });
}

async function merge(name: string, spec: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body: { spec } });
}

async function revisionsOf(release: string): Promise<string[]> {
  const { items } = await world.kube.asController().listMetadata(SECRET, { namespace: NS, labelSelector: `owner=helm,name=${release}` });
  return items.map(({ metadata }) => `${textAt(metadata, 'labels', 'version') ?? ''} ${textAt(metadata, 'labels', 'status') ?? ''}`).sort();
}
