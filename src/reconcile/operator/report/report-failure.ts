import type { Attempt } from '../../../domain/operator/kind/status-fields.ts';
import { backoffDelay } from '../../../domain/core/backoff.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import type { AppError } from '../../../domain/core/errors.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { ReleaseFact } from '../../helm-release/observe-release.ts';
import { isTerminal } from '../../helm-release/failure.ts';
import { RETRY_BACKOFF } from '../../helm-release/retry.ts';
import type { Chart } from '../../helm-release/ports.ts';
import { isTrue, notReady, reconciling, stalled } from '../../conditions.ts';
import { writeStatus } from './write-status.ts';
import { nowOf, type Work } from '../work.ts';

export interface Failure {
  readonly error: AppError;
  /** The condition that says what went wrong. */
  readonly condition: ConditionInput;
  /** What else was found out before. */
  readonly conditions?: readonly ConditionInput[];
  readonly release: ReleaseFact;
  readonly crds: readonly CrdFact[];
  readonly chart?: Chart;
  /** What goes on running instead of the chart. */
  readonly running?: OperatorStatus['chart'];
  readonly configDigest?: string;
  /** A forced upgrade has come as far as it could. */
  readonly forced?: 'CarriedOut';
  /** Whether the same attempt would end the same way; by default the kind of error says so. */
  readonly outlook?: 'Terminal';
  /** What is installed works all the same. */
  readonly readiness?: 'Ready';
}

/**
 * Writes down that an attempt failed and how often in a row. A terminal failure stalls the Operator until its interval is over.
 *
 * @returns milliseconds until the next attempt.
 */
export async function reportFailure(work: Work, failure: Failure): Promise<number> {
  const { error, condition, release, crds, chart } = failure;
  const { ports, operator, spec, status } = work;
  const terminal = failure.outlook === 'Terminal' || isTerminal(error.code);
  const failures = status.failures + 1;
  const delay = terminal ? spec.interval : backoffDelay(failures, RETRY_BACKOFF, 0);
  await writeStatus(work, {
    legacyStatus: failure.readiness === 'Ready' ? 'READY' : 'ERROR',
    ready:
      failure.readiness === 'Ready' ? isTrue('Ready', 'Ready', `Installed and healthy, but: ${condition.message}`) : notReady(condition),
    phase: terminal ? stalled(condition) : reconciling(condition),
    conditions: [...(failure.conditions ?? []), condition],
    release,
    crds,
    ...(chart === undefined ? {} : { chart }),
    ...(failure.running === undefined ? {} : { running: failure.running }),
    ...(failure.configDigest === undefined ? {} : { configDigest: failure.configDigest }),
    attempt: attemptOf(work, failure),
    failures,
  });
  const { namespace, name } = operator.metadata;
  const keys = { operator: `${namespace ?? ''}/${name}`, reason: condition.reason, failures, retryInSeconds: Math.round(delay / 1000) };
  ports.log.warn('An Operator is not ready', { ...keys, why: error.message });
  return delay;
}

export function attemptOf(
  work: Work,
  { chart, configDigest, forced }: { readonly chart?: Chart; readonly configDigest?: string; readonly forced?: 'CarriedOut' },
): Attempt {
  const { generation, requestedAt, references, status } = work;
  const forcedAt = forced === undefined || work.forcedAt === '' ? status.lastAttempted?.forcedAt : work.forcedAt;
  return {
    ...(configDigest === undefined ? {} : { digest: configDigest }),
    ...(chart === undefined ? {} : { chartDigest: chart.digest }),
    generation,
    requestedAt,
    ...(forcedAt === undefined ? {} : { forcedAt }),
    ...(references === undefined ? {} : { references }),
    time: nowOf(work),
  };
}
