import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CRD, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, type ChartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP, crdOf, kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';
import { inAll } from '../support/test-set.ts';

const NS = `safe-${RUN}`;
const EVENTS = { group: '', version: 'v1', resource: 'events' } as const;
let testCluster: TestCluster;
let world: OperatorWorld;

before(async () => {
  testCluster = await sharedCluster();
  world = await startOperatorWorld({ kubeconfigPath: testCluster.kubeconfigPath, helm: testCluster.tools.helm, namespaces: NS });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } };
  await world.kube.asController().create(NAMESPACE, namespace);
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('an upgrade of CRDs', () => {
  it('that would not fit what is stored stops before anything is changed, and goes on when the Operator says so', async () => {
    await world.writeChart('box', boxChart('box', '1.0.0', 'size: {type: integer}, colour: {type: string}'));
    await world.create(NS, 'box', spec('box', '1.0.0'));
    await world.condition(NS, 'box', { type: 'Ready', status: 'True' });
    await store('box', 'large', { size: 9 });
    await store('box', 'small', { size: 1 });
    const generation = await generationOf('box');

    await world.writeChart('box', boxChart('box', '2.0.0', 'size: {type: integer, maximum: 3}'));
    await merge('box', { chart: { version: '2.0.0' } });
    const rejected = await world.condition(NS, 'box', { type: 'CRDsEstablished', status: 'False', reason: 'UnsafeUpgrade' });
    assert.doesNotMatch(rejected.message, /the field is removed/, 'no instance has that field');
    assert.match(rejected.message, /1 existing instance would be invalid: Box safe-[^ ]*\/large: spec\.size: it is above the maximum of 3/);
    assert.match(rejected.message, /spec\.upgrade\.crdSafety/);
    const status = await world.status(NS, 'box');
    assert.equal(status.status, 'ERROR');
    assert.equal(findCondition(status.conditions, 'Stalled')?.status, 'True');
    assert.equal(findCondition(status.conditions, 'Released')?.reason, 'NotUpgraded');
    assert.equal(status.chart?.version, '1.0.0', 'the status names the chart that runs');
    assert.equal(await generationOf('box'), generation);
    assert.deepEqual(await revisionsOf('box'), ['1 deployed']);

    await merge('box', { upgrade: { crdSafety: 'Strict' } });
    await eventually(async () => /v1 spec\.size: there is a maximum now: 3/.test(await unsafe('box')), 'what is taken away is named', 60);
    assert.match(await unsafe('box'), /v1 spec\.colour: the field is removed/);

    await merge('box', { upgrade: { crdSafety: 'None' } });
    await world.condition(NS, 'box', { type: 'Ready', status: 'True' });
    assert.deepEqual(await revisionsOf('box'), ['1 superseded', '2 deployed']);
    assert.equal((await generationOf('box')) > generation, true);
  });

  it('that all instances fit goes through, whatever it takes away', inAll('it is another verdict of the same check'), async () => {
    await world.writeChart('tin', boxChart('tin', '1.0.0', 'size: {type: integer}, colour: {type: string}'));
    await world.create(NS, 'tin', spec('tin', '1.0.0'));
    await world.condition(NS, 'tin', { type: 'Ready', status: 'True' });
    await store('tin', 'one', { size: 1 });
    await world.writeChart('tin', boxChart('tin', '1.1.0', 'size: {type: integer, maximum: 3}, lid: {type: boolean, default: true}'));
    await merge('tin', { chart: { version: '1.1.0' } });
    await eventually(async () => (await revisionsOf('tin')).includes('2 deployed'), 'the second revision is deployed', 60);
    await world.condition(NS, 'tin', { type: 'Ready', status: 'True' });
  });

  it('with a new rule in CEL that a stored instance breaks stops, and names it', async () => {
    await world.writeChart('jar', boxChart('jar', '1.0.0', 'low: {type: integer}, high: {type: integer}'));
    await world.create(NS, 'jar', spec('jar', '1.0.0'));
    await world.condition(NS, 'jar', { type: 'Ready', status: 'True' });
    await store('jar', 'good', { low: 1, high: 2 });
    await store('jar', 'twisted', { low: 3, high: 2 });
    const rules = "x-kubernetes-validations: [{rule: 'self.low < self.high', message: low must be below high}]";
    await world.writeChart('jar', boxChart('jar', '1.1.0', 'low: {type: integer}, high: {type: integer}', rules));
    await merge('jar', { chart: { version: '1.1.0' } });
    const rejected = await world.condition(NS, 'jar', { type: 'CRDsEstablished', status: 'False', reason: 'UnsafeUpgrade' });
    assert.match(
      rejected.message,
      /1 existing instance would be invalid: Jar safe-[^ ]*\/twisted: spec: it breaks the rule: low must be below high/,
    );
    assert.doesNotMatch(rejected.message, /good/);
  });

  it(
    'with a rule that cannot be checked here goes through, and an Event names the rule',
    inAll('it is another verdict of the same check'),
    async () => {
      await world.writeChart('vat', boxChart('vat', '1.0.0', 'size: {type: string, maxLength: 9}'));
      await world.create(NS, 'vat', spec('vat', '1.0.0'));
      await world.condition(NS, 'vat', { type: 'Ready', status: 'True' });
      await store('vat', 'one', { size: '1Gi' });
      const rules = "x-kubernetes-validations: [{rule: 'isQuantity(self.size)', message: size must be a quantity}]";
      await world.writeChart('vat', boxChart('vat', '1.1.0', 'size: {type: string, maxLength: 9}', rules));
      await merge('vat', { chart: { version: '1.1.0' } });
      await eventually(async () => (await revisionsOf('vat')).includes('2 deployed'), 'the second revision is deployed', 60);
      const { items } = await world.kube.asController().list(EVENTS, { namespace: NS, fieldSelector: 'reason=RulesNotChecked' });
      assert.match(textAt(items[0], 'message') ?? '', /vats\..*: size must be a quantity/);
    },
  );

  it('that the api-server would reject changes nothing either', inAll('it is another verdict of the same check'), async () => {
    await world.writeChart('can', boxChart('can', '1.0.0', 'size: {type: integer}'));
    await world.create(NS, 'can', spec('can', '1.0.0'));
    await world.condition(NS, 'can', { type: 'Ready', status: 'True' });
    await world.writeChart('can', boxChart('can', '2.0.0', 'size: {type: integer}, odd: {type: array}'));
    await merge('can', { chart: { version: '2.0.0' } });
    await world.condition(NS, 'can', { type: 'CRDsEstablished', status: 'False', reason: 'InvalidInput' });
    assert.deepEqual(await revisionsOf('can'), ['1 deployed']);
  });
});

