import type { ReconcileResult } from '../../controller/controller.ts';
import { FORGET_RELEASE } from '../../domain/app-instance/instance.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { SKIP_HOOKS } from '../../domain/operator/operator-spec.ts';
import { NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { isFalse } from '../conditions.ts';
import { removeFinalizer } from '../finalizer.ts';
import { observeRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { isLeaseLeft, withLeaseOf } from '../helm-release/release-lease.ts';
import { auditObjects, auditRelease, uninstallChange } from './audit-release.ts';
import { AT_ONCE, BUSY_MS } from './release-actions.ts';
import { checkRecords, deleteRecords, mayRunHooks, newestRevision } from './release-records.ts';
import { deleteNamespace, findDedicatedNamespace } from './dedicated-namespace.ts';
import { environmentOf } from './prerequisites.ts';
import { recordDeletion } from './record-deletion.ts';
import { writeStatus } from './report.ts';
import { annotateCommand, type DedicatedNamespace, leasedBy, type Work } from './work.ts';

/** How soon to try again after helm has failed. */
const FAILED_MS = 30_000;

/** Brings an instance that is being deleted one action nearer to its end: its release, the namespace that is dedicated to it, then our finalizer. */
export async function finalizeInstance(work: Work): Promise<ReconcileResult> {
  if (!hasFinalizer(work.instance)) return {};
  if (work.dedicated !== undefined) return await finalizeDedicated(work, work.dedicated);
  if (await isNamespaceTerminating(work)) return await leave(work);
  const release = await observe(work);
  return release.kind === 'Own' ? await uninstall(work, release) : await leave(work);
}

/** What is somebody else's is left alone. Without its Environment nobody can uninstall the release, so the namespace goes with it. */
async function finalizeDedicated(work: Work, dedicated: DedicatedNamespace): Promise<ReconcileResult> {
  switch (dedicated.kind) {
    case 'Ours': {
      const release = await observe(work);
      const hasEnvironment = environmentOf(work.ports.environments.all(), work.namespace) !== undefined;
      if (release.kind === 'Own' && hasEnvironment) return await uninstall(work, release);
      await deleteNamespace(work, dedicated.namespace);
      return AT_ONCE;
    }
    case 'Terminating': {
      const condition = isFalse('Ready', 'NamespaceTerminating', dedicated.message);
      await writeStatus(work, { ready: condition, conditions: [], release: { kind: 'Absent' } });
      return { requeueAfter: BUSY_MS };
    }
    case 'Missing':
    case 'Foreign':
      return await leave(work);
    default:
      return dedicated satisfies never;
  }
}

/** Then all of the release goes with the namespace, the account that could uninstall it included. */
async function isNamespaceTerminating({ ports, namespace, signal }: Work): Promise<boolean> {
  const found = await ifFound(ports.cluster.get({ ...NAMESPACE, name: namespace }, { signal }));
  return found?.metadata.deletionTimestamp !== undefined;
}

async function observe({ ports, release, label, signal }: Work): Promise<ReleaseFact> {
  return await observeRelease(ports.cluster, release, { label, key: OURS.appInstanceLabel, signal });
}

async function uninstall(work: Work, release: ReleaseFact): Promise<ReconcileResult> {
  const { [SKIP_HOOKS]: skip, [FORGET_RELEASE]: forget } = work.instance.metadata.annotations ?? {};
  try {
    const change = async (signal: AbortSignal): Promise<void> => {
      const { digests, newest: before } = await checkRecords({ ...work, signal });
      const isSkipped = skip === 'true' || !mayRunHooks(digests, newestRevision(digests));
      const act = { verb: 'uninstall', before, hooks: isSkipped ? 'Skipped' : 'Run', change: uninstallChange(work) } as const;
      await auditRelease(work, act, async () => {
        await work.deployer.helm.unlock(work.release, signal);
        await work.deployer.helm.uninstall({ ...work.release, ...(isSkipped ? { hooks: 'skipped' } : {}) }, signal);
      });
    };
    return (await withLeaseOf(leasedBy(work), change)) === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!isAppError(error, 'HelmFailed', 'Forbidden', 'WebhookUnavailable', 'ReleaseRecordChanged')) throw error;
    if (error.code === 'ReleaseRecordChanged' && forget === 'true') return await forgetRelease(work);
    const condition = uninstallFailed(work, error);
    await writeStatus(work, { ready: { ...condition, type: 'Ready' }, conditions: [condition], release });
    return { requeueAfter: FAILED_MS };
  }
}

function uninstallFailed(work: Work, { code, message }: AppError): ConditionInput {
  if (code !== 'ReleaseRecordChanged')
    return isFalse(
      'Released',
      'UninstallFailed',
      `${message}. To uninstall without the chart's hooks: ${annotateCommand(work, `${SKIP_HOOKS}=true`)}`,
    );
  const advice = `To delete the records and leave the objects of the release: ${annotateCommand(work, `${FORGET_RELEASE}=true`)}`;
  return isFalse('Released', code, `${message}. Chandlery uninstalls nothing by it. ${advice}`);
}

/** The records of the release have changed, and a user has decided to leave its objects where they are. */
async function forgetRelease(work: Work): Promise<ReconcileResult> {
  const outcome = await withLeaseOf(leasedBy(work), async (signal) => {
    const removed = (await deleteRecords({ ...work, signal })).map((name) => `Secret ${name}`);
    await auditObjects(work, { action: 'forget release', removed, change: uninstallChange(work) });
  });
  work.ports.log.warn('The changed records of a release were deleted on request; its objects stay', {
    kind: work.kind.kind,
    ...work.release,
  });
  return outcome === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
}

/** Under the lease and after another look: a worker that has just died may have begun an installation that nobody would remove any more. */
async function leave(work: Work): Promise<ReconcileResult> {
  const { ports, kind, instance, mode, signal } = work;
  let vacant = mode === 'Shared' && (await isNamespaceTerminating(work));
  const look = async (): Promise<void> => {
    if (mode === 'Dedicated') vacant = (await findDedicatedNamespace(work))?.kind !== 'Ours';
    else vacant ||= (await observe(work)).kind !== 'Own';
  };
  if ((await withLeaseOf(leasedBy(work), look)) === 'Busy') return { requeueAfter: BUSY_MS };
  if (!vacant) return AT_ONCE;
  if (await isLeaseLeft(leasedBy(work))) return { requeueAfter: BUSY_MS };
  if (!(await isNamespaceTerminating(work))) await recordDeletion(work);
  await removeFinalizer(ports.cluster, { type: kind, object: instance, signal });
  return {};
}
