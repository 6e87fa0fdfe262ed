import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorView } from '../../../../src/domain/catalog/operator-view.ts';
import {
  blockersOf,
  blockerSentence,
  deletionPreview,
  firstBlockers,
  type DeletionProgress,
} from '../../../../src/domain/operator/deletion.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const SINCE = '2026-01-01T00:00:00Z';

describe('the preview of a deletion', () => {
  const none = { instances: 0, blockers: [] };
  const some = { instances: 3, blockers: [] };
  const cases: readonly { title: string; progress: DeletionProgress; states: string }[] = [
    { title: 'waits for people while instances exist', progress: { policy: 'Block', deletion: some, released: true }, states: 'IPPP' },
    { title: 'uninstalls when the last instance is gone', progress: { policy: 'Block', deletion: none, released: true }, states: 'CIPP' },
    { title: 'ends with the CRDs', progress: { policy: 'Block', deletion: none, released: false }, states: 'CCIP' },
    {
      title: 'waits where the instances of a kind cannot be counted',
      progress: { policy: 'Block', deletion: { ...none, unavailable: [{ kind: 'A', apiVersion: 'g/v1', message: '' }] }, released: true },
      states: 'IPPP',
    },
    { title: 'empties first by cascade', progress: { policy: 'Cascade', deletion: some, released: true }, states: 'IPPP' },
    { title: 'deletes CRDs last by cascade', progress: { policy: 'Cascade', deletion: none, released: false }, states: 'CCIP' },
    { title: 'has nothing to wait for when all stays', progress: { policy: 'Orphan', deletion: undefined, released: true }, states: 'IP' },
  ];
  for (const { title, progress, states } of cases) {
    it(title, () => {
      const preview = deletionPreview(progress);
      assert.equal(preview.policy, progress.policy);
      assert.equal(preview.steps.map(({ state }) => state[0]).join(''), states);
    });
  }

  it('says who set the finalizer that holds an instance, and since when', () => {
    const [blocker] = blockersOf('Cache', [hanging('one', ['caches.example.com/cleanup'])]);
    assert.deepEqual(blocker?.heldBy, ['cache-operator']);
    assert.equal(
      blocker && blockerSentence(blocker),
      `Cache team-a/one (since ${SINCE} it waits for the finalizer caches.example.com/cleanup, set by cache-operator)`,
    );
  });

  it('names an instance that nobody has deleted yet by its name alone', () => {
    const [blocker] = blockersOf('Zone', [{ metadata: { name: 'z', finalizers: ['a/b'] } }]);
    assert.equal(blocker && blockerSentence(blocker), 'Zone z');
  });

  it('names those that hang before those that nobody has deleted, and twenty at most', () => {
    const standing = Array.from({ length: 30 }, (_, index) => ({ metadata: { name: `a${index}`, namespace: 'a' } }));
    const first = firstBlockers(blockersOf('Cache', [...standing, hanging('z', ['x/y'])]));
    assert.equal(first.length, 20);
    assert.equal(first[0]?.name, 'z');
  });
});

describe('an Operator as admins see it', () => {
  const operator: KubeObject = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'o', namespace: 'n', deletionTimestamp: SINCE },
    spec: { chartURL: 'https://example.com/c.tgz' },
    status: {
      release: { name: 'o', namespace: 'n', revision: 1, status: 'deployed' },
      deletion: { instances: 40, blockers: [{ kind: 'Cache', namespace: 'a', name: 'one', finalizers: [], heldBy: [] }] },
    },
  };

  it('has its preview while it is being deleted', () => {
    const { deletion } = operatorView(operator);
    assert.equal(deletion?.policy, 'Block');
    assert.equal(deletion.instances, 40);
    assert.deepEqual(deletion.blockers, [{ kind: 'Cache', namespace: 'a', name: 'one', finalizers: [], heldBy: [] }]);
    assert.equal(deletion.steps[0]?.state, 'InProgress');
  });

  it('has none before', () => {
    const { deletionTimestamp: _at, ...metadata } = operator.metadata;
    assert.equal(operatorView({ ...operator, metadata }).deletion, undefined);
  });
});

function hanging(name: string, finalizers: readonly string[]): Pick<KubeObject, 'metadata'> {
  const set = Object.fromEntries(finalizers.map((finalizer) => [`v:${JSON.stringify(finalizer)}`, {}]));
  const managedFields = [
    { manager: 'cache-operator', fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, ...set } } } },
    { manager: 'kubectl', fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"other"': {} } } } },
  ];
  return { metadata: { name, namespace: 'team-a', deletionTimestamp: SINCE, finalizers, managedFields } };
}
