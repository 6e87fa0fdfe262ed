import { listInShort } from '../../domain/core/name-words.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import { finalizersRemaining, keepCommand } from '../../domain/kubernetes/kept-object.ts';
import { removeFinalizer } from '../finalizer.ts';
import { keepDeleted } from '../keep/keep-deleted.ts';
import { deleteCrd, disownCrd } from './acts/apply-crd.ts';
import { unpublishApp } from './acts/publish-crds.ts';
import { observeMove } from './move.ts';
import { type DefinitionWork, instanceType, observeInstances, observeOwnCrd } from './observe.ts';
import { isFalse } from '../conditions.ts';
import { report } from './report.ts';
import { determineDeletingState } from './state.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to look again for instances that people or their finalizers still hold. */
const BLOCKED_MS = 5_000;
const WAIT_MS = 500;
const NAMED = 10;

/** Brings an AppDefinition that is being deleted one act nearer to its end, unless it is to be kept. */
export async function finalizeDefinition(work: DefinitionWork): Promise<ReconcileResult> {
  const { ports, definition, signal } = work;
  const decision = await keepDeleted(ports.cluster, { type: APP_DEFINITION, object: definition, signal });
  if (decision.kind === 'Delete') return await deleteDefinition(work);
  if (decision.kind === 'Keep') return {};
  await reportDeletion(work, decision);
  return { requeueAfter: BLOCKED_MS };
}

/** Instances → permissions → CRD → our finalizer. */
async function deleteDefinition(work: DefinitionWork): Promise<ReconcileResult> {
  const { definition, spec } = work;
  const crd = await observeOwnCrd(work);
  const instances = crd === undefined || spec.deletionPolicy === 'Orphan' ? [] : await instancesOf(work);
  const facts = { hasFinalizer: hasFinalizer(definition), policy: spec.deletionPolicy, crd, instances, move: await observeMove(work) };
  const state = determineDeletingState(facts);
  switch (state.kind) {
    case 'Finalized':
      return {};
    case 'Moving':
      await moving(work, state.successor);
      return { requeueAfter: WAIT_MS };
    case 'CannotMove':
      await waiting(work, state.instances, 'CannotMove', cannotMove(state.successor));
      return { requeueAfter: BLOCKED_MS };
    case 'InUse':
      await waiting(work, state.instances, 'InstancesExist', '; delete them, or set spec.deletionPolicy to Cascade or Orphan');
      return { requeueAfter: BLOCKED_MS };
    case 'DeletingInstances':
      await waiting(work, state.instances, 'DeletingInstances', '');
      await deleteInstances(work, state.instances);
      return { requeueAfter: WAIT_MS };
    case 'CrdLeft':
      // Nobody may create one more between this look and the deletion.
      await unpublishApp(work);
      if ((await instancesOf(work)).length > 0) return AT_ONCE;
      await deleteCrd(work, state.crd);
      return { requeueAfter: WAIT_MS };
    case 'Kept':
    case 'CrdDeleted':
      return await leaveLast(work, state.kind === 'Kept' ? state.crd : undefined);
    case 'Moved':
      return await leave(work);
    default:
      return state satisfies never;
  }
}

/** Lets the AppDefinition go after the finalizers of others. @param kept the CRD that stays. */
async function leaveLast(work: DefinitionWork, kept?: KubeObject): Promise<ReconcileResult> {
  const wait = finalizersRemaining(APP_DEFINITION, work.definition);
  if (wait === undefined) {
    if (kept !== undefined) await disownCrd(work, kept);
    return await leave(work);
  }
  await reportDeletion(work, wait);
  return { requeueAfter: BLOCKED_MS };
}

async function leave(work: DefinitionWork): Promise<ReconcileResult> {
  const { ports, definition, signal } = work;
  await unpublishApp(work);
  await removeFinalizer(ports.cluster, { type: APP_DEFINITION, object: definition, signal });
  return {};
}

async function instancesOf(work: DefinitionWork): Promise<readonly KubeObject[]> {
  const { names } = parseAppDefinitionStatus(work.definition);
  return names === undefined ? [] : await observeInstances(work, names);
}

async function moving(work: DefinitionWork, successor: string): Promise<void> {
  const message = `The AppDefinition is renamed to ${successor}, which takes over the kind with all instances; if that does not end, see the conditions of ${successor}`;
  await report(work, { kind: 'Reconciling', reason: 'Moving', message, also: [isFalse('Deletable', 'Moving', message)] });
}

function cannotMove(successor: string): string {
  return `; the AppDefinition ${successor} generates another kind, so they cannot move to it. Set its spec.names to those of this one, or delete the instances`;
}

async function waiting(work: DefinitionWork, instances: readonly KubeObject[], reason: string, remedy: string): Promise<void> {
  const names = instances.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
  const count = instances.length === 1 ? '1 instance' : `${instances.length} instances`;
  const keep = `; to keep the AppDefinition: ${keepCommand(APP_DEFINITION, work.definition)}`;
  const message = `The AppDefinition waits for ${count}: ${listInShort(names, NAMED)}${remedy}${keep}`;
  await reportDeletion(work, { reason, message, instances: instances.length });
}

interface DeletionReport {
  readonly reason: string;
  readonly message: string;
  /** How many there are; absent when they are not counted. */
  readonly instances?: number;
}

async function reportDeletion(work: DefinitionWork, { reason, message, instances }: DeletionReport): Promise<void> {
  await report(work, {
    kind: 'Reconciling',
    reason,
    message,
    also: [isFalse('Deletable', reason, message)],
    ...(instances === undefined ? {} : { found: { instances } }),
  });
}

/** Asks for the deletion of every instance; their own finalizers uninstall the releases. */
async function deleteInstances({ ports, definition, signal }: DefinitionWork, instances: readonly KubeObject[]): Promise<void> {
  const { names } = parseAppDefinitionStatus(definition);
  for (const { metadata } of instances.filter((one) => one.metadata.deletionTimestamp === undefined)) {
    const { name, namespace = '', uid } = metadata;
    try {
      const ref = { ...instanceType(names?.plural ?? ''), namespace, name };
      await ports.cluster.delete(ref, { propagation: 'Background', signal, ...(uid === undefined ? {} : { uid }) });
    } catch (error) {
      if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}
