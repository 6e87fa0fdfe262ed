import pMap from 'p-map';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { type Page, pageByKey } from '../../domain/core/page-by-key.ts';
import type { Health } from '../../domain/health/health.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type KubeObject, parseApiVersion, type ResourceRef, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { addressOfItem, type InventoryAddress } from '../../domain/source/check-documents.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem } from '../../domain/source/catalog-source.ts';
import { textAt } from '../../domain/core/read.ts';
import { redactHealth, secretsOf } from '../instance/instance-masking.ts';
import { markedFor } from '../resource/find-resource.ts';
import type { Ports } from '../ports.ts';
import { findSource, type SourceAddress } from './find-source.ts';

export interface InventoryQuery extends SourceAddress {
  /** Words that the kind, name, namespace or file must contain; empty matches all. */
  readonly search: string;
  /** `apiVersion/Kind` of the resources; empty matches all. */
  readonly kind: readonly string[];
  readonly limit: number;
  readonly after?: string;
}

/** A resource that a source owns, as the actor may see it. */
export interface OwnedResource extends InventoryAddress {
  /** What the cluster has of it. `Unknown`: the actor may not read it, or its kind cannot be read now. */
  readonly state: 'Exists' | 'NotFound' | 'Replaced' | 'Unknown';
  /** Since when it has no document and so is pending removal, in RFC 3339; absent while it has one. */
  readonly pendingRemovalSince?: string;
  /** Absent for kinds that have none. */
  readonly health?: Health;
  readonly missing?: MissingPermission;
  /** Plural and group, such as `deployments.apps`; absent for a kind that is not served. */
  readonly resource?: string;
  /** The Environment whose namespace it is in. */
  readonly environment?: string;
}

export interface SourceInventory extends Page<OwnedResource> {
  /** Those that match. */
  readonly matches: number;
  /** All of them. */
  readonly total: number;
  readonly kinds: readonly { readonly kind: string; readonly count: number }[];
}

type Needs = Pick<Ports, 'clusters' | 'discovery' | 'catalog' | 'health'>;

/** One page of the resources that a source owns, each read as the actor, by file and name. Throws as `findSource`. */
export async function listSourceInventory(ports: Needs, actor: Actor, query: InventoryQuery): Promise<SourceInventory> {
  const { inventory } = statusOf(CATALOG_SOURCE_KIND, await findSource(ports, actor, query));
  const found = inventory.filter((item) => matchesSearch(item, query.search));
  const wanted = found.filter((item) => query.kind.length === 0 || query.kind.includes(kindKey(item)));
  const page = pageByKey(wanted, itemKey, query);
  const read = await pMap(page.items, async (item) => await readItem(ports, actor, item), { concurrency: 8 });
  await ports.health.evaluate(read.flatMap(({ live }) => (live === undefined ? [] : [live.object])));
  const kinds = Map.groupBy(found, kindKey);
  return {
    ...page,
    items: read.map((one) => ownedResource(ports, one)),
    matches: wanted.length,
    total: inventory.length,
    kinds: [...kinds].map(([kind, items]) => ({ kind, count: items.length })).sort((a, b) => a.kind.localeCompare(b.kind)),
  };
}

function matchesSearch({ file, kind, namespace = '', name }: InventoryItem, search: string): boolean {
  const text = `${kind} ${namespace}/${name} ${file}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function kindKey({ apiVersion, kind }: InventoryItem): string {
  return `${apiVersion}/${kind}`;
}

function itemKey(item: InventoryItem): string {
  return JSON.stringify([item.file, item.kind, item.namespace ?? '', item.name, item.apiVersion]);
}

interface ReadItem {
  readonly item: InventoryItem;
  readonly kind?: ServedKind;
  readonly live?: { readonly object: KubeObject };
  readonly state: OwnedResource['state'];
  readonly missing?: MissingPermission;
}

async function readItem({ clusters, discovery }: Needs, actor: Actor, item: InventoryItem): Promise<ReadItem> {
  const kind = await discovery.find(item.apiVersion, item.kind);
  if (kind === undefined) return { item, state: 'Unknown' };
  const ref: ResourceRef = { ...kind, name: item.name, ...(item.namespace === undefined ? {} : { namespace: item.namespace }) };
  try {
    const isSecret = resourceKey(kind) === resourceKey(SECRET);
    const read = await clusters.asActor(actor).get(ref, isSecret ? { answer: 'metadata' } : {});
    const object = { ...read, apiVersion: item.apiVersion, kind: item.kind };
    const isOther = item.uid !== undefined && item.uid !== object.metadata.uid;
    return { item, kind, live: { object }, state: isOther ? 'Replaced' : 'Exists' };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { item, kind, state: 'NotFound' };
    if (!isAppError(error, 'Forbidden')) throw error;
    return { item, kind, state: 'Unknown', ...(error.missing === undefined ? {} : { missing: error.missing }) };
  }
}

function ownedResource(ports: Needs, { item, kind, live, state, missing }: ReadItem): OwnedResource {
  const environment = environmentOf(ports, item);
  return {
    ...addressOfItem(item),
    state,
    ...(item.missing === undefined ? {} : { pendingRemovalSince: item.missing.since }),
    ...(kind === undefined || live === undefined ? {} : healthIn(ports, kind, live.object)),
    ...(missing === undefined ? {} : { missing }),
    ...(kind === undefined ? {} : { resource: resourceKey(kind) }),
    ...(environment === undefined ? {} : { environment }),
  };
}

function healthIn(ports: Needs, kind: ServedKind, object: KubeObject): Pick<OwnedResource, 'health'> {
  const health = healthOf(object);
  return health === undefined ? {} : { health: redactHealth(health, secretsOf(markedFor(ports, kind), object)) };
}

/** The Environment that a resource is, or is in. */
function environmentOf({ catalog }: Pick<Ports, 'catalog'>, { apiVersion, kind, namespace, name }: InventoryItem): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  if (namespace === undefined) return kind === 'Environment' && group === 'chandlery.dev' ? name : undefined;
  return catalog.environments().find(({ status }) => textAt(status, 'namespace') === namespace)?.metadata.name;
}
