import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOperatorSpec, operatorLabelValue } from '../../../../src/domain/operator/operator-spec.ts';
import type { OperatorStatus } from '../../../../src/domain/operator/operator-status.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { configDigest, waitBeforeAttempt } from '../../../../src/reconcile/helm-release/retry.ts';

const NOW = new Date('2026-01-01T00:00:10Z');
const STALLED = { type: 'Stalled', status: 'True', reason: 'x', message: '', lastTransitionTime: '' } as const;

describe('when an Operator is tried again', () => {
  const cases: readonly {
    title: string;
    failures: number;
    stalled?: 'Stalled';
    generation?: number;
    requestedAt?: string;
    references?: string;
    wait: number;
  }[] = [
    { title: 'one that never failed is due', failures: 0, wait: 0 },
    { title: 'after one failure two seconds later, which are over', failures: 1, wait: 0 },
    { title: 'after four failures sixteen seconds later', failures: 4, wait: 6_000 },
    { title: 'after many failures ten minutes later', failures: 50, wait: 590_000 },
    { title: 'a stalled one after its interval', failures: 1, stalled: 'Stalled', wait: 50_000 },
    { title: 'a stalled one at once for a new spec', failures: 1, stalled: 'Stalled', generation: 2, wait: 0 },
    { title: 'a stalled one at once when what it refers to has changed', failures: 1, stalled: 'Stalled', references: 'b', wait: 0 },
    { title: 'a stalled one not sooner while that is as it was', failures: 1, stalled: 'Stalled', references: 'a', wait: 50_000 },
    { title: 'a stalled one at once when a person asks', failures: 1, stalled: 'Stalled', requestedAt: 'now', wait: 0 },
  ];
  for (const { title, failures, stalled, generation = 1, requestedAt = '', references, wait } of cases) {
    it(title, () => {
      const status: OperatorStatus = {
        customResourceDefinitions: [],
        values: [],
        history: [],
        crds: [],
        failures,
        lastAttempted: { generation: 1, requestedAt: '', references: 'a', time: '2026-01-01T00:00:00Z' },
        conditions: stalled === undefined ? [] : [STALLED],
      };
      assert.equal(waitBeforeAttempt({ status, generation, requestedAt, references, interval: 60_000, now: NOW }), wait);
    });
  }
});

describe('the digest over what a revision is made of', () => {
  const digest = (values: object, more: { chartDigest?: string; kubernetesVersion?: string; legacyAPIs?: string } = {}): string => {
    const { chartDigest = 'a', kubernetesVersion = '1.36.3', ...spec } = more;
    return configDigest({ chartDigest, kubernetesVersion, spec: parseOperatorSpec(operator({ values, ...spec })) });
  };

  it('is the same whatever the order of values and the patch level of Kubernetes', () => {
    assert.equal(digest({ a: 1, b: { c: 2, d: 3 } }), digest({ b: { d: 3, c: 2 }, a: 1 }, { kubernetesVersion: 'v1.36.9' }));
  });

  it('is another for another chart, value, order of a list, Kubernetes minor or policy', () => {
    const all = [
      digest({ a: [1, 2] }),
      digest({ a: [2, 1] }),
      digest({ a: { 0: 1, 1: 2 } }),
      digest({ a: [1, 2] }, { chartDigest: 'b' }),
      digest({ a: [1, 2] }, { kubernetesVersion: '1.37.0' }),
      digest({ a: [1, 2] }, { legacyAPIs: 'Reject' }),
    ];
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.every((text) => /^[0-9a-f]{40}$/.test(text)));
  });
});

describe('the digest over what a revision of an instance is made of', () => {
  it('has the labels of nodes, and is as before without any', () => {
    const spec = { values: {}, legacyAPIs: 'Uplift' } as const;
    const digest = (more: { readonly nodeSelector?: Record<string, string> }): string =>
      configDigest({ chartDigest: 'a', kubernetesVersion: '1.36.3', spec, ...more });
    assert.equal(digest({}), '81980e98f1af88e2144a022f9b56c4dd3b1873cc');
    assert.equal(digest({ nodeSelector: {} }), digest({}));
    assert.equal(digest({ nodeSelector: { a: '1', b: '2' } }), digest({ nodeSelector: { b: '2', a: '1' } }));
    assert.notEqual(digest({ nodeSelector: { a: '1' } }), digest({ nodeSelector: { a: '2' } }));
  });
});

describe('the label of an Operator', () => {
  it('is namespace and name', () => assert.equal(operatorLabelValue('default', 'a'), 'default.a'));
  it('stays a label, and one of its own, however long the name is', () => {
    const labels = ['a', 'b'].map((end) => operatorLabelValue('default', `${'x'.repeat(100)}${end}`));
    assert.notEqual(labels[0], labels[1]);
    assert.ok(labels.every((label) => label.length <= 63 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])$/.test(label)));
  });
});

function operator(spec: object): KubeObject {
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'a', namespace: 'b' },
    spec: { chartURL: 'https://x/y', ...spec },
  };
}
