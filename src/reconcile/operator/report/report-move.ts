import type { ReconcileResult } from '../../../controller/controller.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { isFalse, notReady, reconciling, stalled } from '../../conditions.ts';
import type { ActiveFacts, ActiveState } from '../state.ts';
import type { Work } from '../work.ts';
import { writeStatus } from './write-status.ts';

const WAIT_MS = 5_000;

type PendingMove = Extract<ActiveState, { kind: 'MovePending' }>['move'];

/** Writes what a renamed Operator waits for. Release and CRDs are still those of its former one. */
export async function reportMove(work: Work, { release, crds }: ActiveFacts, move: PendingMove): Promise<ReconcileResult> {
  const condition = conditionOf(work, move);
  const isImpossible = move.kind === 'Impossible';
  await writeStatus(work, {
    legacyStatus: isImpossible ? 'ERROR' : 'INSTALLING',
    ready: notReady(condition),
    phase: isImpossible ? stalled(condition) : reconciling(condition),
    conditions: [condition],
    release,
    crds,
  });
  return { requeueAfter: WAIT_MS };
}

function conditionOf({ release: { release, namespace } }: Work, move: PendingMove): ConditionInput {
  if (move.kind === 'Impossible') {
    const message = `The Operator cannot take over from ${move.former}: ${move.message}, or remove the annotation ${OURS.movedFrom}`;
    return isFalse('Released', 'CannotMove', message);
  }
  const owner = `Release ${namespace}/${release} belongs to the Operator ${move.former}, the former name of this one`;
  return isFalse('Released', 'MovePending', `${owner}; it moves when that one is deleted`);
}
