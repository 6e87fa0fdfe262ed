import type { ReconcileResult } from '../../../controller/controller.ts';
import type { PendingUpgrade } from '../../../domain/upgrade/pending-upgrade.ts';
import { isFalse } from './conditions.ts';
import type { ActiveAction } from '../next-action.ts';
import { reportReleaseHealth } from './report-release-health.ts';
import type { ActiveFacts } from '../state.ts';
import { notReady, writeStatus } from './write-status.ts';
import type { Work } from '../work.ts';

/** Says that an upgrade waits for the maintenance window, and how what runs is meanwhile. Looks again when it opens. */
export async function awaitWindow(
  work: Work,
  facts: ActiveFacts,
  { settled, pending }: Extract<ActiveAction, { kind: 'await-window' }>,
): Promise<ReconcileResult> {
  const { requeueAfter } = settled === undefined ? await tellFailed(work, facts, pending) : await reportReleaseHealth(work, facts, settled);
  const untilOpen = Date.parse(pending.opensAt ?? '') - work.ports.now().getTime();
  return { requeueAfter: Math.max(1_000, Math.min(requeueAfter ?? untilOpen, untilOpen)) };
}

async function tellFailed(work: Work, { release, crds }: ActiveFacts, pending: PendingUpgrade): Promise<ReconcileResult> {
  const message = `The last upgrade failed; it is tried again when the maintenance window opens, ${pending.opensAt ?? ''}`;
  const condition = isFalse('Released', 'OutsideWindow', message);
  await writeStatus(work, { legacyStatus: 'ERROR', ready: notReady(condition), conditions: [condition], release, crds, pending });
  return {};
}
