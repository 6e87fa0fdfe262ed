import type { ReconcileResult } from '../../controller/controller.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Rollback } from '../../domain/operator/kind/status-fields.ts';
import { isFalse, notReady, reconciling } from '../conditions.ts';
import { isUnavailable, withoutSecrets } from '../helm-release/failure.ts';
import { withLeaseOf } from '../helm-release/release-lease.ts';
import { decideRollback } from '../helm-release/rollback.ts';
import { auditRelease } from './audit-release.ts';
import { AT_ONCE, BUSY_MS } from './release-actions.ts';
import { checkRecords, keepDigest, mayRunHooks, requireRecord } from './release-records.ts';
import { HISTORY_LIMIT, reportFailure, writeStatus } from './report.ts';
import type { ActiveFacts, RevisionFailure } from './state.ts';
import { leasedBy, nowOf, type Work } from './work.ts';

/**
 * Rolls back to the last healthy revision, once for a target: that it is about to is written down first, so that the next process neither forgets it
 * nor does it again.
 */
export async function rollBack(work: Work, { release, health }: ActiveFacts, failure: RevisionFailure): Promise<ReconcileResult> {
  const { secrets } = failure.target.values;
  const rollback = decideRollback({ ...work, health: health?.message, time: nowOf(work) }, failure);
  let current = work;
  const change = async (signal: AbortSignal): Promise<void> => {
    await rollBackUnderLease({ ...work, signal }, { release, rollback, secrets, onStatus: (next) => void (current = next) });
  };
  try {
    if ((await withLeaseOf(leasedBy(work), change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error) || isAppError(error, 'ReleaseRecordChanged')) throw error;
    const clean = withoutSecrets(error, secrets);
    const condition = isFalse('Released', 'RollbackFailed', clean.message);
    return { requeueAfter: await reportFailure(current, { error: clean, condition, release }) };
  }
  const { revision, toRevision, cause } = rollback;
  work.ports.log.info('An instance was rolled back', { kind: work.kind.kind, ...work.release, revision, toRevision, cause });
  return AT_ONCE;
}

interface RollbackInput extends Pick<ActiveFacts, 'release'> {
  readonly rollback: Rollback;
  readonly secrets: readonly string[];
  /** Told of the work with each status that is written. */
  readonly onStatus: (work: Work) => void;
}

async function rollBackUnderLease(held: Work, { release, rollback, secrets, onStatus }: RollbackInput): Promise<void> {
  const { revision: failed, toRevision, chart } = rollback;
  const { digests: checked, newest: before } = await checkRecords(held);
  requireRecord(held, checked, toRevision);
  const isTrusted = mayRunHooks(checked, toRevision);
  const condition = isFalse(
    'Released',
    'RollingBack',
    `Rolling back to revision ${toRevision}: chart ${chart} failed in revision ${failed}`,
  );
  const announced = await writeStatus(held, {
    ready: notReady(condition),
    phase: reconciling(condition),
    request: 'Underway',
    conditions: [condition],
    release,
    managedRevision: failed + 1,
    results: { healthy: false },
    recordDigests: checked,
    rollback,
  });
  onStatus(announced);
  const request = { ...held.release, revision: toRevision, historyLimit: HISTORY_LIMIT, secrets, conflicts: 'force' } as const;
  const hooks = isTrusted ? 'Run' : 'Skipped';
  await auditRelease(held, { verb: 'roll back', before, hooks }, async (known) => {
    try {
      await held.deployer.helm.rollback({ ...request, ...(isTrusted ? {} : { hooks: 'skipped' }) }, held.signal);
    } finally {
      const kept = await keepDigest(held, announced, { checked, hooks });
      onStatus(kept.work);
      known({ after: kept.after });
    }
  });
}

/** Frees a release that a worker left half changed, once that worker's lease has expired. A rollback that was begun goes where it was bound for. */
export async function unlock(work: Work, { release }: Pick<ActiveFacts, 'release'>): Promise<ReconcileResult> {
  const { status, deployer, ports } = work;
  const bound = status.rollback === undefined ? {} : { toRevision: status.rollback.toRevision };
  const next = release.kind === 'Own' ? release.revision + 1 : 1;
  const outcome = await withLeaseOf(leasedBy(work), async (signal) => {
    const { digests: checked, newest: before } = await checkRecords({ ...work, signal });
    const condition = isFalse('Released', 'Unlocking', 'A worker that ended left the release pending; it is being unlocked');
    const announced = await writeStatus(work, {
      ready: notReady(condition),
      phase: reconciling(condition),
      request: 'Underway',
      conditions: [condition],
      release,
      managedRevision: next,
      recordDigests: checked,
    });
    await auditRelease(work, { verb: 'unlock', before, hooks: 'Skipped' }, async (known) => {
      const step = await deployer.helm.unlock({ ...work.release, ...bound }, signal);
      const isTrusted = step.kind === 'rollback' && mayRunHooks(checked, step.revision);
      const { after } = await keepDigest({ signal }, announced, { checked, hooks: isTrusted ? 'Run' : 'Skipped' });
      known({ after: step.kind === 'uninstall' ? undefined : (after ?? before) });
      ports.log.info('A release left pending by a dead controller was unlocked', {
        kind: work.kind.kind,
        ...work.release,
        step: step.kind,
      });
    });
  });
  return outcome === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
}
