import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { type Cluster, type EventRecorder, ifFound } from '../../domain/kubernetes/cluster.ts';
import {
  completedBy,
  type KeepAction,
  type KeptObject,
  managedFieldsAgain,
  nextKeepAction,
  objectAgain,
  readRecord,
  recordOf,
  statusAgain,
} from '../../domain/kubernetes/kept-object.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject, parseKey, type ResourceRef } from '../../domain/kubernetes/resource.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Log } from '../../observe/log.ts';
import { removeFinalizer } from '../finalizer.ts';
import { adoptDependents, releaseDependents } from './dependents.ts';

/** What keeping deleted objects needs of the world. */
export interface KeepPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'listMetadata' | 'create' | 'applyStatus' | 'patch' | 'delete'>;
  readonly events: EventRecorder;
  readonly log: Log;
}

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const WAIT_MS = 1_000;

interface Work {
  readonly ports: KeepPorts;
  readonly kept: KeptObject;
  readonly signal: AbortSignal;
}

/**
 * Makes the function that carries out the records of kept objects, one step after the other: each is seen from what is in the cluster, so that another process
 * can go on after every one of them. Its key is that of a Secret.
 */
export function createKeptReconciler(ports: KeepPorts): Reconcile {
  return async (key, signal) => {
    const record = await ifFound(ports.cluster.get({ ...SECRET, ...parseKey(key) }, { signal }));
    if (record === undefined) return {};
    const kept = readRecord(record);
    if (kept === undefined) {
      ports.log.error('The record of a kept object cannot be read', { secret: key });
      return {};
    }
    const live = await ifFound(ports.cluster.get(refOf(kept), { signal }));
    return await act({ ports, kept, signal }, nextKeepAction(kept, live));
  };
}

async function act(work: Work, action: KeepAction): Promise<ReconcileResult> {
  const { ports, kept, signal } = work;
  const { cluster } = ports;
  switch (action.kind) {
    case 'release':
      await release(work, action.live);
      return AT_ONCE;
    case 'await':
      return { requeueAfter: WAIT_MS };
    case 'create':
      await cluster.create(kept.type, objectAgain(kept), { fieldManager: OURS.fieldManager, fieldValidation: 'Ignore', signal });
      return AT_ONCE;
    case 'mark':
      await annotate(work, action.live, { [OURS.keptFrom]: kept.object.metadata.uid ?? '' });
      return AT_ONCE;
    case 'complete':
      await complete(work, action.live);
      return AT_ONCE;
    case 'unmark':
      await unmark(work, action.live);
      return AT_ONCE;
    case 'forget':
      await forget(work, action.live);
      return {};
    default:
      return action satisfies never;
  }
}

/** Of the version that the record holds, so that no later change is lost: `removeFinalizer` throws `Conflict` when there is one in between. */
async function release({ ports: { cluster }, kept, signal }: Work, live: KubeObject): Promise<void> {
  const { type, object } = kept;
  if (live.metadata.resourceVersion !== object.metadata.resourceVersion) {
    const { data } = recordOf(type, live);
    const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal } as const;
    await cluster.patch(recordRef(kept), { type: 'merge', body: { data } }, options);
  }
  await releaseDependents(cluster, { type, object: live, signal });
  await removeFinalizer(cluster, { type, object: live, signal });
}

/** Gives the new object the status of the old one, and what depended on that. */
async function complete({ ports: { cluster }, kept, signal }: Work, live: KubeObject): Promise<void> {
  const { type } = kept;
  const { name, namespace, uid = '' } = live.metadata;
  const status = statusAgain(kept, live);
  const metadata = { name, uid, ...(namespace === undefined ? {} : { namespace }) };
  const applied = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
  if (status !== undefined)
    await cluster.applyStatus(type, { ...applied, status }, { fieldManager: OURS.fieldManager, force: 'force', signal });
  await adoptDependents(cluster, { type, object: live, signal });
  const body = { metadata: { annotations: completedBy(uid) } };
  await cluster.patch(recordRef(kept), { type: 'merge', body }, { fieldManager: OURS.fieldManager, answer: 'metadata', signal });
}

/** Lets the controller of the kind go on with the new object, whose fields are again of those who set them. */
async function unmark(work: Work, live: KubeObject): Promise<void> {
  const managedFields = managedFieldsAgain(work.kept, live);
  await annotate(work, live, { [OURS.keptFrom]: null }, managedFields === undefined ? {} : { managedFields });
}

async function annotate(
  { ports: { cluster }, kept, signal }: Work,
  { metadata: { resourceVersion } }: KubeObject,
  annotations: Readonly<Record<string, string | null>>,
  more: { readonly managedFields?: readonly unknown[] } = {},
): Promise<void> {
  const body = { metadata: { resourceVersion, annotations, ...more } };
  await cluster.patch(refOf(kept), { type: 'merge', body }, { fieldManager: OURS.fieldManager, answer: 'metadata', signal });
}

async function forget({ ports, kept, signal }: Work, live: KubeObject): Promise<void> {
  const { cluster, events, log } = ports;
  const { kind } = kept.type;
  const { name, namespace, uid } = live.metadata;
  const message = `The ${kind} is kept: its deletion was cancelled, and all that depends on it stayed`;
  await events.record(live, { type: 'Normal', reason: 'Kept', message });
  const before = kept.object.metadata.uid;
  log.info('A deleted object was kept', { kind, name, ...(namespace === undefined ? {} : { namespace }), before, uid });
  await ifFound(cluster.delete(recordRef(kept), { signal }));
}

function refOf({ type, object }: KeptObject): ResourceRef {
  const { name, namespace } = object.metadata;
  return { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
}

function recordRef({ record }: KeptObject): ResourceRef {
  return { ...SECRET, namespace: OURS.systemNamespace, name: record };
}
