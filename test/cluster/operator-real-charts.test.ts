import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles } from '../support/charts.ts';
import { CONFIG_MAP, crdOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

// Runs in test:all: it installs real charts.

const NS = `real-${RUN}`;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(() => world.stop());

describe('an Operator that somebody applies', () => {
  const files = chartFiles('valued', '1.0.0', {
    'values.yaml': 'replicas: 1\nhost: a.example.com\nmetrics: {port: 80}\n',
    'values.schema.json': JSON.stringify({
      additionalProperties: false,
      properties: {
        replicas: { type: 'integer', maximum: 3 },
        host: { pattern: '^[a-z.]+$' },
        metrics: { properties: { port: { type: 'integer' } } },
      },
    }),
    'templates/a.yaml': CONFIG_MAP,
  });

  it('with values that the schema of the chart rejects is not installed, and the condition names the field', async () => {
    await world.writeChart('valued', files);
    await world.create(NS, 'rejected', { ...chart('valued'), values: { replicas: 9 } });
    const { message } = await world.condition(NS, 'rejected', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
    assert.match(message, /The values violate the schema of the chart \S+: replicas: maximum: got \d+, want 3/);
    assert.equal(findCondition((await world.status(NS, 'rejected')).conditions, 'Stalled')?.status, 'True');
    assert.deepEqual(await recordsOf('rejected'), []);
  });

  it('keeps what runs when its values are changed to such', async () => {
    await world.create(NS, 'changed', { ...chart('valued'), values: { metrics: { port: 81 } } });
    await world.condition(NS, 'changed', { type: 'Ready', status: 'True' });
    const ref = { ...OPERATOR, namespace: NS, name: 'changed' };
    await world.kube.asController().patch(ref, { type: 'merge', body: { spec: { values: { metrics: { port: 'http' } } } } });
    const { message } = await world.condition(NS, 'changed', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
    assert.match(message, /metrics\.port: got string, want integer/);
    assert.equal((await recordsOf('changed')).length, 1);
    assert.equal((await world.status(NS, 'changed')).chart?.version, '1.0.0');
  });

  it('whose chart has a text that Helm writes with a quote in column 0 is installed, beside what is carried over', async () => {
    await world.writeChart(
      'quoted',
      chartFiles('quoted', '1.0.0', {
        'templates/rule.yaml': "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: quoted}\ndata:\n  rule: 'one\n\n    two\n\n    '\n",
        'templates/kind.yaml': crdOf('quoted', describedAs('')),
      }),
    );
    await world.create(NS, 'quoted', chart('quoted'));
    await world.condition(NS, 'quoted', { type: 'Ready', status: 'True' });
    const stored = await world.kube.asController().get({ group: '', version: 'v1', resource: 'configmaps', namespace: NS, name: 'quoted' });
    assert.deepEqual(stored['data'], { rule: 'one\ntwo\n' });
  });

  it('whose chart has more CRDs than a Secret holds is installed', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const crds = names.map((name) => [`crds/${name}.yaml`, crdOf(`big${name}`, describedAs(randomBytes(220_000).toString('base64')))]);
    await world.writeChart('big', chartFiles('big', '1.0.0', { ...Object.fromEntries(crds), 'templates/a.yaml': CONFIG_MAP }));
    await world.create(NS, 'big', chart('big'));
    await world.condition(NS, 'big', { type: 'Ready', status: 'True' });
    assert.equal((await world.status(NS, 'big')).crds.length, names.length);
    assert.equal((await recordsOf('big')).length, 1);
  });

  it('whose release can never fit into a Secret stalls at once, with advice', async () => {
    const large = randomBytes(1_200_000).toString('base64');
    await world.writeChart('heavy', chartFiles('heavy', '1.0.0', { 'files/large.txt': large, 'templates/a.yaml': CONFIG_MAP }));
    await world.create(NS, 'heavy', chart('heavy'));
    const { message } = await world.condition(NS, 'heavy', { type: 'Released', status: 'False', reason: 'ReleaseTooLarge' });
    assert.match(message, /Too long.*Disable parts of the chart by its values/);
    const { conditions, failures } = await world.status(NS, 'heavy');
    assert.equal(findCondition(conditions, 'Stalled')?.status, 'True');
    assert.equal(failures, 1);
  });
});

function chart(name: string): { chart: object } {
  return { chart: { repoURL: 'file://samples', name, version: '1.0.0' } };
}

function describedAs(description: string): string {
  return `{type: object, description: "${description}"}`;
}

async function recordsOf(release: string): Promise<readonly KubeObject[]> {
  return (await world.kube.asController().listMetadata(SECRET, { namespace: NS, labelSelector: `owner=helm,name=${release}` })).items;
}
