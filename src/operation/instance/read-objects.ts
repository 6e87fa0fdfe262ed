import pMap from 'p-map';
import { createCompactor } from '../../domain/kubernetes/compact-object.ts';
import type { Cluster, ListOptions } from '../../domain/kubernetes/cluster.ts';
import { healthSource } from '../../domain/health/rules/health-of.ts';
import { apiVersionOf, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { hasRelations } from '../../domain/tree/relations.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { listKind } from './list-kind.ts';

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
  'resourcecompositions.workflows.kubeplus',
]);

/** Cluster-wide kinds that no chart brings: machines, storage that was handed out, and what people and the cluster write for themselves. */
const CLUSTER_NOISE = new Set([
  'nodes',
  'namespaces',
  'persistentvolumes',
  'componentstatuses',
  'certificatesigningrequests.certificates.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'resourceslices.resource.k8s.io',
  'ipaddresses.networking.k8s.io',
  'servicecidrs.networking.k8s.io',
  'environments.chandlery.dev',
  'catalogsources.chandlery.dev',
]);

/** The namespaced resources that can be listed, each once, in the version that the api-server prefers. */
export function namespacedKinds(kinds: readonly ServedKind[]): ServedKind[] {
  return listable(kinds.filter(({ namespaced }) => namespaced));
}

/** The same for cluster-wide ones that a chart may bring. */
export function clusterKinds(kinds: readonly ServedKind[]): ServedKind[] {
  return listable(kinds.filter(({ namespaced, verbs }) => !namespaced && verbs.includes('create')));
}

function listable(kinds: readonly ServedKind[]): ServedKind[] {
  const once = new Map<string, ServedKind>();
  for (const kind of kinds.filter(({ verbs }) => verbs.includes('list'))) {
    const key = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;
    if (!NOISE.has(key) && !CLUSTER_NOISE.has(key) && !once.has(key)) once.set(key, kind);
  }
  return [...once.values()];
}

/** Their content has the numbers of the revisions of StatefulSets and DaemonSets. */
const CONTROLLER_REVISION = 'apps/ControllerRevision';

interface Where {
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Of which kinds with conditions the whole objects are read; default `Parts`: those of which an object belongs to another one or to a release. */
  readonly custom?: 'Parts' | 'Whole';
  /** Kinds with conditions of which something is known to belong to another object. */
  readonly isWhole?: (kind: ServedKind) => boolean;
}

export interface ReadObjects {
  readonly objects: readonly KubeObject[];
  /** Kinds that the identity may not list there. */
  readonly unreadable: readonly ServedKind[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
  /** The kinds that were listed, as `group/Kind`. */
  readonly listed: ReadonlySet<string>;
}

/**
 * All objects of the kinds: full ones of kinds with a health rule or a relation, and of custom kinds of which something belongs to another object or to a release; metadata
 * alone of all others, so that the data of a Secret never enters the process.
 */
export async function readObjects(
  cluster: Pick<Cluster, 'list' | 'listMetadata'>,
  kinds: readonly ServedKind[],
  { custom = 'Parts', isWhole = () => false, ...where }: Where,
): Promise<ReadObjects> {
  const read = async (kind: ServedKind) => {
    const extent = custom === 'Whole' || isWhole(kind) ? 'Whole' : 'Parts';
    const keep = createCompactor();
    return { kind, list: await listKind(async (options) => await itemsOf(cluster, kind, { custom: extent, keep, ...where, ...options })) };
  };
  const lists = await pMap(kinds, read, { concurrency: 8 });
  return {
    objects: lists.flatMap(({ list }) => (list.outcome === 'Listed' ? list.items : [])),
    unreadable: lists.filter(({ list }) => list.outcome === 'Forbidden').map(({ kind }) => kind),
    unavailable: lists.flatMap(({ kind, list }) =>
      list.outcome === 'Unavailable' ? [{ kind: kind.kind, apiVersion: apiVersionOf(kind), message: list.message }] : [],
    ),
    listed: new Set(lists.flatMap(({ kind, list }) => (list.outcome === 'Listed' ? [`${kind.group}/${kind.kind}`] : []))),
  };
}

async function itemsOf(
  cluster: Pick<Cluster, 'list' | 'listMetadata'>,
  kind: ServedKind,
  { custom, ...where }: ListOptions & Required<Pick<Where, 'custom'>>,
): Promise<readonly KubeObject[]> {
  const source = healthSource(apiVersionOf(kind), kind.kind);
  const key = `${kind.group}/${kind.kind}`;
  const isWhole = source === 'rule' || (source === 'conditions' && custom === 'Whole') || hasRelations(key) || key === CONTROLLER_REVISION;
  const { items } = isWhole ? await cluster.list(kind, where) : await cluster.listMetadata(kind, where);
  return source === 'conditions' && !isWhole && items.some(isPart) ? (await cluster.list(kind, where)).items : items;
}

/** Whether an object can stand below another one in a tree. */
function isPart({ metadata: { ownerReferences = [], annotations = {} } }: KubeObject): boolean {
  return ownerReferences.length > 0 || annotations['meta.helm.sh/release-name'] !== undefined;
}
