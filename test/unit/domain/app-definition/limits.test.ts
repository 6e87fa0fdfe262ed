import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { array, assert as check, boolean, constantFrom, nat, property, record } from 'fast-check';
import { admit, countQuota, limitsCondition } from '../../../../src/domain/app-definition/limits.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { runs } from '../../../support/runs.ts';

function instance(uid: string, { namespace = 'a', created = 1, released = false } = {}): KubeObject {
  const creationTimestamp = new Date(created * 1000).toISOString();
  const metadata = { namespace, name: uid, uid, creationTimestamp };
  return { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Web', metadata, spec: {}, status: released ? { managedRevision: 1 } : {} };
}

describe('the limits of an AppDefinition', () => {
  it('let the oldest in, and name the others', () => {
    const all = [instance('new', { created: 3 }), instance('old', { created: 1 }), instance('mid', { created: 2 })];
    const admission = admit({ maxInstances: 2 }, all);
    assert.deepEqual(admission, { admitted: ['mid', 'old'], rejected: ['new'] });
    const { status, reason, message } = limitsCondition({ maxInstances: 2 }, all, admission);
    assert.deepEqual([status, reason], ['False', 'LimitExceeded']);
    assert.equal(message, 'At most 2 instances. Not installed: a/new. Delete instances, or raise spec.limits');
  });

  it('count each environment by itself', () => {
    const all = [instance('1'), instance('2', { created: 2 }), instance('3', { created: 3, namespace: 'b' })];
    assert.deepEqual(admit({ perEnvironment: 1 }, all), { admitted: ['1', '3'], rejected: ['2'] });
    assert.deepEqual(admit({ maxInstances: 1, perEnvironment: 1 }, all).rejected, ['2', '3']);
  });

  it('leave what is released, although there is too much of it', () => {
    const all = [instance('1', { created: 9, released: true }), instance('2', { released: true, created: 8 }), instance('3')];
    assert.deepEqual(admit({ maxInstances: 1 }, all), { admitted: ['1', '2'], rejected: ['3'] });
  });

  it('never let more in than there is room for, whoever comes when with whatever clock, and take nobody’s place away', () => {
    const arrivals = array(record({ created: nat(5), namespace: constantFrom('a', 'b'), leaves: boolean() }), {
      maxLength: 30,
    });
    const limits = record({ maxInstances: nat(6), perEnvironment: nat(4) });
    check(
      property(arrivals, limits, (come, limit) => {
        let there: KubeObject[] = [];
        let before: readonly string[] = [];
        for (const [index, { leaves, ...one }] of come.entries()) {
          there = leaves ? there.slice(1) : [...there, instance(`${index}`, one)];
          const { admitted, rejected } = admit(limit, there, before);
          assert.ok(admitted.length <= limit.maxInstances);
          for (const own of Map.groupBy(
            there.filter(({ metadata }) => admitted.includes(metadata.uid ?? '')),
            ({ metadata }) => metadata.namespace,
          ).values())
            assert.ok(own.length <= limit.perEnvironment);
          assert.equal(admitted.length + rejected.length, there.length);
          assert.deepEqual(
            before.filter((uid) => rejected.includes(uid)),
            [],
          );
          before = admitted;
        }
      }),
      { numRuns: runs(50) },
    );
  });
});

describe('the quota of an environment on apps', () => {
  const crd = (since: string): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'webs.apps.chandlery.dev' },
    status: { conditions: [{ type: 'Established', status: 'True', reason: '', message: '', lastTransitionTime: since }] },
  });
  const definition: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: 'web' },
    spec: { chartURL: 'https://example.com/a.tgz', limits: { perEnvironment: 2 } },
    status: { crd: 'webs.apps.chandlery.dev' },
  };
  const now = Date.parse('2026-01-01T10:00:00Z');

  it('waits until the cluster can count a new kind', () => {
    assert.deepEqual(countQuota([definition], [crd('2026-01-01T09:59:50Z')], now), { hard: {}, pending: true });
    assert.deepEqual(countQuota([definition], [crd('2026-01-01T09:50:00Z')], now), {
      hard: { 'count/webs.apps.chandlery.dev': 2 },
      pending: false,
    });
    assert.deepEqual(countQuota([definition], [], now), { hard: {}, pending: false });
  });
});
