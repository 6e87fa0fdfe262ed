import type { Cluster, EventRecorder } from '../../src/domain/kubernetes/cluster.ts';
import { type Condition, findCondition, mergeConditions } from '../../src/domain/kubernetes/condition.ts';
import { isAppError, messageOf } from '../../src/domain/core/errors.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { apiVersionOf } from '../../src/domain/kubernetes/resource.ts';
import { converge } from './converge.ts';
import { ensureSecret } from './ensure-secret.ts';
import type { LiveObject } from './kube-object.ts';
import type { ManagedKind, Observed, Report } from './managed-kind.ts';
import { PERSISTENT_VOLUME_CLAIM } from '../../src/domain/kubernetes/resource-types.ts';

export interface Reconciliation {
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'replace' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  readonly events: EventRecorder;
  readonly kind: ManagedKind;
  readonly now: () => Date;
}

/**
 * Brings the world of one parent to what it asks for, and writes its status. What goes wrong stands in the status before it is thrown on, for
 * the queue to try again.
 */
export async function reconcile(reconciliation: Reconciliation, parent: LiveObject, observed: Observed): Promise<void> {
  try {
    await writeReport(reconciliation, parent, await act(reconciliation, parent, observed));
  } catch (error) {
    if (needsAttention(error)) await writeReport(reconciliation, parent, failure(parent, error));
    throw error;
  }
}

/** A lost race, a busy or an absent api-server pass by themselves: nothing that people should read about in the status. */
function needsAttention(error: unknown): boolean {
  return isAppError(error) && !isAppError(error, 'Conflict', 'TooManyRequests', 'ClusterUnavailable', 'WebhookUnavailable');
}

async function act({ cluster, kind }: Reconciliation, parent: LiveObject, observed: Observed): Promise<Report> {
  const secretValues = await ensureSecret(cluster, kind, parent);
  const desired = kind.desired(parent, observed, secretValues);
  const children = await converge({ cluster, operator: kind.operator, owned: kind.owned, parent }, desired, observed.children);
  const now = { children, claims: observed.claims };
  return kind.report(parent, now, await growClaims(cluster, kind, { parent, observed: now }));
}

/** Asks for larger volumes. A storage class that cannot grow rejects, which is worth a sentence but stops nothing else. */
async function growClaims(
  cluster: Pick<Cluster, 'patch'>,
  kind: ManagedKind,
  { parent, observed }: { readonly parent: LiveObject; readonly observed: Observed },
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { claim, size } of kind.growth(parent, observed)) {
    const { namespace, name } = claim.metadata;
    const body = { spec: { resources: { requests: { storage: size } } } };
    try {
      await cluster.patch({ ...PERSISTENT_VOLUME_CLAIM, namespace, name }, { type: 'merge', body }, { fieldManager: kind.operator });
    } catch (error) {
      faults.push(`The volume of ${name} cannot grow to ${size}: ${messageOf(error)}`);
    }
  }
  return faults;
}

function failure(parent: LiveObject, error: unknown): Report {
  const message = `${messageOf(error)}. It is tried again`;
  const ready = { type: 'Ready', status: 'False', reason: 'ReconcileFailed', message } as const;
  const progressing = { type: 'Progressing', status: 'False', reason: 'ReconcileFailed', message } as const;
  // Server-side apply takes away what an applier does not name again, so the last known numbers are repeated.
  const { conditions: _, phase: __, observedGeneration: ___, ...fields } = parent.status ?? {};
  return { phase: 'Degraded', conditions: [ready, progressing], fields };
}

async function writeReport({ cluster, events, kind, now }: Reconciliation, parent: LiveObject, report: Report): Promise<void> {
  const { namespace, name, generation: observedGeneration = 1 } = parent.metadata;
  const earlier = listAt(parent.status, 'conditions') as readonly Condition[];
  const next = report.conditions.map((condition) => ({ ...condition, observedGeneration }));
  const conditions = mergeConditions(
    earlier,
    next,
    now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
  );
  const status = { ...report.fields, phase: report.phase, observedGeneration, conditions };
  const object = { apiVersion: apiVersionOf(kind.resource), kind: kind.resource.kind, metadata: { namespace, name }, status };
  await cluster.applyStatus(kind.resource, object, { fieldManager: kind.operator, force: 'force' });
  if (textAt(parent.status, 'phase') === report.phase) return;
  await events.record(parent, {
    type: report.phase === 'Degraded' ? 'Warning' : 'Normal',
    reason: report.phase,
    message: findCondition(conditions, 'Ready')?.message ?? report.phase,
  });
}
