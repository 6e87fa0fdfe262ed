import { numberAt, objectAt, textAt } from '../core/read.ts';

/** What made a revision fail: Helm could not make it, the chart's own tests failed, or it did not become healthy in time. */
const ROLLBACK_CAUSES = ['UpgradeFailed', 'TestFailed', 'Unhealthy'] as const;
export type RollbackCause = (typeof ROLLBACK_CAUSES)[number];

/** What to do about a revision that failed: leave it, or bring the last healthy one back. */
export type RemediationPolicy = 'Rollback' | 'None';

/** A rollback that was decided; written down before it begins, so that there is only one for a step. */
export interface Rollback {
  /** The step that failed. */
  readonly digest: string;
  /** Name and version of the chart that failed, e.g. `cache 1.1.0`. */
  readonly chart: string;
  /** The revision that failed. */
  readonly revision: number;
  readonly toRevision: number;
  readonly cause: RollbackCause;
  /** A sentence about what failed. */
  readonly message: string;
  /** The spec and the request of a person that it holds for; another one is tried anew. */
  readonly generation: number;
  readonly requestedAt: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Reads `status.rollback`. */
export function parseRollback(status: unknown): Rollback | undefined {
  const rollback = objectAt(status, 'rollback');
  const digest = textAt(rollback, 'digest');
  const revision = numberAt(rollback, 'revision');
  const toRevision = numberAt(rollback, 'toRevision');
  if (digest === undefined || revision === undefined || toRevision === undefined) return undefined;
  return {
    digest,
    chart: textAt(rollback, 'chart') ?? '',
    revision,
    toRevision,
    cause: ROLLBACK_CAUSES.find((cause) => cause === textAt(rollback, 'cause')) ?? 'UpgradeFailed',
    message: textAt(rollback, 'message') ?? '',
    generation: numberAt(rollback, 'generation') ?? 0,
    requestedAt: textAt(rollback, 'requestedAt') ?? '',
    time: textAt(rollback, 'time') ?? '',
  };
}
