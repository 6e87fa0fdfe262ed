import type { ReconcileResult } from '../../controller/controller.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { SKIP_HOOKS } from '../../domain/operator/operator-spec.ts';
import { NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { isFalse } from '../conditions.ts';
import { removeFinalizer } from '../finalizer.ts';
import { observeRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { isLeaseLeft, withLeaseOf } from '../helm-release/release-lease.ts';
import { AT_ONCE, BUSY_MS } from './release-actions.ts';
import { deleteNamespace, findDedicatedNamespace } from './dedicated-namespace.ts';
import { environmentOf } from './prerequisites.ts';
import { writeStatus } from './report.ts';
import { type DedicatedNamespace, hasFinalizer, leasedBy, type Work } from './work.ts';

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
  const skipHooks = work.instance.metadata.annotations?.[SKIP_HOOKS] === 'true';
  const hooks = skipHooks ? ({ hooks: 'skipped' } as const) : {};
  try {
    const change = async (signal: AbortSignal): Promise<void> => {
      await work.deployer.helm.unlock(work.release, signal);
      await work.deployer.helm.uninstall({ ...work.release, ...hooks }, signal);
    };
    return (await withLeaseOf(leasedBy(work), change)) === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!isAppError(error, 'HelmFailed', 'Forbidden', 'WebhookUnavailable')) throw error;
    const { kind, namespace, instance } = work;
    const skip = `kubectl annotate ${kind.resource}.${kind.group} ${instance.metadata.name} --namespace ${namespace} ${SKIP_HOOKS}=true`;
    const condition = isFalse('Released', 'UninstallFailed', `${error.message}. To uninstall without the chart's hooks: ${skip}`);
    await writeStatus(work, { ready: { ...condition, type: 'Ready' }, conditions: [condition], release });
    return { requeueAfter: FAILED_MS };
  }
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
  await removeFinalizer(ports.cluster, { type: kind, object: instance, signal });
  return {};
}
