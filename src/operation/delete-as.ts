import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { type DeletionIntent, deleteWithIntent } from '../domain/kubernetes/deletion-intent.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../domain/kubernetes/resource.ts';

interface UserDeletion {
  readonly type: ResourceType;
  /** As it was read. */
  readonly object: KubeObject;
  /** What to do with what depends on it; absent when nobody has said so. */
  readonly intent: DeletionIntent | undefined;
  /** The version that the request is about; empty when it is about any. */
  readonly only: { readonly resourceVersion?: string };
}

/** Asks for the deletion of a cluster-scoped object as a user. @throws AppError `AdmissionDenied` when something depends on it and no intent is stated. */
export async function deleteAs(cluster: Pick<Cluster, 'patch' | 'delete'>, { type, object, intent, only }: UserDeletion): Promise<void> {
  const { name, uid } = object.metadata;
  if (intent === undefined) {
    await cluster.delete({ ...type, name }, { ...(uid === undefined ? {} : { uid }), ...only });
    return;
  }
  const version = only.resourceVersion === undefined ? {} : ({ only: 'Version' } as const);
  await deleteWithIntent(cluster, { type, object, intent, fieldManager: OURS.userFieldManager, ...version });
}
