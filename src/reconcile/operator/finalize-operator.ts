import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { findCondition, type ConditionInput } from '../../domain/kubernetes/condition.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { SKIP_HOOKS } from '../../domain/operator/operator-spec.ts';
import { finalizersRemaining, keepCommand } from '../../domain/kubernetes/kept-object.ts';
import { isFalse } from '../conditions.ts';
import { keepDeleted } from '../keep/keep-deleted.ts';
import { deleteInstances, instancesSentence, observeDeletionHooks, uninstall } from './acts/deletion.ts';
import { removeFinalizer } from '../finalizer.ts';
import { isOperatorLeaseLeft, withReleaseLease } from './acts/with-release-lease.ts';
import { deleteCrds, disownCrds } from './acts/apply-crds.ts';
import { observeCrds } from './facts/observe-crds.ts';
import { observeDeparture } from './facts/observe-move.ts';
import { observeInstances, type InstancesFact } from './facts/observe-instances.ts';
import { observeRelease } from '../helm-release/observe-release.ts';
import { unpublish } from './acts/publish.ts';
import { determineDeletingState, type DeletingFacts, type DeletingState } from './state.ts';
import { writeStatus } from './report/write-status.ts';
import type { Work } from './work.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to look again for instances that people or their finalizers still hold. */
const BLOCKED_MS = 5_000;
const WAIT_MS = 1_000;
/** How soon to try again after helm has failed. */
const FAILED_MS = 30_000;

/** Brings an Operator that is being deleted one action nearer to its end: instances → release → CRDs if asked → RBAC → our finalizer. */
export async function finalizeOperator(work: Work): Promise<ReconcileResult> {
  const { ports, operator, signal } = work;
  const decision = await keepDeleted(ports.cluster, { type: OPERATOR, object: operator, signal });
  if (decision.kind === 'Keep') return {};
  const facts = await observe(work);
  if (decision.kind === 'Delete') return await deleteNext(work, facts);
  await report(work, facts, isFalse('Deletable', decision.reason, decision.message));
  return { requeueAfter: BLOCKED_MS };
}

async function deleteNext(work: Work, facts: DeletingFacts): Promise<ReconcileResult> {
  const state = determineDeletingState(facts);
  switch (state.kind) {
    case 'Finalized':
      return {};
    case 'Moving':
      await report(work, facts, isFalse('Deletable', 'Moving', movingSentence(state.successor)));
      return { requeueAfter: WAIT_MS };
    case 'Moved':
      await removeFinalizer(work.ports.cluster, { type: OPERATOR, object: work.operator, signal: work.signal });
      return {};
    case 'CannotMove':
      await report(work, facts, isFalse('Deletable', 'CannotMove', cannotMoveSentence(state)));
      return { requeueAfter: BLOCKED_MS };
    case 'InUse':
      await report(work, facts, blocked(work, state.instances));
      return { requeueAfter: BLOCKED_MS };
    case 'DeletingInstances':
      await report(work, facts, isFalse('Deletable', 'DeletingInstances', deletingInstances(work, state.instances)));
      await deleteInstances(work, state.instances);
      return { requeueAfter: WAIT_MS };
    case 'Installed':
      return uninstallOrReport(work, facts);
    case 'DeletingCrds':
      await report(work, facts);
      await deleteCrds(work, state.crds);
      return { requeueAfter: WAIT_MS };
    case 'ReleaseKept':
    case 'CrdsDeleted':
      return leave(work, facts);
    default:
      return state satisfies never;
  }
}

async function observe(work: Work): Promise<DeletingFacts> {
  const { ports, operator, spec, signal } = work;
  const query = { label: work.label, signal };
  const release = await observeRelease(ports.cluster, work.release, query);
  const crds = await observeCrds(ports, work.release, query);
  const move = hasFinalizer(operator) ? await observeDeparture(work) : undefined;
  const counts = spec.deletionPolicy !== 'Orphan' && hasFinalizer(operator);
  const instances = counts ? await observeInstances(ports.cluster, crds, signal) : [];
  return {
    hasFinalizer: hasFinalizer(operator),
    policy: spec.deletionPolicy,
    release,
    crds,
    instances,
    ...(move === undefined ? {} : { move }),
  };
}

function movingSentence(successor: string): string {
  return `The Operator is renamed to ${successor}, which takes over the release with its CRDs and permissions; if that does not end, see the conditions of ${successor}`;
}

