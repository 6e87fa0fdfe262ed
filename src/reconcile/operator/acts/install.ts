import type { ReconcileResult } from '../../../controller/controller.ts';
import { carryOut } from './carry-out.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Work } from '../work.ts';

/** Makes the first revision of the release. */
export async function install(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'install',
    target,
    change: async ({ ports, signal }, request) => {
      await ports.helm.install(request, signal);
    },
  });
}
