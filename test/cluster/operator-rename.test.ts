import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../src/domain/core/errors.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject, type ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import { CLUSTER_ROLE, CRD, DEPLOYMENT, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { OperatorPorts } from '../../src/reconcile/operator/ports.ts';
import { deleteWhenUnused } from '../support/delete-in-use.ts';
import { eventually } from '../support/eventually.ts';
import { kindsOf, operatorChart } from '../support/operator-charts.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';
import { RUN } from '../support/run-name.ts';

const NS = `renamed-${RUN}`;
const ELSEWHERE = `${NS}-elsewhere`;
const { kind, plural, group } = kindsOf('anchor');
const CRDS = [`${plural}.${group}`, `parts.${group}`];
const INSTANCE = { group, version: 'v1', resource: plural, namespace: NS, name: 'one' };
const ROLES = ['view', 'edit', 'impersonate', 'count'].map((role) => `chandlery-app-${CRDS[0]}-${role}`);
/** The release has its name and its namespace whatever the Operator is called. */
const SPEC = {
  chart: { repoURL: 'file://samples', name: 'anchor', version: '1.0.0' },
  releaseName: 'anchor',
  targetNamespace: NS,
  values: { replicas: 0 },
};
let world: OperatorWorld;
let interruptions = 0;

before(async () => {
  world = await startTestWorld(NS, { instanceCounts: 'reported', wrap: interrupted });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ELSEWHERE } });
  await world.writeChart('anchor', operatorChart('anchor', '1.0.0'));
});
after(() => world.stop());

/** The api-server is away before the first record of a release moves, when the CRDs have moved. */
function interrupted(ports: OperatorPorts): OperatorPorts {
  const patch: OperatorPorts['cluster']['patch'] = async (ref, change, options) => {
    if (ref.resource === 'secrets' && interruptions-- > 0) throw new AppError('ClusterUnavailable', 'the api-server is away');
    return await ports.cluster.patch(ref, change, options);
  };
  return { ...ports, cluster: { ...ports.cluster, patch } };
}

interface Address {
  readonly namespace: string;
  readonly name: string;
}

async function create({ namespace, name }: Address, former: string, spec: object = SPEC): Promise<void> {
  const metadata = { namespace, name, annotations: { 'chandlery.dev/moved-from': former } };
  await world.kube.asController().create(OPERATOR, { apiVersion: apiVersionOf(OPERATOR), kind: OPERATOR.kind, metadata, spec });
}

/** As a source does: nothing of what moves is the former one's any more. */
async function remove(address: Address): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, ...address }, { type: 'merge', body: { spec: { deletionPolicy: 'Orphan' } } });
  await world.kube.asController().delete({ ...OPERATOR, ...address });
}

async function untilReady({ namespace, name }: Address): Promise<void> {
  await world.condition(namespace, name, { type: 'Ready', status: 'True' });
}

async function untilGone(address: Address): Promise<void> {
  const gone = async (): Promise<boolean> => (await ifFound(world.kube.asController().get({ ...OPERATOR, ...address }))) === undefined;
  await eventually(gone, `${address.namespace}/${address.name} is gone`);
}

async function shared(): Promise<readonly KubeObject[]> {
  const cluster = world.kube.asController();
  const refs: ResourceRef[] = [
    ...CRDS.map((name) => ({ ...CRD, name })),
    ...ROLES.map((name) => ({ ...CLUSTER_ROLE, name })),
    { ...SECRET, namespace: NS, name: 'sh.helm.release.v1.anchor.v1' },
  ];
  return await Promise.all(refs.map(async (ref) => await cluster.get(ref)));
}

