import type { ReconcileResult } from '../../../controller/controller.ts';
import { differencesSentence } from '../report/conditions.ts';
import { withReleaseLease } from './with-release-lease.ts';
import { HELM_MANAGER, recordCorrection, type DriftFact, type DriftMemory } from '../facts/observe-drift.ts';
import type { Work } from '../work.ts';

const BUSY_MS = 2_000;

/** Applies the objects that drifted as the release has them, in Helm's own name, so that the fields stay Helm's. */
export async function correctDrift(memory: DriftMemory, work: Work, fact: DriftFact): Promise<ReconcileResult> {
  const outcome = await withReleaseLease(work, async (signal) => {
    for (const { type, object } of fact.drifted) {
      const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', signal } as const;
      await work.ports.cluster.apply(type, object, options);
    }
  });
  if (outcome === 'Busy') return { requeueAfter: BUSY_MS };
  recordCorrection(memory, work, fact);
  const message = `Corrected: ${differencesSentence(fact)}`;
  await work.ports.events.record(work.operator, { type: 'Normal', reason: 'DriftCorrected', message });
  work.ports.log.info('Drift of an Operator was corrected', { operator: work.label, objects: fact.drifted.length });
  return { requeueAfter: 0 };
}
