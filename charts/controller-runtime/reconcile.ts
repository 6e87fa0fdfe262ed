import { ApiError } from './api-error.ts';
import type { Api } from './api.ts';
import { dateConditions } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { converge, NameTaken } from './converge.ts';
import { ensureSecret } from './ensure-secret.ts';
import { apiVersionOf } from './kube-object.ts';
import type { JsonMap, LiveObject } from './kube-object.ts';
import { errorText } from './log.ts';
import type { ManagedKind, Observed, Report } from './managed-kind.ts';
import { listAt, textAt } from './read-json.ts';
import { recordEvent } from './record-event.ts';
import { CLAIM } from './resources.ts';

export interface Reconciliation {
  readonly api: Api;
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
    if (!passesByItself(error)) await writeReport(reconciliation, parent, failure(parent, error));
    throw error;
  }
}

/** A lost race, a busy or an absent api-server: nothing that people should read about in the status. */
function passesByItself(error: unknown): boolean {
  if (error instanceof NameTaken) return false;
  return !(error instanceof ApiError) || error.status === 409 || error.status === 429 || error.status >= 500;
}

async function act({ api, kind }: Reconciliation, parent: LiveObject, observed: Observed): Promise<Report> {
  const secretValues = await ensureSecret(api, kind, parent);
  const desired = kind.desired(parent, observed, secretValues);
  const children = await converge({ api, operator: kind.operator, owned: kind.owned, parent }, desired, observed.children);
  const now = { children, claims: observed.claims };
  return kind.report(parent, now, await growClaims(api, kind, parent, now));
}

/** Asks for larger volumes. A storage class that cannot grow refuses, which is worth a sentence but stops nothing else. */
async function growClaims(api: Api, kind: ManagedKind, parent: LiveObject, observed: Observed): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { claim, size } of kind.growth(parent, observed)) {
    try {
      await api.mergePatch(CLAIM, claim, { spec: { resources: { requests: { storage: size } } } });
    } catch (error) {
      faults.push(`The volume of ${claim.metadata.name} cannot grow to ${size}: ${errorText(error)}`);
    }
  }
  return faults;
}

function failure(parent: LiveObject, error: unknown): Report {
  const message = `${errorText(error)}. It is tried again`;
  const ready = { type: 'Ready', status: 'False', reason: 'ReconcileFailed', message } as const;
  const progressing = { type: 'Progressing', status: 'False', reason: 'ReconcileFailed', message } as const;
  // Server-side apply takes away what an applier does not name again, so the last known numbers are repeated.
  const { conditions: _, phase: __, observedGeneration: ___, ...fields } = parent.status ?? {};
  return { phase: 'Degraded', conditions: [ready, progressing], fields };
}

async function writeReport({ api, kind, now }: Reconciliation, parent: LiveObject, report: Report): Promise<void> {
  const earlier = listAt(parent.status, 'conditions') as unknown as readonly Condition[];
  const generation = parent.metadata.generation ?? 1;
  const conditions = dateConditions(report.conditions, earlier, { now: now(), generation });
  const status: JsonMap = {
    ...report.fields,
    phase: report.phase,
    observedGeneration: generation,
    conditions: conditions.map((condition) => ({ ...condition })),
  };
  const { namespace, name } = parent.metadata;
  await api.apply(
    kind.resource,
    { apiVersion: apiVersionOf(kind.resource), kind: kind.resource.kind, metadata: { namespace, name }, status },
    'status',
  );
  if (textAt(parent.status, 'phase') === report.phase) return;
  const ready = conditions.find(({ type }) => type === 'Ready');
  await recordEvent(api, parent, {
    operator: kind.operator,
    reason: report.phase,
    message: ready?.message ?? report.phase,
    type: report.phase === 'Degraded' ? 'Warning' : 'Normal',
    now: now(),
  });
}
