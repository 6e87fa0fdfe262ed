import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CRD, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { operatorView } from '../../src/domain/catalog/operator-view.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { eventually } from '../support/eventually.ts';
import { kindsOf, operatorChart } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

// Runs in test:all: it deletes hundreds of instances.

const NS = `many-${RUN}`;
/** More than two pages, whichever way they are read. */
const MANY = 450;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(() => world.stop());

describe('deleting an Operator with very many instances', () => {
  it('counts them all and names some, those that hang first, and by cascade takes all of them', async () => {
    const cluster = world.kube.asController();
    const { kind, plural, group } = kindsOf('many');
    const type = { group, version: 'v1', resource: plural };
    const ref = { ...OPERATOR, namespace: NS, name: 'many' };
    await world.writeChart('many', operatorChart('many', '1.0.0'));
    await world.create(NS, 'many', { chart: { repoURL: 'file://samples', name: 'many', version: '1.0.0' }, values: { replicas: 0 } });
    await world.condition(NS, 'many', { type: 'Ready', status: 'True' });
    const instance = (name: string, finalizers: readonly string[] = []): KubeObject => ({
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name, namespace: NS, finalizers },
    });
    const names = Array.from({ length: MANY - 1 }, (_, index) => `one-${index}`);
    for (let first = 0; first < names.length; first += 25) {
      await Promise.all(names.slice(first, first + 25).map((name) => cluster.create(type, instance(name))));
    }
    await cluster.create(type, instance('a-hanging-one', ['example.com/hold']));
    await cluster.delete({ ...type, namespace: NS, name: 'a-hanging-one' });
    await cluster.delete(ref);
    const blocked = await world.condition(NS, 'many', { type: 'Deletable', status: 'False', reason: 'InstancesExist' });
    assert.match(blocked.message, new RegExp(`${MANY} instances: ${kind} ${NS}/a-hanging-one \\(since .* and ${MANY - 10} more`));
    const preview = operatorView(await world.read(NS, 'many')).deletion;
    assert.deepEqual([preview?.policy, preview?.instances, preview?.blockers.length], ['Block', MANY, 20]);
    assert.deepEqual([preview?.blockers[0]?.name, preview?.blockers[0]?.finalizers], ['a-hanging-one', ['example.com/hold']]);

    await cluster.patch(ref, { type: 'merge', body: { spec: { deletionPolicy: 'Cascade' } } });
    await eventually(async () => operatorView(await world.read(NS, 'many')).deletion?.instances === 1, 'one is left', 90);
    await cluster.patch({ ...type, namespace: NS, name: 'a-hanging-one' }, { type: 'merge', body: { metadata: { finalizers: null } } });
    const isGone = (call: Promise<unknown>): Promise<boolean> =>
      call.then(() => false).catch((error: unknown) => isAppError(error, 'NotFound'));
    await eventually(() => isGone(cluster.get(ref)), 'the Operator is gone', 60);
    await eventually(() => isGone(cluster.get({ ...CRD, name: `${plural}.${group}` })), 'its definition is gone');
  });
});
