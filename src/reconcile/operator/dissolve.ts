import type { ReconcileResult } from '../../controller/controller.ts';
import { findCondition, type ConditionInput } from '../../domain/condition.ts';
import { isAppError } from '../../domain/errors.ts';
import { isFalse } from './conditions.ts';
import { deleteInstances, instancesSentence } from './delete-instances.ts';
import { OPERATOR } from './kinds.ts';
import { letGo } from '../finalizer.ts';
import { deleteCrds, disownCrds } from './leave-crds.ts';
import { observeCrds } from './observe-crds.ts';
import { observeInstances, type InstancesFact } from './observe-instances.ts';
import { observeRelease } from './observe-release.ts';
import { planDying, type DyingAct } from './plan.ts';
import { unpublish } from './publish.ts';
import { determineDyingState, type DyingFacts } from './state.ts';
import { uninstall } from './uninstall.ts';
import { writeStatus } from './write-status.ts';
import { isGuarded, type Work } from './work.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to look again for instances that people or their finalizers still hold. */
const BLOCKED_MS = 5_000;
const WAIT_MS = 1_000;
/** How soon to try again after helm has failed. */
const FAILED_MS = 30_000;

/** Brings an Operator that is being deleted one act nearer to its end: instances → release → CRDs if asked → rights → our finalizer. */
export async function dissolve(work: Work): Promise<ReconcileResult> {
  const facts = await observe(work);
  return perform(work, facts, planDying(determineDyingState(facts)));
}

async function observe(work: Work): Promise<DyingFacts> {
  const { ports, operator, spec, signal } = work;
  const query = { label: work.label, signal };
  const release = await observeRelease(ports.cluster, work.release, query);
  const crds = await observeCrds(ports.cluster, work.release, query);
  const counts = spec.deletionPolicy !== 'Orphan' && isGuarded(operator);
  const instances = counts ? await observeInstances(ports.cluster, crds, signal) : [];
  return { guarded: isGuarded(operator), policy: spec.deletionPolicy, release, crds, instances };
}

async function perform(work: Work, facts: DyingFacts, act: DyingAct): Promise<ReconcileResult> {
  switch (act.kind) {
    case 'leave':
      return {};
    case 'block':
      await report(work, facts, blocked(act.instances));
      return { requeueAfter: BLOCKED_MS };
    case 'delete-instances':
      await report(work, facts, isFalse('Deletable', 'DeletingInstances', `Waiting for ${instancesSentence(act.instances)}`));
      await deleteInstances(work, act.instances);
      return { requeueAfter: WAIT_MS };
    case 'uninstall':
      return uninstallOrSay(work, facts);
    case 'delete-crds':
      await report(work, facts);
      await deleteCrds(work, act.crds);
      return { requeueAfter: WAIT_MS };
    case 'disown':
    case 'finish':
      await disownCrds(work, facts.crds);
      await unpublish(work);
      await letGo(work.ports.cluster, { type: OPERATOR, object: work.operator, signal: work.signal });
      return {};
    default:
      return act satisfies never;
  }
}

async function uninstallOrSay(work: Work, facts: DyingFacts): Promise<ReconcileResult> {
  // A failure stands until the release is gone, so that it can be read between two attempts.
  if (findCondition(work.status.conditions, 'Deletable')?.reason !== 'UninstallFailed') await report(work, facts);
  try {
    return (await uninstall(work)) === 'Done' ? AT_ONCE : { requeueAfter: WAIT_MS };
  } catch (error) {
    if (!isAppError(error, 'HelmFailed')) throw error;
    await report(work, facts, isFalse('Deletable', 'UninstallFailed', error.message));
    return { requeueAfter: FAILED_MS };
  }
}

function blocked(instances: readonly InstancesFact[]): ConditionInput {
  const message = `The Operator waits for ${instancesSentence(instances)}; delete them, or set spec.deletionPolicy to Cascade`;
  return isFalse('Deletable', 'InstancesExist', message);
}

async function report(work: Work, facts: DyingFacts, deletable?: ConditionInput): Promise<void> {
  const { release, crds, instances } = facts;
  const ready = isFalse('Ready', deletable?.reason ?? 'Deleting', deletable?.message ?? 'The Operator is being deleted');
  await writeStatus(work, { word: 'DELETING', ready, conditions: deletable === undefined ? [] : [deletable], release, crds, instances });
}
