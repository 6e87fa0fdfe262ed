import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runAttack } from './run-attacks.ts';
import { SUBJECTS } from './subjects.ts';
import { startTarget, type Target } from './target.ts';

// Runs in test:all: it attacks the product for minutes.
// Runs alone: it measures how long the event loop of the product works.

// The quick attacks, one after another on one running product; `npm run test:attacks` runs the slow ones too and prints the table.

describe('an attacker', { timeout: 1_200_000 }, () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });
  after(() => target.stop());

  // The matrix of who may do what is a test of its own: test/cluster/access-matrix.test.ts.
  for (const { name, attacks } of SUBJECTS.filter((subject) => subject.name !== 'matrix')) {
    for (const attack of attacks.filter(({ pace }) => pace !== 'slow')) {
      it(`gets nowhere: ${name}: ${attack.title}`, async () => {
        const { failure } = await runAttack(attack, target, 'quick');
        assert.equal(failure, undefined);
      });
    }
  }
});
