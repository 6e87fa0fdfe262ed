import type { ReconcileResult } from '../../controller/controller.ts';
import { AppError } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import type { Rollback } from '../../domain/operator/kind/status-fields.ts';
import { isFalse, reconciling } from '../conditions.ts';
import { isUnavailable, withoutSecrets } from '../helm-release/failure.ts';
import { withLeaseOf } from '../helm-release/release-lease.ts';
import { AT_ONCE, BUSY_MS } from './deploy.ts';
import { doing, HISTORY_LIMIT, notReady, reportFailure, writeStatus } from './report.ts';
import type { ActiveFacts, RevisionFailure } from './state.ts';
import { leasedBy, nowOf, type Work } from './work.ts';

/**
 * Brings the last healthy revision back, once for a target: that it is about to is written down first, so that whoever comes after this process neither forgets it
 * nor does it again.
 */
export async function rollBack(work: Work, { release, health }: ActiveFacts, failure: RevisionFailure): Promise<ReconcileResult> {
  const { secrets } = failure.target.values;
  const rollback = decide(work, failure, health?.message);
  let current = work;
  const change = async (signal: AbortSignal): Promise<void> => {
    const message = `Rolling back to revision ${rollback.toRevision}: chart ${rollback.chart} failed in revision ${rollback.revision}`;
    const condition = doing('RollingBack', message);
    current = await writeStatus(work, {
      ready: notReady(condition),
      phase: reconciling(condition),
      request: 'Underway',
      conditions: [condition],
      release,
      managedRevision: rollback.revision + 1,
      results: { healthy: false },
      rollback,
    });
    await work.deployer.helm.rollback(
      { ...work.release, revision: rollback.toRevision, conflicts: 'force', historyLimit: HISTORY_LIMIT, secrets },
      signal,
    );
  };
  try {
    if ((await withLeaseOf(leasedBy(work), change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    const clean = withoutSecrets(error, secrets);
    return {
      requeueAfter: await reportFailure(current, {
        error: clean,
        condition: isFalse('Released', 'RollbackFailed', clean.message),
        release,
      }),
    };
  }
  const { revision, toRevision, cause } = rollback;
  work.ports.log.info('An instance was rolled back', { kind: work.kind.kind, ...work.release, revision, toRevision, cause });
  return AT_ONCE;
}

/** What is to be remembered; what was decided before stays as it was. */
function decide(work: Work, { target, revision, toRevision, cause }: RevisionFailure, health: string | undefined): Rollback {
  const { status, generation, requestedAt } = work;
  const begun = status.rollback;
  if (begun?.digest === target.configDigest && begun.revision === revision) return begun;
  const { name, version } = target.chart.contents.metadata;
  const known = findCondition(status.conditions, 'Released');
  const upgrade = known?.status === 'False' && known.reason !== 'Upgrading' ? known.message : 'Helm did not complete the upgrade';
  const message = cause === 'Unhealthy' ? (health ?? 'The release did not become healthy') : upgrade;
  return {
    digest: target.configDigest,
    chart: `${name} ${version}`,
    revision,
    toRevision,
    cause,
    message: redact(message, target.values.secrets),
    generation,
    requestedAt,
    time: nowOf(work),
  };
}
