import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompactor } from '../../../../src/domain/kubernetes/compact-object.ts';
import { at } from '../../../../src/domain/core/read.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

test('a compact object says what the object says, but for which fields belong to whom', () => {
  const one = pod('a');
  const compacted = createCompactor()(pod('a'));
  const entry = { manager: 'kubelet', operation: 'Update', subresource: 'status', time: '2026-01-01T00:00:00Z' };
  const annotations = { note: 'kept' };
  assert.deepEqual(compacted, { ...one, metadata: { ...one.metadata, annotations, managedFields: [entry] } });
  assert.deepEqual(createCompactor()({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' } }), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bare' },
  });
});

test('objects of one workload share what is the same in all of them', () => {
  const compact = createCompactor();
  const [a, b] = [compact(pod('a')), compact(pod('b'))];
  const shared = [
    ['metadata', 'ownerReferences'],
    ['spec', 'containers', 0, 'env'],
    ['status', 'conditions', 0],
    ['status', 'containerStatuses', 0, 'state'],
  ] as const;
  for (const path of shared) assert.equal(at(a, ...path), at(b, ...path), path.join('.'));
  assert.notDeepEqual(at(a, 'spec', 'containers', 0, 'volumeMounts'), at(b, 'spec', 'containers', 0, 'volumeMounts'));
});

/** As the api-server sends them: nothing is shared. */
function pod(name: string): KubeObject {
  const time = '2026-01-01T00:00:00Z';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { app: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '1' }],
      annotations: { note: 'kept', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      managedFields: [{ manager: 'kubelet', operation: 'Update', subresource: 'status', time, fieldsV1: { 'f:status': {} } }],
    },
    spec: { containers: [{ name: 'web', env: [{ name: 'A', value: '1' }], volumeMounts: [{ name: `token-${name}` }] }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
      containerStatuses: [{ name: 'web', containerID: name, state: { running: { startedAt: time } } }],
    },
  };
}
