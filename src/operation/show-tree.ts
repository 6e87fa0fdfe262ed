import pMap from 'p-map';
import type { Actor } from '../domain/actor.ts';
import type { Cluster } from '../domain/cluster.ts';
import { isAppError } from '../domain/errors.ts';
import { hasHealthRule } from '../domain/health-rules/health-of.ts';
import { apiVersionOf, type KubeObject, type ServedKind } from '../domain/resource.ts';
import { buildTree } from '../domain/tree-builder.ts';
import type { ResourceTree } from '../domain/tree.ts';
import { findInstance, type InstanceAddress } from './find-instance.ts';
import type { Ports } from './ports.ts';

/** Kinds that own nothing and are owned by nothing that a tree is read for. */
const NOISE = new Set([
  'events',
  'events.events.k8s.io',
  'endpoints',
  'bindings',
  'podtemplates',
  'leases.coordination.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'operators.operatorcontroller.kubeplus',
]);

/**
 * The resource tree of an Instance, read as the actor: full objects of kinds with a health rule, metadata alone of all others, so that the
 * data of a Secret never enters the process.
 */
export async function showTree(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<ResourceTree> {
  const { object, ref } = await findInstance(ports, actor, address);
  const cluster = ports.clusters.asActor(actor);
  const kinds = listable(await ports.discovery.kinds());
  const lists = await pMap(kinds, async (kind) => ({ kind, items: await itemsOf(cluster, kind, ref.namespace) }), { concurrency: 8 });
  const unreadable = lists.filter(({ items }) => items === undefined).map(({ kind }) => kind.kind);
  return buildTree(
    object,
    lists.flatMap(({ items }) => items ?? []),
    unreadable,
  );
}

/** Each namespaced resource once, in the version that the api-server prefers. */
function listable(kinds: readonly ServedKind[]): ServedKind[] {
  const once = new Map<string, ServedKind>();
  for (const kind of kinds.filter((candidate) => candidate.namespaced && candidate.verbs.includes('list'))) {
    const key = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;
    if (!NOISE.has(key) && !once.has(key)) once.set(key, kind);
  }
  return [...once.values()];
}

/** Nothing when the actor may not list the kind; empty when the kind has just gone. */
async function itemsOf(
  cluster: Pick<Cluster, 'list' | 'listMetadata'>,
  kind: ServedKind,
  namespace: string,
): Promise<readonly KubeObject[] | undefined> {
  try {
    const full = hasHealthRule(apiVersionOf(kind), kind.kind);
    return (await (full ? cluster.list(kind, { namespace }) : cluster.listMetadata(kind, { namespace }))).items;
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return undefined;
    if (isAppError(error, 'NotFound', 'MethodNotAllowed')) return [];
    throw error;
  }
}
