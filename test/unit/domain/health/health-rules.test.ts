import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { disagreement, publicHealthCases } from '../../../../bin/health-cases.ts';
import { healthOf } from '../../../../src/domain/health/rules/health-of.ts';
import { worstHealth, type HealthStatus } from '../../../../src/domain/health/health.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const PUBLIC = publicHealthCases();
/** Of 676. Most of the others say how they are in fields of their own. */
const LEAST_AGREED = 350;
const LEAST_EXACT = 410;

/** Objects of many kinds, a line each, with no more of their status than tells them apart. */
const FIXTURES = 'test/fixtures/health';

function object(apiVersion: string, kind: string, parts: { metadata?: object; spec?: object; status?: object }): KubeObject {
  return { apiVersion, kind, ...parts, metadata: { name: 'x', generation: 1, ...parts.metadata } };
}
const condition = (type: string, status: string, reason = '', message = ''): object => ({ type, status, reason, message });

const CASES: readonly [string, KubeObject, HealthStatus | undefined][] = [
  [
    'a Deployment with all pods available',
    object('apps/v1', 'Deployment', {
      spec: { replicas: 2 },
      status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    }),
    'Healthy',
  ],
  [
    'a Deployment whose change is not observed',
    object('apps/v1', 'Deployment', { metadata: { generation: 2 }, spec: {}, status: { observedGeneration: 1 } }),
    'Progressing',
  ],
  [
    'a Deployment past its deadline',
    object('apps/v1', 'Deployment', {
      spec: {},
      status: { observedGeneration: 1, conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] },
    }),
    'Degraded',
  ],
  ['a paused Deployment', object('apps/v1', 'Deployment', { spec: { paused: true } }), 'Suspended'],
  [
    'a StatefulSet with one of three pods',
    object('apps/v1', 'StatefulSet', { spec: { replicas: 3 }, status: { observedGeneration: 1, readyReplicas: 1 } }),
    'Progressing',
  ],
  [
    'a Pod that finds no node',
    object('v1', 'Pod', {
      status: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/2 nodes are available')] },
    }),
    'Progressing',
  ],
  [
    'a Pod in a crash loop',
    object('v1', 'Pod', {
      status: { phase: 'Running', containerStatuses: [{ name: 'a', state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
    }),
    'Degraded',
  ],
  ['a claim without a volume', object('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }), 'Progressing'],
  [
    'a Job that failed',
    object('batch/v1', 'Job', { status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] } }),
    'Degraded',
  ],
  [
    'anything that is being deleted',
    object('v1', 'Service', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} }),
    'Progressing',
  ],
  ['a custom kind that is ready', object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'True')] } }), 'Healthy'],
  [
    'a custom kind that waits',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'False', 'Provisioning')] } }),
    'Progressing',
  ],
  [
    'a custom kind that failed',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'False', 'ImageMissing')] } }),
    'Degraded',
  ],
  [
    'a custom kind that stalled, though it was ready',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'True'), condition('Stalled', 'True')] } }),
    'Degraded',
  ],
  [
    'a certificate that is being issued',
    object('cert-manager.io/v1', 'Certificate', {
      status: { conditions: [condition('Ready', 'False', 'DoesNotExist'), condition('Issuing', 'True', 'DoesNotExist')] },
    }),
    'Progressing',
  ],
  [
    'a custom kind that failed to be created',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'False', 'FailedCreateOrUpdate')] } }),
    'Degraded',
  ],
  [
    'a custom kind that cannot be synced, though it waits',
    object('a.example/v1', 'A', {
      status: { conditions: [condition('Ready', 'False', 'Creating'), condition('Synced', 'False', 'ReconcileError')] },
    }),
    'Degraded',
  ],
  [
    'a custom kind one of whose parts is not ready',
    object('a.example/v1', 'A', { status: { conditions: [condition('NodesReady', 'True'), condition('DatabaseReady', 'False')] } }),
    'Progressing',
  ],
  ['a custom kind that only has a phase', object('a.example/v1', 'A', { status: { phase: 'Provisioning' } }), 'Progressing'],
  ['a custom kind whose phase is good', object('a.example/v1', 'A', { status: { state: 'ready' } }), 'Healthy'],
  ['a custom kind whose phase is bad', object('a.example/v1', 'A', { status: { phase: 'Failed' } }), 'Degraded'],
  ['a custom kind whose phase is no known word', object('a.example/v1', 'A', { status: { phase: 'Blue' } }), undefined],
  [
    'a custom kind that is suspended',
    object('a.example/v1', 'A', { spec: { suspend: true }, status: { conditions: [condition('Ready', 'True')] } }),
    'Suspended',
  ],
  [
    'a custom kind that has not seen the latest change',
    object('a.example/v1', 'A', {
      metadata: { generation: 3 },
      status: { observedGeneration: 2, conditions: [condition('Ready', 'True')] },
    }),
    'Progressing',
  ],
  ['a kind that says nothing about itself', object('v1', 'ConfigMap', {}), undefined],
  ['a custom kind whose status is no object', { ...object('a.example/v1', 'A', {}), status: 'fine' }, undefined],
];

describe('health', () => {
  for (const [title, given, word] of CASES) {
    it(`calls ${title} ${word ?? 'nothing'}`, () => assert.equal(healthOf(given)?.status, word));
  }

  it('takes the worst word of several', () => {
    const words = (['Healthy', 'Degraded', 'Progressing'] as const).map((word) => ({ status: word, message: word }));
    assert.equal(worstHealth(words)?.status, 'Degraded');
    assert.equal(worstHealth([]), undefined);
  });

  it('agrees with most public cases for custom kinds', { skip: PUBLIC === undefined && 'the public cases are not here' }, (test) => {
    const cases = PUBLIC?.custom ?? [];
    const agreed = cases.filter((known) => healthOf(known.object)?.status === known.status).length;
    const exact = cases.filter((known) => disagreement(known) === undefined).length;
    test.diagnostic(`${agreed} of ${cases.length} agree in status, ${exact} in message too`);
    assert.ok(agreed >= LEAST_AGREED, `${agreed}`);
    assert.ok(exact >= LEAST_EXACT, `${exact}`);
  });

  it('agrees with the public cases for built-in kinds', { skip: PUBLIC === undefined && 'the public cases are not here' }, () => {
    const cases = PUBLIC?.builtIn ?? [];
    assert.ok(cases.length > 40);
    assert.deepEqual(
      cases.map(disagreement).filter((text) => text !== undefined),
      [],
    );
  });

  for (const file of ['built-in-kinds', 'custom-kinds']) {
    it(`calls objects as clusters have them what their own controllers would: ${file}`, () => {
      const lines = readFileSync(join(FIXTURES, `${file}.jsonl`), 'utf8')
        .trim()
        .split('\n');
      const cases = lines.map((line) => JSON.parse(line) as { status: string; object: KubeObject });
      const wrong = cases.filter(({ status, object: known }) => healthOf({ ...object('', '', {}), ...known })?.status !== status);
      assert.deepEqual(wrong, []);
      assert.ok(cases.length > 40);
    });
  }
});
