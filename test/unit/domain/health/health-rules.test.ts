import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { disagreement, publicHealthCases } from '../../../../bin/health-cases.ts';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { genericHealth } from '../../../../src/domain/health/rules/generic.ts';
import { healthOf } from '../../../../src/domain/health/rules/health-of.ts';
import { type Health, HEALTH_STATUSES, worstHealth, type HealthStatus } from '../../../../src/domain/health/health.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { runs } from '../../../support/runs.ts';

const PUBLIC = publicHealthCases();
/** Of the 676 cases for custom kinds, without the rules of their kinds. */
const LEAST_BY_GENERIC_RULE = 425;

/** A kind that says nothing is done for kstatus, and without health for us. */
const KSTATUS: Readonly<Record<string, readonly (HealthStatus | undefined)[]>> = {
  Current: ['Healthy', undefined],
  InProgress: ['Progressing'],
  Failed: ['Degraded'],
};
/** Cases of kstatus about which the rules for built-in kinds say something else. */
const RULED_OTHERWISE = [
  'podCompletedFailed',
  'podUnschedulable',
  'stsLessCurrent',
  'stsExtraPods',
  'dsBadStatus',
  'dsLessReady',
  'depNotProgressing',
  'depNotAvailable',
  'rsLessReady',
  'rsReplicaFailure',
  'jobInProgress',
];

