import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf } from '../../../../src/domain/operator/operator-problems.ts';
import type { OperatorView } from '../../../../src/domain/operator/operator.ts';
import { SAMPLE_OPERATORS, sampleOperatorTree } from '../../../support/sample-operators.ts';

const [well] = SAMPLE_OPERATORS;
assert.ok(well !== undefined);

type Conditions = OperatorView['conditions'];
const condition = (type: string, status: 'True' | 'False' | 'Unknown', message: string): Conditions[number] => ({
  type,
  status,
  reason: 'Reason',
  message,
  lastTransitionTime: '2026-11-21T12:00:00Z',
});
const subjects = (conditions: Conditions): string[] =>
  problemsOf({ operator: { ...well, conditions }, faults: [] }).map(({ subject }) => subject);

describe('what is wrong with an Operator', () => {
  for (const [title, conditions, expected] of [
    ['is nothing while all is well', [condition('Ready', 'True', ''), condition('Drifted', 'False', '')], []],
    ['is a condition that is false', [condition('Fetched', 'False', 'it is away')], ['Fetched']],
    ['is drift while there is some', [condition('Drifted', 'True', 'replicas')], ['Drifted']],
    [
      'is not reported twice by Ready and Stalled',
      [condition('Ready', 'False', 'x'), condition('Fetched', 'False', 'x'), condition('Stalled', 'True', 'x')],
      ['Fetched'],
    ],
    ['is Stalled when it alone says why', [condition('Stalled', 'True', 'no more tries')], ['Stalled']],
    ['is not what nobody knows yet', [condition('Healthy', 'Unknown', '')], []],
  ] as const) {
    it(title, () => assert.deepEqual(subjects(conditions), expected));
  }

  it('is a workload with the way down to what it suffers from, instead of the condition that names it', () => {
    const operator = { ...well, conditions: [condition('Healthy', 'False', 'operator-0')] };
    const problems = problemsOf({ operator, tree: sampleOperatorTree(2, 'sick'), faults: [] });
    assert.deepEqual(problems, [
      {
        kind: 'Workload',
        subject: 'Deployment operator-0',
        message: '0 of 1 pods are ready',
        causes: [
          'ReplicaSet operator-0-7c9f: 0 of 1 pods are ready',
          'Pod operator-0-7c9f-x2x: it cannot be scheduled: insufficient memory',
        ],
      },
    ]);
  });

  it('is a fault of its own file, and of no other', () => {
    const fault = { source: 'catalog', file: 'a.yaml', line: 3, column: 1, message: 'wrong' };
    const faults = [
      { ...fault, resource: `Operator ${well.namespace}/${well.name}` },
      { ...fault, resource: `Operator ${well.namespace}/${well.name}-2` },
      fault,
    ];
    assert.deepEqual(
      problemsOf({ operator: { ...well, conditions: [] }, faults }).map(({ subject }) => subject),
      ['a.yaml:3:1'],
    );
  });
});
