import { isAppError } from '../../domain/errors.ts';
import { OURS } from '../../domain/names.ts';
import type { KubeObject, ResourceRef } from '../../domain/resource.ts';
import { resourceName } from './check-documents.ts';
import { findAllowedKind } from './allowed-kind.ts';
import type { SourcePorts } from './ports.ts';
import type { InventoryItem } from './source-status.ts';

/**
 * Deletes a resource that a source owns. One that is gone, or that carries the label of another owner by now, is left alone. What the deletion does
 * beyond that, the resource's own deletion policy says.
 *
 * @returns whether a deletion was asked for.
 */
export async function pruneResource(
  cluster: SourcePorts['cluster'],
  item: InventoryItem,
  options: { readonly source: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const ref = refOf(item);
  if (ref === undefined) return false;
  const { source, signal } = options;
  try {
    const live: KubeObject = await cluster.get(ref, { signal });
    const { uid, labels } = live.metadata;
    if (labels?.[OURS.sourceLabel] !== source || live.metadata.deletionTimestamp !== undefined) return false;
    await cluster.delete(ref, { ...(uid === undefined ? {} : { uid }), propagation: 'Background', signal });
    return true;
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Conflict')) return false;
    throw error;
  }
}

/** The name of an inventory item, as documents have it. */
export function nameOfItem(item: InventoryItem): string {
  return resourceName(item.kind, item.namespace, item.name);
}

function refOf(item: InventoryItem): ResourceRef | undefined {
  const allowed = findAllowedKind(item.apiVersion, item.kind);
  if (allowed === undefined) return undefined;
  return { ...allowed.type, name: item.name, ...(item.namespace === undefined ? {} : { namespace: item.namespace }) };
}
