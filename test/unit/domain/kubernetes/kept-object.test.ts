import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  completedBy,
  keepCommand,
  nextKeepAction,
  objectAgain,
  readRecord,
  recordOf,
  statusAgain,
} from '../../../../src/domain/kubernetes/kept-object.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { ENVIRONMENT, OPERATOR } from '../../../../src/domain/kubernetes/resource-types.ts';

const OLD: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: {
    name: 'cache',
    namespace: 'ops',
    uid: 'old',
    resourceVersion: '7',
    generation: 4,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    labels: { team: 'a' },
    annotations: { 'chandlery.dev/keep': 'true', 'chandlery.dev/deletion-intent': 'Cascade', note: 'kept' },
    finalizers: ['chandlery.dev/finalizer'],
  },
  spec: { name: 'cache', values: { port: 1_234_567_890_123_456_789n } },
  status: {
    observedGeneration: 4,
    lastAttempted: { generation: 3 },
    conditions: [{ type: 'Ready', observedGeneration: 4 }, { type: 'Deletable' }, { type: 'PendingRemoval' }],
  },
};

const live = (metadata: Partial<KubeObject['metadata']>): KubeObject => ({ ...OLD, metadata: { name: 'cache', ...metadata } });

describe('a deleted object that is kept', () => {
  it('takes its next step by what is in the cluster, so that every step can be the last one of a process', () => {
    const marked = { 'chandlery.dev/kept-from': 'old' };
    const kindOf = (found: KubeObject | undefined, completed?: string): string =>
      nextKeepAction({ object: OLD, ...(completed === undefined ? {} : { completed }) }, found).kind;
    assert.equal(kindOf(OLD), 'release');
    assert.equal(kindOf(live({ uid: 'old', finalizers: ['example.com/other'] })), 'await');
    assert.equal(kindOf(undefined), 'create');
    assert.equal(kindOf(live({ uid: 'by-somebody-else' })), 'mark');
    assert.equal(kindOf(live({ uid: 'new', annotations: marked })), 'complete');
    assert.equal(kindOf(live({ uid: 'new', annotations: marked }), 'new'), 'unmark');
    assert.equal(kindOf(live({ uid: 'new' }), 'new'), 'forget');
    assert.equal(kindOf(undefined, 'new'), 'create');
  });

  it('is written down as a whole, and read back exactly', () => {
    const record = recordOf(OPERATOR, OLD);
    assert.deepEqual(record.metadata, {
      name: 'kept-old',
      namespace: 'chandlery-system',
      labels: { 'app.kubernetes.io/managed-by': 'chandlery', 'chandlery.dev/kept-object': 'operators' },
    });
    const noted = { ...record, metadata: { ...record.metadata, annotations: completedBy('new') } };
    assert.deepEqual(readRecord(noted), { record: 'kept-old', type: OPERATOR, object: OLD, completed: 'new' });
    assert.equal(readRecord({ ...record, data: { object: 'bm90IGd6aXA=' } }), undefined);
    assert.equal(readRecord({ ...record, metadata: { ...record.metadata, labels: { 'chandlery.dev/kept-object': 'pods' } } }), undefined);
  });

  it('is created without what asked for its deletion, and guarded from the beginning', () => {
    assert.deepEqual(objectAgain({ object: OLD }), {
      apiVersion: OLD.apiVersion,
      kind: OLD.kind,
      metadata: {
        name: 'cache',
        namespace: 'ops',
        labels: { team: 'a' },
        annotations: { note: 'kept', 'chandlery.dev/kept-from': 'old' },
        finalizers: ['chandlery.dev/finalizer'],
      },
      spec: OLD.spec,
    });
  });

  it('has its status back, about its new generation', () => {
    assert.deepEqual(statusAgain({ object: OLD }, live({ generation: 1 })), {
      observedGeneration: 1,
      lastAttempted: { generation: 0 },
      conditions: [{ type: 'Ready', observedGeneration: 1 }],
    });
  });

  it('is kept by a command that names its namespace, where it has one', () => {
    const operator = 'kubectl annotate operators.operatorcontroller.kubeplus cache --namespace ops chandlery.dev/keep=true';
    assert.equal(keepCommand(OPERATOR, OLD), operator);
    assert.equal(keepCommand(ENVIRONMENT, live({})), 'kubectl annotate environments.chandlery.dev cache chandlery.dev/keep=true');
  });
});
