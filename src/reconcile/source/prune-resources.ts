import type { InventoryItem } from '../../domain/source/catalog-source.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import { idOfItem } from '../../domain/source/check-documents.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';

export interface PruneOptions {
  /** The name of the CatalogSource that owns it. */
  readonly source: string;
  readonly discovery: SourcePorts['discovery'];
  /** The ids of what other sources have a document of. */
  readonly claims: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Deletes a resource that a source owns, or hands it over where another source has a document of it. One that is gone, that carries the label of another
 * owner by now, or that somebody has made anew, is left alone. What the deletion does beyond that, the resource's own deletion policy says.
 *
 * @returns what was done.
 */
export async function pruneResource(
  cluster: SourceCluster,
  item: InventoryItem,
  { source, discovery, claims, signal }: PruneOptions,
): Promise<'Deleted' | 'HandedOver' | 'Left'> {
  const ref = await refOf(item, discovery, signal);
  if (ref === undefined) return 'Left';
  try {
    const live: KubeObject = await cluster.get(ref, { signal });
    if (!isOwned(live, item, source)) return 'Left';
    if (claims.has(idOfItem(item))) {
      await release(cluster, live, { ref, signal });
      return 'HandedOver';
    }
    const { uid } = live.metadata;
    await cluster.delete(ref, { ...(uid === undefined ? {} : { uid }), propagation: 'Background', signal });
    return 'Deleted';
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Conflict')) return 'Left';
    throw error;
  }
}

function isOwned({ metadata }: KubeObject, item: InventoryItem, source: string): boolean {
  const { uid, labels = {}, deletionTimestamp } = metadata;
  return labels[OURS.sourceLabel] === source && deletionTimestamp === undefined && (item.uid === undefined || item.uid === uid);
}

/** Takes the label off, so that whoever has a document of it may take it. */
async function release(
  cluster: SourceCluster,
  { metadata: { resourceVersion } }: KubeObject,
  { ref, signal }: { readonly ref: ResourceRef; readonly signal: AbortSignal },
): Promise<void> {
  const body = { metadata: { resourceVersion, labels: { [OURS.sourceLabel]: null } } };
  await cluster.patch(ref, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
}

/** Undefined when the cluster does not serve the kind any more, and so has no object of it. */
async function refOf(item: InventoryItem, discovery: SourcePorts['discovery'], signal: AbortSignal): Promise<ResourceRef | undefined> {
  const type = await discovery.find(item.apiVersion, item.kind, signal);
  if (type === undefined) return undefined;
  const { group, version, resource } = type;
  return { group, version, resource, name: item.name, ...(item.namespace === undefined ? {} : { namespace: item.namespace }) };
}
