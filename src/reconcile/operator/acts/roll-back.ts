import type { Rollback } from '../../../domain/operator/kind/status-fields.ts';
import type { ReconcileResult } from '../../../controller/controller.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { isFalse, reconciling } from '../../conditions.ts';
import { rollingBack } from '../report/conditions.ts';
import { isUnavailable, withoutSecrets } from '../../helm-release/failure.ts';
import { decideRollback } from '../../helm-release/rollback.ts';
import { withReleaseLease } from './with-release-lease.ts';
import { observeRelease } from '../../helm-release/observe-release.ts';
import { reportFailure } from '../report/report-failure.ts';
import type { ActiveFacts, RevisionFailure } from '../state.ts';
import type { Finding } from '../report/compose-status.ts';
import { notReady, writeStatus } from '../report/write-status.ts';
import { nowOf, type Work } from '../work.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const BUSY_MS = 2_000;

/**
 * Brings the last healthy revision back, once for a step: that it is about to is written down first, so that whoever comes after this process
 * neither forgets it nor does it again. CRDs stay as the failed revision has them.
 */
export async function rollBack(work: Work, facts: ActiveFacts, failure: RevisionFailure): Promise<ReconcileResult> {
  const rollback = decideRollback({ ...work, health: failure.health?.message, time: nowOf(work) }, failure);
  let current = work;
  const change = async (signal: AbortSignal): Promise<void> => {
    const finding = announcement(work, facts, rollback);
    current = await writeStatus(work, finding);
    const { historyLimit } = work.spec;
    const { secrets } = failure.target.values;
    await work.ports.helm.rollback({ ...work.release, revision: rollback.toRevision, historyLimit, secrets }, signal);
  };
  try {
    if ((await withReleaseLease(work, change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    return { requeueAfter: await reportRollback(current, facts, withoutSecrets(error, failure.target.values.secrets)) };
  }
  const { revision, toRevision, cause } = rollback;
  work.ports.log.info('An Operator was rolled back', { operator: work.label, revision, toRevision, cause });
  return AT_ONCE;
}

function announcement(work: Work, { release, crds }: ActiveFacts, rollback: Rollback): Finding {
  const doing = rollingBack(work.release, rollback);
  const failed = rollback.cause === 'UpgradeFailed' ? {} : { healthy: false };
  return {
    legacyStatus: 'INSTALLING',
    ready: notReady(doing),
    phase: reconciling(doing),
    request: 'Underway',
    conditions: [doing],
    release,
    crds,
    results: failed,
    rollback,
  };
}

async function reportRollback(work: Work, { crds }: ActiveFacts, error: AppError): Promise<number> {
  const release = await observeRelease(work.ports.cluster, work.release, { label: work.label, signal: work.signal });
  return reportFailure(work, { error, condition: isFalse('Released', 'RollbackFailed', error.message), release, crds });
}
