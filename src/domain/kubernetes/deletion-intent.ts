import type { Cluster } from './cluster.ts';
import { OURS } from './names.ts';
import type { KubeObject, ResourceType } from './resource.ts';

/** `Cascade` deletes what depends on an object with it, `Orphan` keeps that without it. */
export const DELETION_INTENTS = ['Cascade', 'Orphan'] as const;
export type DeletionIntent = (typeof DELETION_INTENTS)[number];

interface Deletion {
  readonly type: ResourceType;
  /** As it was read: no other of its name is deleted. */
  readonly object: Pick<KubeObject, 'metadata'>;
  /** Default: `Cascade`. */
  readonly intent?: DeletionIntent | undefined;
  /** `Version`: only while nobody else has changed it since. */
  readonly only?: 'Version' | undefined;
  /** Default: that of the controller. */
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

/** The command that states the intent, and deletes. @param target what kubectl takes: `catalogsource apps`. */
export function deletionCommand(target: string, intent: DeletionIntent): string {
  return `kubectl annotate ${target} ${OURS.deletionIntent}=${intent} --overwrite \\\n  && kubectl delete ${target}`;
}

/** Deletes an object after its annotation states the intent, which admission policies ask of everybody. Throws as both calls do. */
export async function deleteWithIntent(cluster: Pick<Cluster, 'patch' | 'delete'>, deletion: Deletion): Promise<void> {
  const { type, object, only, signal } = deletion;
  const { name, namespace, uid } = object.metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  const { resourceVersion } = (await stateIntent(cluster, ref, deletion)).metadata;
  await cluster.delete(ref, {
    propagation: 'Background',
    ...(signal === undefined ? {} : { signal }),
    ...(uid === undefined ? {} : { uid }),
    ...(only === undefined || resourceVersion === undefined ? {} : { resourceVersion }),
  });
}

async function stateIntent(
  cluster: Pick<Cluster, 'patch'>,
  ref: ResourceType & { readonly name: string },
  { object, intent = 'Cascade', only, fieldManager = OURS.fieldManager, signal }: Deletion,
): Promise<Pick<KubeObject, 'metadata'>> {
  const { uid, resourceVersion, annotations = {} } = object.metadata;
  if (annotations[OURS.deletionIntent] === intent) return object;
  const metadata = { uid, ...(only === undefined ? {} : { resourceVersion }), annotations: { [OURS.deletionIntent]: intent } };
  const options = { fieldManager, ...(signal === undefined ? {} : { signal }) };
  return (await cluster.patch(ref, { type: 'merge', body: { metadata } }, options)).object;
}
