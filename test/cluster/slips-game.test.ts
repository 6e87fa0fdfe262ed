import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import { playSlips } from '../faults/slips/play.ts';
import type { Slip, SlipContext } from '../faults/slips/slip.ts';

// Runs in test:all: it has a cluster of its own.

/** As many as show that the game can be played; `npm run test:faults -- slips` plays more. */
const SEEDS = 3;

it('leaves the cluster as it was after each slip is undone', { timeout: 600_000 }, async () => {
  const lines: string[] = [];
  const { steps, failed } = await playSlips({ seeds: SEEDS, first: 1, steps: [], write: (line) => lines.push(line) });
  assert.deepEqual(failed, [], lines.join('\n'));
  assert.ok(steps > SEEDS);
});

/** Somebody deletes a binding of the controller, which creates it again. */
async function loseBinding({ world }: SlipContext): Promise<Slip> {
  await world.kube.asController().delete({ ...ROLE_BINDING, namespace: 'shop', name: 'chandlery-developer' });
  return { what: 'delete a RoleBinding', undo: async () => undefined };
}

it('notices permissions that are lost for a moment', { timeout: 600_000 }, async () => {
  const lines: string[] = [];
  const table = { 'lose-binding': { make: loseBinding } };
  const { failed } = await playSlips({ seeds: 1, first: 1, steps: [], table, write: (line) => lines.push(line) });
  assert.deepEqual(failed, [1]);
  assert.match(
    lines.join('\n'),
    /permissions in shop after DELETED of RoleBinding chandlery-developer: without Group oidc:team-a: ClusterRole chandlery-developer/,
  );
});