/** A chart with one kind whose spec has the given properties. */
function boxChart(name: string, version: string, properties: string, rules?: string): ChartFiles {
  return chartFiles(name, version, {
    'crds/main.yaml': crdOf(
      name,
      `{type: object, properties: {spec: {type: object, properties: {${properties}}${rules === undefined ? '' : `, ${rules}`}}}}`,
    ),
    'templates/a.yaml': CONFIG_MAP,
  });
}

function spec(name: string, version: string): object {
  return { chart: { repoURL: 'file://samples', name, version } };
}

async function store(chart: string, name: string, content: object): Promise<void> {
  const { kind, plural, group } = kindsOf(chart);
  const type = { group, version: 'v1', resource: plural };
  const object = { apiVersion: `${group}/v1`, kind, metadata: { name, namespace: NS }, spec: content };
  await world.kube.asController().create(type, object);
}

async function merge(name: string, change: object): Promise<void> {
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body: { spec: change } });
}

async function generationOf(chart: string): Promise<number> {
  const { plural, group } = kindsOf(chart);
  return (await world.kube.asController().get({ ...CRD, name: `${plural}.${group}` })).metadata.generation ?? 0;
}

async function unsafe(name: string): Promise<string> {
  return findCondition((await world.status(NS, name)).conditions, 'CRDsEstablished')?.message ?? '';
}

async function revisionsOf(release: string): Promise<string[]> {
  const { items } = await world.kube.asController().listMetadata(SECRET, { namespace: NS, labelSelector: `owner=helm,name=${release}` });
  return items.map(wordOf).sort();
}

function wordOf({ metadata }: KubeObject): string {
  return `${textAt(metadata, 'labels', 'version') ?? ''} ${textAt(metadata, 'labels', 'status') ?? ''}`;
}
