import type { ReconcileResult } from '../../../controller/controller.ts';
import { carryOut } from './carry-out.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Work } from '../work.ts';

/** Applies CRDs that are gone again; the release stays as it is. */
export async function restoreCrds(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, { verb: 'restore', target, change: () => Promise.resolve() });
}
