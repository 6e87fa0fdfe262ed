import assert from 'node:assert/strict';
import { it } from 'node:test';
import { playSlips } from '../faults/slips/play.ts';

// Runs in test:all: it has a cluster of its own.

/** As many as show that the game can be played; `npm run test:faults -- slips` plays more. */
const SEEDS = 3;

it('leaves the cluster as it was after each slip is undone', { timeout: 600_000 }, async () => {
  const lines: string[] = [];
  const { steps, failed } = await playSlips({ seeds: SEEDS, first: 1, steps: [], write: (line) => lines.push(line) });
  assert.deepEqual(failed, [], lines.join('\n'));
  assert.ok(steps > SEEDS);
});
