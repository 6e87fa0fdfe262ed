import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectList } from '../../../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../../../src/domain/core/errors.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../../../../src/domain/kubernetes/resource.ts';
import { clearLease, isOperatorLeaseLeft, withReleaseLease } from '../../../../../src/reconcile/operator/acts/with-release-lease.ts';
import { createLeaseMemory } from '../../../../../src/reconcile/helm-release/release-lease.ts';
import { workOn, type Work } from '../../../../../src/reconcile/operator/work.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const READ: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { namespace: 'ns', name: 'a', uid: 'one', generation: 3 },
  spec: { chartURL: 'https://example.com/c.tgz' },
};

/** An api-server that holds the Operator as it is by now, and leases. */
function world(live: KubeObject | undefined, lease?: KubeObject) {
  const objects = new Map<string, KubeObject>();
  const asked: string[] = [];
  const keyOf = (type: ResourceType, name: string): string => `${type.resource}/${name}`;
  if (live !== undefined) objects.set('operators/a', live);
  if (lease !== undefined) objects.set(`leases/${lease.metadata.name}`, lease);
  const store = async (type: ResourceType, object: KubeObject): Promise<{ object: KubeObject; warnings: string[] }> => {
    objects.set(keyOf(type, object.metadata.name), object);
    return { object, warnings: [] };
  };
  const cluster = {
    get: async (ref: ResourceRef): Promise<KubeObject> => {
      asked.push(`get ${ref.resource}`);
      const found = objects.get(keyOf(ref, ref.name));
      if (found === undefined) throw new AppError('NotFound', `${ref.name}: there is none`);
      return found;
    },
    listMetadata: async ({ resource }: ResourceType): Promise<ObjectList> => {
      asked.push(`list ${resource}`);
      return { items: [...objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => object), resourceVersion: '' };
    },
    create: store,
    replace: store,
    delete: async (ref: ResourceRef): Promise<void> => void objects.delete(keyOf(ref, ref.name)),
  };
  const ports = { cluster, holder: 'me', now: () => NOW } as unknown as Work['ports'];
  return {
    work: workOn(ports, READ, new AbortController().signal),
    asked,
    leases: () => [...objects.keys()].filter((key) => key.startsWith('leases/')),
  };
}

function changed(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { ...READ, metadata: { ...READ.metadata, ...metadata } };
}

describe('a change of a release', () => {
  const cases: readonly [string, KubeObject | undefined, 'Done' | 'Busy'][] = [
    ['runs when the Operator is as it was read', changed({ labels: { team: 'a' } }), 'Done'],
    ['does not run for a spec that is not wanted any more', changed({ generation: 4 }), 'Busy'],
    ['does not run for an Operator that is being deleted by now', changed({ deletionTimestamp: '2026-11-21T11:59:59Z' }), 'Busy'],
    ['does not run for an Operator that is gone', undefined, 'Busy'],
    ['does not run for the one before of that name', changed({ uid: 'two' }), 'Busy'],
  ];
  for (const [title, live, expected] of cases) {
    it(title, async () => {
      const { work, leases } = world(live);
      let ran = false;
      const outcome = await withReleaseLease(work, async () => {
        ran = true;
      });
      assert.equal(outcome, expected);
      assert.equal(ran, expected === 'Done');
      assert.deepEqual(leases(), [], 'the lease is given back');
    });
  }
});

describe('a lease', () => {
  it('that could not be given back while the cluster did not answer is noticed, and given back by the next change', async () => {
    const { work, leases } = world(READ);
    const away = async (): Promise<void> => {
      throw new AppError('ClusterUnavailable', 'the cluster does not answer');
    };
    const cut = { ...work, ports: { ...work.ports, cluster: { ...work.ports.cluster, delete: away } } };
    assert.equal(await withReleaseLease(cut, async () => undefined), 'Done');
    assert.deepEqual([await isOperatorLeaseLeft(work), leases()], [true, ['leases/release.ns.a']]);
    assert.equal(await withReleaseLease(work, async () => undefined), 'Done');
    assert.deepEqual([await isOperatorLeaseLeft(work), leases()], [false, []]);
  });
});

describe('the lease of a worker that died', () => {
  const name = 'release.ns.a';
  const left = (secondsAgo: number): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'chandlery-system', name },
    spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: new Date(NOW.getTime() - secondsAgo * 1_000).toISOString() },
  });

  it('stays until it has expired', async () => {
    const { work, leases } = world(READ, left(10));
    const memory = createLeaseMemory();
    assert.equal(await clearLease(memory, work), 'Held');
    assert.deepEqual([leases(), [...memory.free]], [[`leases/${name}`], []]);
  });

  it('is cleared away then, and not asked for again', async () => {
    const { work, leases } = world(READ, left(20));
    const memory = createLeaseMemory();
    assert.equal(await clearLease(memory, work), 'Free');
    assert.deepEqual([leases(), [...memory.free]], [[], ['one']]);
  });

  it('is looked for with one question for all Operators, and read only where there is one', async () => {
    const { work, asked } = world(READ, { ...left(10), metadata: { namespace: 'chandlery-system', name: 'release.ns.other' } });
    const memory = createLeaseMemory();
    for (const uid of ['one', 'two', 'three']) {
      const operator = { ...READ, metadata: { ...READ.metadata, uid } };
      assert.equal(await clearLease(memory, { ...work, operator }), 'Free');
    }
    assert.deepEqual(asked, ['list leases']);
    assert.equal(await clearLease(createLeaseMemory(), { ...work, release: { release: 'other', namespace: 'ns' } }), 'Held');
  });
});