function cannotMoveSentence({ successor, message }: Pick<Extract<DeletingState, { kind: 'CannotMove' }>, 'successor' | 'message'>): string {
  return `The Operator cannot be renamed to ${successor}: ${message} of ${successor}, or remove its annotation ${OURS.movedFrom}`;
}

/**
 * Leaves what is to stay, and lets the Operator go, after the finalizers of others. Under the lease of the release and after another look: a worker that is held up, or one that has
 * just died, may have begun an installation that nobody would remove any more.
 */
async function leave(work: Work, facts: DeletingFacts): Promise<ReconcileResult> {
  const { ports, operator, release, label } = work;
  const wait = finalizersRemaining(OPERATOR, operator);
  if (wait !== undefined) {
    await report(work, facts, isFalse('Deletable', wait.reason, wait.message));
    return { requeueAfter: BLOCKED_MS };
  }
  const { policy, crds } = facts;
  let vacant = false;
  const disown = async (signal: AbortSignal): Promise<void> => {
    vacant = policy === 'Orphan' || (await observeRelease(ports.cluster, release, { label, signal })).kind !== 'Own';
    if (!vacant) return;
    await disownCrds({ ...work, signal }, crds);
    await unpublish({ ...work, signal });
  };
  if ((await withReleaseLease(work, disown)) === 'Busy') return { requeueAfter: WAIT_MS };
  if (!vacant) return AT_ONCE;
  // Nothing of the Operator may stay behind it. The cluster may have been away when the lease was to be given back.
  if (await isOperatorLeaseLeft(work)) return { requeueAfter: WAIT_MS };
  await removeFinalizer(ports.cluster, { type: OPERATOR, object: operator, signal: work.signal });
  return {};
}

async function uninstallOrReport(work: Work, facts: DeletingFacts): Promise<ReconcileResult> {
  // A failure stands until the release is gone, so that it can be read between two attempts.
  if (findCondition(work.status.conditions, 'Deletable')?.reason !== 'UninstallFailed') await report(work, facts);
  try {
    return (await uninstall(work)) === 'Done' ? AT_ONCE : { requeueAfter: WAIT_MS };
  } catch (error) {
    if (!isAppError(error, 'HelmFailed')) throw error;
    await report(work, facts, isFalse('Deletable', 'UninstallFailed', `${error.message}${await wayOut(work)}`));
    return { requeueAfter: FAILED_MS };
  }
}

/** What holds the uninstallation up, as far as hooks do, and what a person can do about it. */
async function wayOut(work: Work): Promise<string> {
  const { count, live } = await observeDeletionHooks(work);
  if (count === 0) return '';
  const { name, namespace = 'default' } = work.operator.metadata;
  const skip = `kubectl annotate kop ${name} --namespace ${namespace} ${SKIP_HOOKS}=true`;
  const without = `uninstall without the chart's hooks: ${skip}`;
  if (live.length === 0) return `. A deletion hook of the chart failed; correct its cause, or ${without}`;
  const [objects, commands] = [live.map(({ what }) => what).join(', '), live.map(({ kubectl }) => kubectl).join('; ')];
  return `. Blocked by ${objects}, which a deletion hook of the chart creates; delete it if it is not needed: ${commands}, or ${without}`;
}

function deletingInstances({ operator }: Work, instances: readonly InstancesFact[]): string {
  return `Waiting for ${instancesSentence(instances)}; to keep the Operator with what is left: ${keepCommand(OPERATOR, operator)}`;
}

function blocked({ operator }: Work, instances: readonly InstancesFact[]): ConditionInput {
  const waits = `The Operator waits for ${instancesSentence(instances)}`;
  const keep = `to keep the Operator: ${keepCommand(OPERATOR, operator)}`;
  if (instances.some(({ items }) => items.length > 0))
    return isFalse('Deletable', 'InstancesExist', `${waits}; delete them, or set spec.deletionPolicy to Cascade; ${keep}`);
  const orphan = 'to keep the release, the CRDs and the instances, set spec.deletionPolicy to Orphan';
  return isFalse('Deletable', 'InstancesUnknown', `${waits}; Chandlery tries again every ${BLOCKED_MS / 1000} s; ${orphan}; ${keep}`);
}

async function report(work: Work, facts: DeletingFacts, deletable?: ConditionInput): Promise<void> {
  const { release, crds, instances } = facts;
  const ready = isFalse('Ready', deletable?.reason ?? 'Deleting', deletable?.message ?? 'The Operator is being deleted');
  await writeStatus(work, {
    legacyStatus: 'DELETING',
    ready,
    conditions: deletable === undefined ? [] : [deletable],
    release,
    crds,
    instances,
  });
}
