import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sleepFact } from '../../../../src/domain/app-instance/sleep.ts';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { at } from '../../../../src/domain/core/read.ts';
import { healthOf } from '../../../../src/domain/health/rules/health-of.ts';
import { applyMergePatch } from '../../../../src/domain/core/merge-patch.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const BEFORE_SLEEP = 'chandlery.dev/before-sleep';

function workload(apiVersion: string, kind: string, spec: object, before?: string): KubeObject {
  const annotations = before === undefined ? {} : { [BEFORE_SLEEP]: before };
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'team', resourceVersion: '7', annotations }, spec };
}

function patched(object: KubeObject, wanted: 'Sleep' | 'Wake'): unknown {
  const [change] = sleepFact([object, undefined], wanted).changes;
  if (change === undefined) return 'unchanged';
  const after = applyMergePatch(object, JSON.parse(stringifyJson(change.patch)));
  assert.equal(change.patch.metadata.resourceVersion, '7');
  return [at(after, 'spec'), at(after, 'metadata', 'annotations', BEFORE_SLEEP)];
}

describe('sleep', () => {
  const deployment = (replicas: number | undefined, before?: string): KubeObject =>
    workload('apps/v1', 'Deployment', replicas === undefined ? {} : { replicas }, before);
  const cron = (suspend: boolean, before?: string): KubeObject => workload('batch/v1', 'CronJob', { suspend }, before);
  const cases: readonly (readonly [why: string, object: KubeObject, wanted: 'Sleep' | 'Wake', expected: unknown])[] = [
    ['a Deployment remembers its replicas', deployment(3), 'Sleep', [{ replicas: 0 }, '3']],
    ['so does one whose replicas an HPA has set, or the default', deployment(undefined), 'Sleep', [{ replicas: 0 }, '1']],
    ['a StatefulSet, too', workload('apps/v1', 'StatefulSet', { replicas: 2 }), 'Sleep', [{ replicas: 0 }, '2']],
    ['a CronJob is suspended', cron(false), 'Sleep', [{ suspend: true }, 'false']],
    ['what runs nothing stays as it is', deployment(0), 'Sleep', 'unchanged'],
    ['a CronJob that was suspended before', cron(true), 'Sleep', 'unchanged'],
    ['what sleeps is not counted again', deployment(0, '3'), 'Sleep', 'unchanged'],
    ['what somebody started is counted anew', deployment(5, '3'), 'Sleep', [{ replicas: 0 }, '5']],
    ['a DaemonSet runs on', workload('apps/v1', 'DaemonSet', {}), 'Sleep', 'unchanged'],
    [
      'nor does a kind of that name of somebody else sleep',
      workload('example.com/v1', 'Deployment', { replicas: 1 }),
      'Sleep',
      'unchanged',
    ],
    ['replicas come back', deployment(0, '3'), 'Wake', [{ replicas: 3 }, undefined]],
    ['a CronJob goes on', cron(true, 'false'), 'Wake', [{ suspend: false }, undefined]],
    ['what was started meanwhile goes on as it is', deployment(5, '3'), 'Wake', [{ replicas: 5 }, undefined]],
    ['a count that is none is one', deployment(0, '9e9'), 'Wake', [{ replicas: 1 }, undefined]],
    ['what did not sleep stays at zero', deployment(0), 'Wake', 'unchanged'],
  ];
  for (const [why, object, wanted, expected] of cases) it(why, () => assert.deepEqual(patched(object, wanted), expected));

  it('names what it will bring back', () => {
    assert.deepEqual(sleepFact([deployment(0, '1'), cron(true, 'false'), deployment(2)], 'Sleep').asleep, [
      'CronJob web',
      'Deployment web (1 replica)',
    ]);
  });

  it('is no failure', () => {
    const condition = (type: string, status: string, reason: string): object => ({ type, status, reason, message: 'Asleep, it is' });
    const conditions = [
      condition('Healthy', 'True', 'Suspended'),
      condition('Ready', 'False', 'Asleep'),
      condition('Asleep', 'True', 'ScaledToZero'),
    ];
    const instance = { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Web', metadata: { name: 'a' }, status: { conditions } };
    assert.equal(healthOf(instance)?.status, 'Suspended');
    const awake = [condition('Ready', 'True', 'Ready'), condition('Asleep', 'False', 'Awake')];
    assert.equal(healthOf({ ...instance, status: { conditions: awake } })?.status, 'Healthy');
  });
});
