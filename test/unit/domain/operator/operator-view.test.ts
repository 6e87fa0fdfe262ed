import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorView } from '../../../../src/domain/catalog/operator-view.ts';
import { stateOf } from '../../../../src/domain/operator/operator-list.ts';

describe('an Operator that was rolled back, as admins see it', () => {
  const lastTransitionTime = '2026-01-01T00:03:00Z';
  const ready = { type: 'Ready', status: 'False', reason: 'RolledBack', message: 'Chart c 1.1.0 failed', lastTransitionTime };
  const history = [
    { revision: 3, chart: 'c', version: '1.0.0', digest: 'a', time: '2026-01-01T00:02:00Z', status: 'deployed', healthy: true },
    {
      revision: 2,
      chart: 'c',
      version: '1.1.0',
      digest: 'b',
      time: '2026-01-01T00:01:00Z',
      status: 'rolled-back',
      tested: false,
      rolledBackTo: 1,
    },
    { revision: 1, chart: 'c', status: 'of a later version of Chandlery' },
  ];
  const view = operatorView({
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'o', namespace: 'n' },
    spec: { chartURL: 'https://charts.example.com/c.tgz' },
    status: { status: 'READY', conditions: [ready], history },
  });

  it('has its history, without what cannot be read', () => assert.deepEqual(view.history, history.slice(0, 2)));
  it('says what failed', () => assert.equal(view.message, 'Chart c 1.1.0 failed'));
  it('needs somebody, though what runs works', () => {
    assert.equal(view.status, 'READY');
    assert.equal(stateOf(view), 'Error');
    assert.equal(stateOf({ ...view, conditions: [{ ...ready, status: 'True' }] }), 'Ready');
    assert.equal(stateOf({ ...view, suspended: true }), 'Suspended');
  });
});
