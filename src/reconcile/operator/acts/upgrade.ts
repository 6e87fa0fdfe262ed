import type { ReconcileResult } from '../../../controller/controller.ts';
import { carryOut } from './carry-out.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Work } from '../work.ts';

/** Makes the next revision of the release, also after one that failed. */
export async function upgrade(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'upgrade',
    target,
    change: async ({ ports, spec, signal }, request) => {
      await ports.helm.upgrade({ ...request, historyLimit: spec.historyLimit }, signal);
    },
  });
}
