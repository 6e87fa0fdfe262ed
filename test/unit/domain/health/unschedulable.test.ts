import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exceedsEveryNode, unschedulable } from '../../../../src/domain/health/rules/unschedulable.ts';

const PREEMPTION = 'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
const WORDS: readonly (readonly [string, string])[] = [
  [`0/2 nodes are available: 2 Insufficient memory. ${PREEMPTION}`, 'No node can take it: 2 of 2 have too little memory free'],
  [
    `0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {gpu: }, 1 Too many pods. ${PREEMPTION}`,
    'No node can take it: 1 of 3 has too little CPU free, 1 of 3 has the taint gpu, which this pod does not tolerate, 1 of 3 has as many pods as it may have',
  ],
  [
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    'No node can take it: 1 of 1 has not the labels that this pod asks for',
  ],
  ['0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found', 'Waiting for volumes'],
  ['0/2 nodes are available: 2 cosmic rays.', 'No node can take it: 2 of 2 have "cosmic rays"'],
  ['no nodes available to schedule pods', 'no nodes available to schedule pods'],
];

describe('what the scheduler says', () => {
  for (const [said, plain] of WORDS) it(`is said plainly: ${plain}`, () => assert.equal(unschedulable(said), plain));

  for (const [why, message, expected] of [
    ['larger than every node', `0/2 nodes are available: 2 Insufficient memory. ${PREEMPTION}`, true],
    [
      'larger than one node, which the other one has no room for',
      `0/2 nodes are available: 2 Insufficient memory. ${PREEMPTION.replace('2 Preemption', '1 No preemption victims found for incoming pod, 1 Preemption')}`,
      false,
    ],
    [
      'in the way of what runs',
      '0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
      false,
    ],
    [
      'for nodes that are not ready yet',
      `0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. ${PREEMPTION}`,
      false,
    ],
  ] as const) {
    it(`tells a pod that is ${why} from others`, () => assert.equal(exceedsEveryNode(message), expected));
  }
});
