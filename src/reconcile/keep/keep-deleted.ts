import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { hasFinalizer, otherFinalizersOf } from '../../domain/kubernetes/finalizers.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isToBeKept, keepCommand, objectAgain, recordOf } from '../../domain/kubernetes/kept-object.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type KnownType, SECRET } from '../../domain/kubernetes/resource-types.ts';

interface Deleted {
  readonly type: KnownType;
  /** As it was read. */
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

/** What comes of an object that is being deleted. */
export type KeepDecision =
  /** The deletion goes on. */
  | { readonly kind: 'Delete' }
  /** It is released and created again by its record. Nothing else may be done about it. */
  | { readonly kind: 'Keep' }
  /** It is to be kept, and cannot be now. @property message why, and what to do. */
  | { readonly kind: 'Wait'; readonly reason: 'KeepPending' | 'KeepRejected'; readonly message: string };

/**
 * Decides whether a deletion goes on, before anything is done for it. Of an object that is to be kept, a Secret is written first: from then on it is kept even
 * if this process ends.
 */
export async function keepDeleted(cluster: Pick<Cluster, 'create'>, { type, object, signal }: Deleted): Promise<KeepDecision> {
  if (!isToBeKept(object) || !hasFinalizer(object)) return { kind: 'Delete' };
  const what = `The ${type.kind}`;
  const others = otherFinalizersOf(object);
  if (others.length > 0) {
    const message = `${what} is kept as soon as it has lost the finalizers of others: ${others.join(', ')}. Nothing is deleted until then`;
    return { kind: 'Wait', reason: 'KeepPending', message };
  }
  const why = await rejectionOf(cluster, { type, object, signal });
  if (why !== undefined && /being terminated/.test(why)) return { kind: 'Delete' };
  if (why !== undefined) {
    const message = `${what} cannot be kept: the api-server would reject it: ${why}. Nothing is deleted until then; to delete it: ${withdrawal(type, object)}`;
    return { kind: 'Wait', reason: 'KeepRejected', message };
  }
  await unlessThere(cluster.create(SECRET, recordOf(type, object), { fieldManager: OURS.fieldManager, answer: 'metadata', signal }));
  return { kind: 'Keep' };
}

/** Why the object could not be created again; undefined when all that is in its way is itself. */
async function rejectionOf(cluster: Pick<Cluster, 'create'>, { type, object, signal }: Deleted): Promise<string | undefined> {
  try {
    await cluster.create(type, objectAgain({ object }), {
      dryRun: 'All',
      fieldManager: OURS.fieldManager,
      fieldValidation: 'Ignore',
      signal,
    });
    return undefined;
  } catch (error) {
    if (isAppError(error, 'AlreadyExists')) return undefined;
    if (!isAppError(error, 'InvalidInput', 'AdmissionDenied', 'Forbidden', 'QuotaExceeded')) throw error;
    return messageOf(error);
  }
}

function withdrawal(type: KnownType, object: KubeObject): string {
  return keepCommand(type, object).replace(`${OURS.keep}=true`, `${OURS.keep}-`);
}

async function unlessThere(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
}
