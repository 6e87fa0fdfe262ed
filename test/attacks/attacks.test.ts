import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runAttack } from './run-attacks.ts';
import { SUBJECTS } from './subjects.ts';
import { startTarget, type Target } from './target.ts';

// The quick attacks, one after another on one running product; `npm run test:attacks` runs the slow ones too and prints the table.

describe('an attacker', { timeout: 1_200_000 }, () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });
  after(() => target.stop());

  for (const { name, attacks } of SUBJECTS) {
    for (const attack of attacks.filter(({ pace }) => pace !== 'slow')) {
      it(`gets nowhere: ${name}: ${attack.title}`, async () => {
        const { failure } = await runAttack(attack, target, 'quick');
        assert.equal(failure, undefined);
      });
    }
  }
});
