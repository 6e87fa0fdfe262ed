import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CRD, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, type ChartFiles } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

const NS = `owner-${RUN}`;
const GROUP = `owner.${RUN}.example.com`;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(() => world.stop());

describe('a CRD', () => {
  it('that a newer chart does not hold stays with its instances, is reported, and comes back with a later chart', async () => {
    await world.writeChart('fleet', chart('fleet', '1.0.0', ['Boat', 'Ship']));
    await world.create(NS, 'fleet', spec('fleet', '1.0.0'));
    await world.condition(NS, 'fleet', { type: 'Ready', status: 'True' });
    await world.kube.asController().create(typeOf('Ship'), instance('Ship', 'mine'));
    await rm(join(world.chartsDir, 'fleet'), { recursive: true });
    await world.writeChart('fleet', chart('fleet', '2.0.0', ['Boat']));
    await change('fleet', { chart: { version: '2.0.0' } });
    await eventually(
      async () => (await originsOf('fleet')) === 'Boat crds, Ship former' && (await world.status(NS, 'fleet')).status === 'READY',
      'the status reports it',
    );
    const established = findCondition((await world.status(NS, 'fleet')).conditions, 'CRDsEstablished');
    assert.match(established?.message ?? '', /No longer in the chart, but kept: ships\./);
    assert.equal((await world.kube.asController().get({ ...typeOf('Ship'), namespace: NS, name: 'mine' })).metadata.name, 'mine');
    await world.writeChart('fleet', chart('fleet', '3.0.0', ['Boat', 'Ship']));
    await change('fleet', { chart: { version: '3.0.0' } });
    await eventually(async () => (await originsOf('fleet')) === 'Boat crds, Ship crds', 'it is the chart’s again');

    await change('fleet', { deletionPolicy: 'Orphan' });
    await world.kube.asController().delete({ ...OPERATOR, namespace: NS, name: 'fleet' });
    await eventually(
      async () => (await definition('Ship'))?.metadata.labels?.['chandlery.dev/operator'] === undefined,
      'it belongs to nobody',
    );
    assert.equal((await world.kube.asController().get({ ...typeOf('Ship'), namespace: NS, name: 'mine' })).metadata.name, 'mine');
  });

  it('that the operator registers by itself is a draft until somebody claims it, and belongs to the first who does', async () => {
    await world.writeChart('bare', chart('bare', '1.0.0', []));
    await world.create(NS, 'first', spec('bare', '1.0.0'));
    await world.create(NS, 'second', spec('bare', '1.0.0'));
    await world.condition(NS, 'first', { type: 'Ready', status: 'True' });
    await world.condition(NS, 'second', { type: 'Ready', status: 'True' });
    await world.kube
      .asController()
      .create(CRD, { ...definitionOf('Raft'), metadata: { name: nameOf('Raft'), labels: { 'app.kubernetes.io/instance': 'first' } } });
    await change('first', { catalog: { kinds: [{ kind: 'Raft', definition: nameOf('Raft') }] } });
    await eventually(async () => (await originsOf('first')) === 'Raft runtime', 'the first has it');
    assert.equal((await definition('Raft'))?.metadata.labels?.['chandlery.dev/operator'], `${NS}.first`);
    await change('second', { catalog: { kinds: [{ kind: 'Raft', definition: nameOf('Raft') }] } });
    const rejected = await world.condition(NS, 'second', { type: 'CRDsEstablished', status: 'False', reason: 'CrdConflict' });
    assert.match(rejected.message, new RegExp(`the Operator "${NS}/first" owns it, and the Operator "${NS}/second" claims it`));
    assert.equal((await world.status(NS, 'second')).status, 'ERROR');
    await change('second', { catalog: { kinds: [] } });
    await world.condition(NS, 'second', { type: 'Ready', status: 'True' });
  });

  it('that is claimed before the operator registers it becomes its Operator’s as soon as it is there', async () => {
    await world.writeChart('bare', chart('bare', '1.0.0', []));
    await world.create(NS, 'early', { ...spec('bare', '1.0.0'), catalog: { kinds: [{ kind: 'Barge', definition: nameOf('Barge') }] } });
    await world.condition(NS, 'early', { type: 'Ready', status: 'True' });
    await world.kube.asController().create(CRD, definitionOf('Barge'));
    await eventually(async () => (await originsOf('early')) === 'Barge runtime', 'it is the Operator’s', 20);
  });
});

function chart(name: string, version: string, kinds: readonly string[]): ChartFiles {
  const crds = kinds.map((kind): [string, string] => [`crds/${kind}.yaml`, stringifyJson(definitionOf(kind))]);
  return chartFiles(name, version, { ...Object.fromEntries(crds), 'templates/a.yaml': CONFIG_MAP });
}

function nameOf(kind: string): string {
  return `${kind.toLowerCase()}s.${GROUP}`;
}

function typeOf(kind: string): ResourceType {
  return { group: GROUP, version: 'v1', resource: `${kind.toLowerCase()}s` };
}

function definitionOf(kind: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { kind, plural: `${kind.toLowerCase()}s` };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: nameOf(kind) },
    spec: { group: GROUP, scope: 'Namespaced', names, versions },
  };
}

function instance(kind: string, name: string): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name, namespace: NS } };
}

function spec(name: string, version: string): object {
  return { chart: { repoURL: 'file://samples', name, version } };
}

async function change(name: string, spec: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body: { spec } });
}

async function originsOf(name: string): Promise<string> {
  return (await world.status(NS, name)).crds
    .map(({ kind, origin }) => `${kind} ${origin}`)
    .sort()
    .join(', ');
}

async function definition(kind: string): Promise<KubeObject | undefined> {
  return await world.kube.asController().get({ ...CRD, name: nameOf(kind) });
}
