import type { ReconcileResult } from '../../../controller/controller.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { type KubeObject, parseKey } from '../../../domain/kubernetes/resource.ts';
import { OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import { isFalse, notReady, reconciling } from '../../conditions.ts';
import { observeRelease } from '../../helm-release/observe-release.ts';
import { observeCrds } from '../facts/observe-crds.ts';
import { findLabelled, type MoveFact } from '../facts/observe-move.ts';
import { writeStatus } from '../report/write-status.ts';
import { workOn, type Work } from '../work.ts';
import { withReleaseLease } from './with-release-lease.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to ask again for a lease that another process holds. */
const BUSY_MS = 2_000;

type DueMove = Extract<MoveFact, { kind: 'Due' }>;

/**
 * Takes over what the former Operator of a renamed one holds, under the lease of the release: first its status with the history, then CRDs, permissions and the
 * records of the release, by their label alone. Helm does not run. The former one stays until nothing has its label, so the next process goes on.
 */
export async function takeOver(work: Work, move: DueMove): Promise<ReconcileResult> {
  const change = async (signal: AbortSignal): Promise<void> => {
    const held = { ...work, signal };
    const { namespace = 'default', name } = parseKey(move.former);
    const former = await ifFound(work.ports.cluster.get({ ...OPERATOR, namespace, name }, { signal }));
    if (former !== undefined && former.metadata.deletionTimestamp === undefined) return;
    await inheritStatus(held, move, former);
    await relabel(held, move.label);
    await recordMove(held, move);
  };
  return (await withReleaseLease(work, change)) === 'Busy' ? { requeueAfter: BUSY_MS } : AT_ONCE;
}

/** The release is that of the former one, and so is what is known of it. What was tried with the spec of the former one counts as tried with this one. */
async function inheritStatus(work: Work, { label, former: key }: DueMove, former: KubeObject | undefined): Promise<void> {
  const query = { label, signal: work.signal };
  const { ports, release, generation, requestedAt } = work;
  const status = former === undefined ? work.status : inherited(workOn(ports, former, work.signal), { generation, requestedAt });
  const [theirs, ours] = [await observeRelease(ports.cluster, release, query), await observeRelease(ports.cluster, release, work)];
  const moving = isFalse('Released', 'Moving', `The Operator takes over release ${release.namespace}/${release.release} of ${key}`);
  await writeStatus(
    { ...work, status },
    {
      legacyStatus: status.status ?? 'INSTALLING',
      ready: notReady(moving),
      phase: reconciling(moving),
      request: 'Underway',
      conditions: [],
      release: theirs.kind === 'Own' ? theirs : ours,
      crds: await observeCrds(ports, release, query),
    },
  );
}

function inherited({ status, ...former }: Work, now: Pick<Work, 'generation' | 'requestedAt'>): OperatorStatus {
  const { lastAttempted, rollback, lastHandledReconcileAt: _handled, deletion: _deletion, ...rest } = status;
  const isCurrent = (entry: Pick<Work, 'generation' | 'requestedAt'>): boolean =>
    entry.generation === former.generation && entry.requestedAt === former.requestedAt;
  return {
    ...rest,
    ...(lastAttempted === undefined ? {} : { lastAttempted: isCurrent(lastAttempted) ? { ...lastAttempted, ...now } : lastAttempted }),
    ...(rollback === undefined ? {} : { rollback: isCurrent(rollback) ? { ...rollback, ...now } : rollback }),
  };
}

async function relabel(work: Work, label: string): Promise<void> {
  const { ports, signal } = work;
  const body = { metadata: { labels: { [OURS.operatorLabel]: work.label } } };
  const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal } as const;
  for (const { type, object } of await findLabelled(work, label)) {
    const { name, namespace } = object.metadata;
    const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
    await ifFound(ports.cluster.patch(ref, { type: 'merge', body }, options));
  }
}

async function recordMove({ ports, operator, release, label }: Work, { former }: DueMove): Promise<void> {
  const message = `The Operator ${former} was renamed: release ${release.namespace}/${release.release}, CRDs and permissions are this Operator's now`;
  await ports.events.record(operator, { type: 'Normal', reason: 'Moved', message });
  ports.log.info('An Operator was renamed', { operator: label, former, ...release });
}
