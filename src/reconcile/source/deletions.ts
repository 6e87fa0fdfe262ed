import type { InventoryItem } from '../../domain/source/catalog-source.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import { type DeletionIntent, deleteWithIntent } from '../../domain/kubernetes/deletion-intent.ts';
import {
  APP_DEFINITION,
  CATALOG_RELEASE,
  CRD,
  ENVIRONMENT,
  type KnownType,
  NAMESPACE,
  OPERATOR,
} from '../../domain/kubernetes/resource-types.ts';
import { rankOf } from '../../domain/source/apply-order.ts';
import { idOfItem } from '../../domain/source/check-documents.ts';
import { fieldManagerOf } from './ownership.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';

export interface DeletionOptions {
  /** The name of the CatalogSource that owns it. */
  readonly source: string;
  readonly discovery: SourcePorts['discovery'];
  /** The ids of what other sources have a document of. */
  readonly claims: ReadonlySet<string>;
  /** What else is lost with a resource; undefined when it holds nothing. */
  readonly contentsOf: (type: KnownType, live: KubeObject) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** What becomes of a resource that a source gives up. */
export interface Deletion {
  readonly item: InventoryItem;
  /**
   * `Leave`: it is gone, has another owner by now, somebody made it anew, or its annotation keeps it. `HandOver`: another source has a document of it.
   */
  readonly fate: 'Delete' | 'HandOver' | 'Leave';
  /** What else is lost with it, which somebody has to approve. */
  readonly loss?: string;
  readonly ref?: ResourceRef;
  readonly live?: KubeObject;
}

/** Looks at what a source gives up, in the order of deletion. */
export async function assessDeletions(
  cluster: SourceCluster,
  items: readonly InventoryItem[],
  options: DeletionOptions,
): Promise<readonly Deletion[]> {
  const assessed: (Deletion & { readonly rank: number })[] = [];
  for (const item of items) {
    const type = await options.discovery.find(item.apiVersion, item.kind, options.signal);
    assessed.push({ ...(await assess(cluster, { item, type }, options)), rank: type === undefined ? 0 : rankOf(type) });
  }
  return assessed.toSorted((a, b) => b.rank - a.rank);
}

/** Without a type the cluster does not serve the kind any more, and so has no object of it. */
async function assess(
  cluster: SourceCluster,
  { item, type }: { readonly item: InventoryItem; readonly type: KnownType | undefined },
  { source, claims, contentsOf, signal }: DeletionOptions,
): Promise<Deletion> {
  if (type === undefined) return { item, fate: 'Leave' };
  const { group, version, resource } = type;
  const ref = { group, version, resource, name: item.name, ...(item.namespace === undefined ? {} : { namespace: item.namespace }) };
  const live = await ifFound(cluster.get(ref, { signal }));
  if (live === undefined || !isOwned(live, item, source)) return { item, fate: 'Leave' };
  if (claims.has(idOfItem(item)) || live.metadata.annotations?.[OURS.prune] === 'disabled') return { item, fate: 'HandOver', ref, live };
  const loss = await contentsOf(type, live);
  return { item, fate: 'Delete', ref, live, ...(loss === undefined ? {} : { loss }) };
}

function isOwned({ metadata }: KubeObject, item: InventoryItem, source: string): boolean {
  const { uid, labels = {}, deletionTimestamp } = metadata;
  return labels[OURS.sourceLabel] === source && deletionTimestamp === undefined && (item.uid === undefined || item.uid === uid);
}

/** What somebody has decided about what depends on the resource; `None`: nothing may. */
export type DeletionDecision = DeletionIntent | 'None';

/** The kinds whose spec states what a deletion does. */
const WITH_POLICY: readonly KnownType[] = [APP_DEFINITION, OPERATOR];
/** The kinds whose deletion needs an annotation that states the intent. */
const WITH_INTENT: readonly KnownType[] = [ENVIRONMENT, CATALOG_RELEASE, NAMESPACE, CRD];

interface Execution {
  readonly decision: DeletionDecision;
  /** The name of the CatalogSource. */
  readonly source: string;
  readonly signal: AbortSignal;
}

/**
 * Deletes a resource that a source owns, or takes the source's label off, so that whoever has a document of it may take it. What the deletion does beyond
 * that, the resource's own deletion policy says.
 *
 * @returns what was done.
 * @throws AppError `Forbidden` among others.
 */
export async function carryOut(
  cluster: SourceCluster,
  { fate, ref, live }: Deletion,
  { decision, source, signal }: Execution,
): Promise<'Deleted' | 'HandedOver' | 'Left'> {
  if (fate === 'Leave' || ref === undefined || live === undefined) return 'Left';
  const { uid, resourceVersion } = live.metadata;
  try {
    if (fate === 'HandOver') {
      const body = { metadata: { resourceVersion, labels: { [OURS.sourceLabel]: null } } };
      await cluster.patch(ref, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
      return 'HandedOver';
    }
    const is = ({ group, resource }: KnownType): boolean => ref.group === group && ref.resource === resource;
    if (decision !== 'None' && WITH_INTENT.some(is)) {
      await deleteWithIntent(cluster, { type: ref, object: live, intent: decision, fieldManager: fieldManagerOf(source), signal });
      return 'Deleted';
    }
    // An approval does not overrule the deletion policy of the resource; what moves leaves nothing behind that it could be about.
    if (decision === 'Orphan' && WITH_POLICY.some(is)) {
      const body = { metadata: { uid }, spec: { deletionPolicy: 'Orphan' } };
      await cluster.patch(ref, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
    }
    await cluster.delete(ref, { ...(uid === undefined ? {} : { uid }), propagation: 'Background', signal });
    return 'Deleted';
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Conflict')) return 'Left';
    throw error;
  }
}
