import { nextPhaseAt } from '../../domain/environment/expiry.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { type Condition, type ConditionInput, findCondition } from '../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { EnvironmentSpec } from './environment-spec.ts';
import type { EnvironmentPorts } from './ports.ts';
import type { EnvironmentState } from './state.ts';

/** How often everything is put right again although nobody changed the Environment. */
export const DRIFT_MS = 5 * 60_000;

/** Milliseconds until an Environment is looked at again, at the latest when its next phase begins. */
export function untilNextLook({ expiry }: EnvironmentSpec, now: Date): number {
  const next = expiry && nextPhaseAt(expiry, now.getTime());
  return next === undefined ? DRIFT_MS : Math.min(DRIFT_MS, next - now.getTime());
}

/** RFC 3339, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** The condition Expired of an Environment with an end; its times are absolute, so that it changes only with the phase. */
export function expiryConditions({ environment, spec, expiry, keeper }: EnvironmentState): ConditionInput[] {
  if (spec.expiry === undefined || expiry === undefined) return [];
  const [expires, deletes] = [timestamp(spec.expiry.expiresAt), timestamp(spec.expiry.deleteAt)];
  const end = spec.reclaim === 'Delete' ? 'with its namespace and everything in it' : 'and keeps its namespace';
  const how = keeper === undefined ? `Chandlery deletes it at ${deletes}, ${end}` : `${keeper} would create it again, so delete it there`;
  const condition = { type: 'Expired', observedGeneration: environment.metadata.generation ?? 0 };
  switch (expiry) {
    case 'NotDue':
      return [{ ...condition, status: 'False', reason: 'NotDue', message: `the environment expires at ${expires}` }];
    case 'ExpiresSoon': {
      const message = `the environment expires at ${expires}; change spec.expires to keep it. After that, ${how}`;
      return [{ ...condition, status: 'False', reason: 'ExpiresSoon', message }];
    }
    case 'Expired':
    case 'Due': {
      const message = `the environment expired at ${expires}; change spec.expires to keep it. ${how}`;
      return [{ ...condition, status: 'True', reason: 'Expired', message }];
    }
    default:
      return expiry satisfies never;
  }
}

interface Phases {
  readonly earlier: readonly Condition[];
  readonly conditions: readonly Condition[];
}

/** Warns once in each phase. */
export async function recordExpiry(
  { events }: Pick<EnvironmentPorts, 'events'>,
  environment: KubeObject,
  { earlier, conditions }: Phases,
): Promise<void> {
  const now = findCondition(conditions, 'Expired');
  if (now === undefined || now.reason === 'NotDue' || findCondition(earlier, 'Expired')?.reason === now.reason) return;
  await events.record(environment, { type: 'Warning', reason: now.reason, message: now.message });
}

/** Deletes an Environment whose end has come; the finalizer does what `reclaim` says. */
export async function expire(
  { cluster, events }: Pick<EnvironmentPorts, 'cluster' | 'events'>,
  environment: KubeObject,
  { spec, signal }: { readonly spec: EnvironmentSpec; readonly signal: AbortSignal },
): Promise<void> {
  const { name, uid, resourceVersion } = environment.metadata;
  const message = `the environment expired at ${timestamp(spec.expiry?.expiresAt ?? 0)} and is deleted`;
  await events.record(environment, { type: 'Warning', reason: 'Deleted', message });
  // Only as it was read: somebody may have given it more time since.
  const version = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  await ifFound(cluster.delete({ ...ENVIRONMENT, name }, { ...version, signal }));
}
