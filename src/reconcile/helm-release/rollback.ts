import { redact } from '../../domain/core/secret.ts';
import { type Condition, findCondition } from '../../domain/kubernetes/condition.ts';
import type { Rollback } from '../../domain/operator/kind/status-fields.ts';

/** A revision of a release that failed, and the one to roll back to. */
interface FailedRevision extends Pick<Rollback, 'revision' | 'toRevision' | 'cause'> {
  readonly target: {
    readonly configDigest: string;
    readonly chart: { readonly contents: { readonly metadata: { readonly name: string; readonly version: string } } };
    readonly values: { readonly secrets: readonly string[] };
  };
}

/** What the status says of the release. */
interface Reported extends Pick<Rollback, 'generation' | 'requestedAt' | 'time'> {
  readonly status: { readonly rollback?: Rollback; readonly conditions: readonly Condition[] };
  /** Why the release is not healthy; undefined when nobody knows. */
  readonly health: string | undefined;
}

/** What is to be remembered of a rollback; what was decided before stays as it was. */
export function decideRollback({ status, health, generation, requestedAt, time }: Reported, failed: FailedRevision): Rollback {
  const { target, revision, toRevision, cause } = failed;
  const begun = status.rollback;
  if (begun?.digest === target.configDigest && begun.revision === revision) return begun;
  const { name, version } = target.chart.contents.metadata;
  const condition = findCondition(status.conditions, cause === 'TestFailed' ? 'Tested' : 'Released');
  const known = condition?.status === 'False' && condition.reason !== 'Upgrading' ? condition.message : 'Helm did not complete the upgrade';
  const message = cause === 'Unhealthy' ? (health ?? 'The release did not become healthy') : known;
  return {
    digest: target.configDigest,
    chart: `${name} ${version}`,
    revision,
    toRevision,
    cause,
    message: redact(message, target.values.secrets),
    generation,
    requestedAt,
    time,
  };
}
