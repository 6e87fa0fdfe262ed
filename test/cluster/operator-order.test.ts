import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { operatorView } from '../../src/domain/catalog/operator-view.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

const NS = `order-${RUN}`;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
  for (const version of ['1.0.0', '1.1.0']) await offer('plain', version);
});
after(() => world.stop());

describe('an Operator that depends on others', () => {
  it('waits until they are READY, names them, and is installed then', async () => {
    await create('second', { dependsOn: [{ name: 'first' }] });
    const waiting = await world.condition(NS, 'second', { type: 'Released', status: 'False', reason: 'DependencyNotReady' });
    assert.match(waiting.message, new RegExp(`Operator ${NS}/first: it does not exist`));
    assert.equal((await world.status(NS, 'second')).release, undefined);
    await create('first', {});
    await world.condition(NS, 'second', { type: 'Ready', status: 'True' });
  });

  it('and that depend on it in turn reports the whole cycle', async () => {
    await create('a', { dependsOn: [{ name: 'b', namespace: NS }] });
    await create('b', { dependsOn: [{ name: 'a' }] });
    const cycle = await world.condition(NS, 'b', { type: 'Released', status: 'False', reason: 'DependencyCycle' });
    assert.match(cycle.message, new RegExp(`${NS}/b → ${NS}/a → ${NS}/b`));
    assert.equal(findCondition((await world.status(NS, 'b')).conditions, 'Stalled')?.reason, 'DependencyCycle');
    await merge('b', { dependsOn: [] });
    await world.condition(NS, 'a', { type: 'Ready', status: 'True' });
  });
});

describe('an Operator without kinds', () => {
  it('names the value that leaves them out, or says how they can come', async () => {
    const files = { 'values.yaml': 'crds: {enabled: false}\n', 'templates/a.yaml': CONFIG_MAP };
    await world.writeChart('bare', chartFiles('bare', '1.0.0', files));
    await create('bare', { chart: { repoURL: 'file://samples', name: 'bare', version: '1.0.0' } });
    const off = await world.condition(NS, 'bare', { type: 'CRDsEstablished', status: 'True', reason: 'NoCRDs' });
    assert.match(off.message, /crds\.enabled is false in the values of the chart; set it to true in spec\.values/);
    await merge('bare', { values: { crds: { enabled: true } } });
    const none = await eventually(async () => {
      const found = await world.condition(NS, 'bare', { type: 'CRDsEstablished', status: 'True', reason: 'NoCRDs' });
      return found.message === off.message ? undefined : found.message;
    }, 'another cause');
    assert.match(none, /the chart has no CRDs\. If the operator registers its CRDs at run time/);
  });
});

describe('an Operator that follows a range of versions', () => {
  it('stays under Manual, shows the newer version, and moves under Automatic', async () => {
    await create('ranged', { chart: { repoURL: 'file://samples', name: 'plain', version: '~1.0' } });
    await world.condition(NS, 'ranged', { type: 'Ready', status: 'True' });
    assert.equal((await world.status(NS, 'ranged')).chart?.version, '1.0.0');
    await merge('ranged', { chart: { version: '^1.0' } });
    await eventually(async () => (await world.status(NS, 'ranged')).availableVersion === '1.1.0', 'the newer version is shown', 60);
    const status = await world.status(NS, 'ranged');
    assert.deepEqual([status.chart?.version, status.release?.revision], ['1.0.0', 1]);
    assert.equal(operatorView(await world.read(NS, 'ranged')).chart.availableVersion, '1.1.0');

    await merge('ranged', { upgrade: { policy: 'Automatic' } });
    await eventually(async () => (await world.status(NS, 'ranged')).release?.revision === 2, 'the newer version is installed', 60);
    await world.condition(NS, 'ranged', { type: 'Ready', status: 'True' });
    const moved = await world.status(NS, 'ranged');
    assert.deepEqual([moved.chart?.version, moved.availableVersion], ['1.1.0', undefined]);
  });

  it('of one version is shown what was released since', async () => {
    await create('exact', {});
    await eventually(async () => (await world.status(NS, 'exact')).availableVersion === '1.1.0', 'the newer version is shown', 60);
  });
});

async function offer(name: string, version: string): Promise<void> {
  await mkdir(world.chartsDir, { recursive: true });
  const packed = await packChart(name, chartFiles(name, version, { 'templates/a.yaml': CONFIG_MAP }));
  await writeFile(join(world.chartsDir, `${name}-${version}.tgz`), packed);
}

async function create(name: string, spec: object): Promise<void> {
  await world.create(NS, name, { chart: { repoURL: 'file://samples', name: 'plain', version: '1.0.0' }, ...spec });
}

async function merge(name: string, spec: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body: { spec } });
}
