import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTakeover, type Takeover } from '../../../../src/compose/leader/decide-takeover.ts';
import type { LeaseDecision, SeenLease } from '../../../../src/controller/leader.ts';

const SECOND = 1_000;
const CHART = { 'chandlery.dev/installation': '"prod/chandlery"', 'chandlery.dev/installation-id': 'installation prod/chandlery' };
const LAPTOP = { id: 'state 1', name: 'the process on laptop' };

function lease(change: Partial<SeenLease> = {}): SeenLease {
  return { resourceVersion: '7', holder: 'pod-1_2_3', annotations: CHART, unchanged: 0, ...change };
}

const ABSENT: Partial<SeenLease> = { resourceVersion: '', holder: '', annotations: {} };

function takeover(takeOver: 'Never' | 'Once' = 'Never', installation = LAPTOP): Takeover {
  return createTakeover({ installation, predecessors: 'laptop_1_', seconds: 12, takeOver });
}

describe('the Lease of the controllers', () => {
  const cases: readonly (readonly [string, Partial<SeenLease>, LeaseDecision])[] = [
    ['that is not there is taken', ABSENT, 'Take'],
    ['of an earlier process of the same state folder is taken at once', { holder: 'laptop_1_9', annotations: {} }, 'Take'],
    ['of another process without an installation is left while it is renewed', { annotations: {} }, 'Wait'],
    ['of another process without an installation is taken when it has expired', { annotations: {}, unchanged: 12 * SECOND }, 'Take'],
    ['of another installation is left', {}, 'Wait'],
    ['of another installation is left also when it has expired', { unchanged: 3_600 * SECOND }, 'Wait'],
  ];
  for (const [title, seen, decision] of cases) test(title, () => assert.equal(takeover().decide(lease(seen)), decision));

  test('of the same installation is taken as soon as it has expired, whatever its version', () => {
    const { decide, other } = takeover('Never', { id: 'installation prod/chandlery', name: '"prod/chandlery"' });
    assert.equal(decide(lease()), 'Wait');
    assert.equal(decide(lease({ unchanged: 12 * SECOND })), 'Take');
    assert.equal(other(), undefined);
  });

  test('of another installation is taken once by a process that is told so, and not again after it was lost', () => {
    const { decide, other, led } = takeover('Once');
    assert.equal(decide(lease({ unchanged: 12 * SECOND })), 'Take');
    assert.equal(decide(lease()), 'TakeFromHolder');
    led();
    assert.equal(decide(lease()), 'Wait');
    assert.equal(other(), '"prod/chandlery"');
  });

  test('that another installation has released is taken when that one does not return for two minutes', () => {
    const { decide, other } = takeover();
    decide(lease());
    assert.equal(decide(lease({ ...ABSENT, unchanged: 119 * SECOND })), 'Wait');
    assert.equal(other(), '"prod/chandlery"');
    assert.equal(decide(lease({ ...ABSENT, unchanged: 120 * SECOND })), 'Take');
  });
});