/** What Argo CD waits for and kstatus and helm do not: an address that may never come. */
const NOT_WAITED_FOR = ['svc-loadbalancer-unassigned', 'ingress-unassigned'];

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
  ['a custom kind whose phase is no known word', object('a.example/v1', 'A', { status: { phase: 'Blue' } }), 'Unknown'],
  ['a run whose phase is no known word', object('a.example/v1', 'DataImport', { status: { phase: 'Blue' } }), 'Progressing'],
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
  [
    'a custom kind that waits for what its message says',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'False', 'NotReady', 'Waiting for 2 replicas')] } }),
    'Progressing',
  ],
  [
    'a custom kind whose message tells an error below a harmless reason',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'False', 'Updating', 'Error: no such table')] } }),
    'Degraded',
  ],
  [
    'a custom kind whose condition is a piece of information',
    object('a.example/v1', 'A', { status: { conditions: [{ ...condition('Ready', 'False', 'X', 'y'), severity: 'Info' }] } }),
    'Progressing',
  ],
  [
    'a custom kind that is tried again after an error',
    object('a.example/v1', 'A', {
      status: { conditions: [condition('Reconciling', 'True', 'ProgressingWithRetry'), condition('Ready', 'False', 'TokenMissing')] },
    }),
    'Degraded',
  ],
  [
    'a custom kind that is available while it rolls out',
    object('a.example/v1', 'A', {
      status: { conditions: [condition('Available', 'True'), condition('Progressing', 'True', 'RollingOut')] },
    }),
    'Progressing',
  ],
  [
    'a custom kind whose only condition is a fault that it has not',
    object('a.example/v1', 'A', { status: { conditions: [condition('SpecError', 'False')] } }),
    'Healthy',
  ],
  ['a custom kind that lists no conditions yet', object('a.example/v1', 'A', { status: { conditions: [] } }), 'Progressing'],
  ['a job of a custom kind that runs', object('a.example/v1', 'DataImport', { status: { phase: 'Running' } }), 'Progressing'],
  ['a server of a custom kind that runs', object('a.example/v1', 'Server', { status: { phase: 'Running' } }), 'Healthy'],
  ['a custom kind with a phase of its own name', object('a.example/v1', 'A', { status: { aClusterStatus: 'CreateFailed' } }), 'Degraded'],
  [
    'a custom kind whose phase is good and whose health is not',
    object('a.example/v1', 'A', { status: { phase: 'Ready', health: 'red' } }),
    'Degraded',
  ],
  ['a custom kind that writes booleans as text', object('a.example/v1', 'A', { status: { ready: 'False' } }), 'Progressing'],
  [
    'a custom kind that writes statuses in small letters',
    object('a.example/v1', 'A', { status: { conditions: [condition('Ready', 'true')] } }),
    'Healthy',
  ],
  ['a custom kind with a boolean', object('a.example/v1', 'A', { status: { ready: false } }), 'Progressing'],
  ['a custom kind with an error', object('a.example/v1', 'A', { status: { errorMessage: 'no quota' } }), 'Degraded'],
  ['a custom kind with replicas', object('a.example/v1', 'A', { spec: { replicas: 2 }, status: { readyReplicas: 1 } }), 'Progressing'],
  [
    'a custom kind whose controller was asked to leave it alone',
    object('a.example/v1', 'A', {
      metadata: { annotations: { 'a.example/paused': 'true' } },
      status: { conditions: [condition('Ready', 'True')] },
    }),
    'Suspended',
  ],
  [
    'a policy that one of its gateways rejects',
    object('a.example/v1', 'A', {
      status: { ancestors: [{ ancestorRef: { name: 'gw' }, conditions: [condition('Accepted', 'False', 'Conflicted', 'another one')] }] },
    }),
    'Degraded',
  ],
  ['a kind of a known product without a status', object('velero.io/v1', 'Backup', {}), 'Progressing'],
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

  for (const [cases = [], kinds] of [
    [PUBLIC?.custom, 'custom'],
    [PUBLIC?.builtIn, 'built-in'],
  ] as const) {
    it(`agrees with the public cases for ${kinds} kinds`, { skip: PUBLIC === undefined && 'the public cases are not here' }, () => {
      assert.ok(cases.length > 40);
      assert.deepEqual(
        cases.filter((known) => !NOT_WAITED_FOR.includes(known.case)).flatMap((known) => disagreement(known) ?? []),
        [],
      );
    });
  }

  it('agrees with kstatus where the other cases leave it open', { skip: PUBLIC === undefined && 'the public cases are not here' }, () => {
    const cases = PUBLIC?.kstatus.filter((known) => !RULED_OTHERWISE.includes(known.case)) ?? [];
    assert.ok(cases.length > 30);
    for (const { case: name, kstatus, object: known } of cases) {
      const status = healthOf(known)?.status;
      assert.ok(KSTATUS[kstatus]?.includes(status), `${name}: ${kstatus}, ours ${status}`);
    }
  });

  it('needs few rules: the generic one alone gives most', { skip: PUBLIC === undefined && 'the public cases are not here' }, (test) => {
    const cases = PUBLIC?.custom ?? [];
    const agreed = cases.filter((known) => genericHealth(known.object)?.status === known.status).length;
    test.diagnostic(`${agreed} of ${cases.length}`);
    assert.ok(agreed >= LEAST_BY_GENERIC_RULE, `${agreed}`);
  });

  for (const file of ['built-in-kinds', 'custom-kinds']) {
    it(`calls objects as clusters have them what their own controllers would: ${file}`, () => {
      const cases = casesOf(`${file}.jsonl`);
      const wrong = cases.filter(({ status, object: known }) => healthOf(known)?.status !== status);
      assert.deepEqual(wrong, []);
      assert.ok(cases.length > 40);
    });
  }

  for (const file of readdirSync(join(FIXTURES, 'products'))) {
    it(`says of products what their documentation means: ${file}`, () => {
      for (const { status, message, lacks, object: known } of casesOf(`products/${file}`)) {
        assert.deepEqual(healthOf(known), { status, message, ...(lacks === undefined ? {} : { lacks }) }, stringifyJson(known));
      }
    });
  }

  it('reads any JSON in the place of any part of an object', () => {
    const files = [
      'built-in-kinds.jsonl',
      'custom-kinds.jsonl',
      ...readdirSync(join(FIXTURES, 'products')).map((file) => `products/${file}`),
    ];
    const known = files.flatMap((file) => casesOf(file).map((item) => item.object));
    const part = fc.constantFrom('metadata', 'spec', 'status');
    fc.assert(
      fc.property(fc.constantFrom(...known), part, fc.nat(), fc.jsonValue({ maxDepth: 4 }), (given, top, at, value) => {
        const health = healthOf({ ...given, [top]: at % 4 === 0 ? value : replaced(given[top], at, value) });
        assert.ok(health === undefined || (HEALTH_STATUSES.includes(health.status) && typeof health.message === 'string'));
      }),
      { numRuns: runs(2000) },
    );
  });
});

interface FixtureCase extends Health {
  readonly object: KubeObject;
}

function casesOf(file: string): FixtureCase[] {
  const lines = readFileSync(join(FIXTURES, file), 'utf8').trim().split('\n');
  const cases = lines.map((line) => JSON.parse(line) as FixtureCase);
  return cases.map((item) => ({ ...item, object: { ...object('', '', {}), ...item.object } }));
}

/** The value with another one somewhere inside, by a number that leads there. */
function replaced(given: unknown, at: number, value: unknown): unknown {
  if (given === null || typeof given !== 'object') return value;
  const names = Object.keys(given);
  const name = names[at % (names.length + 1)];
  if (name === undefined) return value;
  const inner = replaced((given as Record<string, unknown>)[name], Math.floor(at / (names.length + 1)), value);
  return Array.isArray(given) ? given.map((item: unknown, index) => (String(index) === name ? inner : item)) : { ...given, [name]: inner };
}