/** What must stay the same, by uid, and the release with its history. */
async function kept({ namespace, name }: Address): Promise<{ readonly status: object; readonly [what: string]: unknown }> {
  const cluster = world.kube.asController();
  const instance = await cluster.get(INSTANCE);
  const workload = await cluster.get({ ...DEPLOYMENT, namespace: NS, name: 'anchor' });
  const records = await cluster.listMetadata(SECRET, { namespace: NS, labelSelector: 'owner=helm' });
  const { release, history, crds, customResourceDefinitions, status } = await world.status(namespace, name);
  return {
    uids: [instance, workload, ...(await shared())].map(({ metadata }) => metadata.uid),
    generations: [instance, workload].map(({ metadata }) => metadata.generation),
    records: records.items.map(({ metadata }) => metadata.name),
    status: { release, history, crds, customResourceDefinitions, status },
  };
}

async function owners(): Promise<readonly unknown[]> {
  return [...new Set((await shared()).map(({ metadata }) => metadata.labels?.['chandlery.dev/operator']))];
}

describe('an Operator that is renamed', () => {
  const [old, young, moved] = [
    { namespace: NS, name: 'old' },
    { namespace: NS, name: 'young' },
    { namespace: ELSEWHERE, name: 'young' },
  ];

  it('waits for its former name, takes over the release with CRDs and permissions, and lets that one go', async () => {
    await world.create(NS, 'old', SPEC);
    await untilReady(old);
    const { namespace, name } = INSTANCE;
    await world.kube.asController().create(INSTANCE, { apiVersion: `${group}/v1`, kind, metadata: { name, namespace } });
    await eventually(async () => (await world.status(NS, 'old')).crds.some(({ instances }) => instances === 1), 'the instance is counted');
    const before = await kept(old);
    await create(young, 'old');
    const pending = await world.condition(NS, 'young', { type: 'Ready', status: 'False', reason: 'MovePending' });
    assert.match(pending.message, new RegExp(`Release ${NS}/anchor belongs to the Operator ${NS}/old, .*moves when that one is deleted`));
    interruptions = 1;
    await remove(old);
    await untilReady(young);
    await untilGone(old);
    assert.ok(interruptions < 1);
    assert.deepEqual(await kept(young), before);
    assert.deepEqual(await owners(), [`${NS}.young`]);
    assert.equal((await world.kube.asController().get(INSTANCE)).metadata.deletionTimestamp, undefined);
  });

  it('moves to another namespace, and back to its name in the first one', async () => {
    const before = await kept(young);
    await create(moved, `${NS}/young`);
    await remove(young);
    await untilReady(moved);
    await untilGone(young);
    assert.deepEqual(await kept(moved), before);
    assert.deepEqual(await owners(), [`${ELSEWHERE}.young`]);
    await create(old, `${ELSEWHERE}/young`);
    await remove(moved);
    await untilReady(old);
    await untilGone(moved);
    assert.deepEqual(await kept(old), before);
    assert.deepEqual(await owners(), [`${NS}.old`]);
  });

  it('says that it cannot move to another release, and neither installs nor uninstalls anything', async () => {
    await create(young, 'old', { ...SPEC, releaseName: 'other' });
    const stalled = await world.condition(NS, 'young', { type: 'Stalled', status: 'True', reason: 'CannotMove' });
    assert.match(stalled.message, new RegExp(`Helm cannot move the release ${NS}/anchor to ${NS}/other; set spec.releaseName to "anchor"`));
    // With instances, an admission policy would reject the deletion.
    await world.kube.asController().delete(INSTANCE);
    await deleteWhenUnused(world.kube.asController(), { ...OPERATOR, ...old });
    const held = await world.condition(NS, 'old', { type: 'Deletable', status: 'False', reason: 'CannotMove' });
    assert.match(held.message, new RegExp(`cannot be renamed to ${NS}/young: Helm cannot move the release`));
    assert.deepEqual(await owners(), [`${NS}.old`]);
    await world.kube.asController().get({ ...DEPLOYMENT, namespace: NS, name: 'anchor' });
    await world.kube.asController().delete({ ...OPERATOR, ...young });
    await untilGone(young);
    await untilGone(old);
  });
});
