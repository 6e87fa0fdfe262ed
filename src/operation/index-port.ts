import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Cluster, Clusters } from '../domain/kubernetes/cluster.ts';
import { isKubernetesGroup } from '../domain/kubernetes/resource-types.ts';
import type { ResourceType } from '../domain/kubernetes/resource.ts';
import type { NamespaceKinds } from './environment/namespace-memory.ts';

/** A client that follows the cluster. */
export interface Looking {
  /** Aborts when it looks no more. */
  readonly signal: AbortSignal;
  /** Is called whenever something that was read may be different now. */
  readonly changed: () => void;
}

/** Copies of what environments hold, kept by watches, from which each person gets what they may list. */
export interface IndexPort {
  /** @param looking is told of changes of what was read. */
  open(actor: Actor, looking?: Looking): IndexedReader;
}

/** The api-server as one actor, whose lists of indexed kinds come from the index. */
export interface IndexedReader {
  readonly cluster: Cluster;
  /** Has the lists of this type in this namespace come from the index from now on. Returns whether they did not before. */
  follow(type: ResourceType, namespace: string): boolean;
  /** Whether lists of it come from the index. */
  isIndexed(type: ResourceType, namespace: string): boolean;
}

/** Where nothing is indexed: everything is read when it is asked for. */
export function withoutIndex(clusters: Pick<Clusters, 'asActor'>): IndexPort {
  return { open: (actor) => ({ cluster: clusters.asActor(actor), follow: () => false, isIndexed: () => false }) };
}

interface FollowedPorts {
  readonly clusters: Clusters;
  readonly index: IndexPort;
}

/** The ports for an actor who looks: whatever they read of an environment comes from the index, which tells of each change. */
export function followPorts<P extends FollowedPorts>(ports: P, actor: Actor, looking: Looking): P {
  const reader = ports.index.open(actor, looking);
  const clusters: Clusters = {
    ...ports.clusters,
    asActor: (other) => (other === actor ? reader.cluster : ports.clusters.asActor(other)),
  };
  return { ...ports, clusters, index: { open: (other) => (other === actor ? reader : ports.index.open(other)) } };
}

interface IndexedPlace {
  readonly namespace: string;
  /** Whether objects of the kind are instances of an app. */
  readonly isApp: (kind: ResourceType) => boolean;
}

/**
 * The kinds of a namespace, of which the built-in ones, apps, and those of which a namespace had something come from the index: listing these costs nothing, so they are never
 * left for later.
 */
export function indexedKinds(kinds: NamespaceKinds, reader: IndexedReader, { namespace, isApp }: IndexedPlace): NamespaceKinds {
  const isFollowed = (kind: ResourceType): boolean => isBuiltIn(kind.group) || isApp(kind);
  return {
    ...kinds,
    recall: (kind) => {
      if (isFollowed(kind) || kinds.isUsual(kind) || kinds.isLearnt(kind)) reader.follow(kind, namespace);
      return reader.isIndexed(kind, namespace) ? undefined : kinds.recall(kind);
    },
    isExpected: (kind) => reader.isIndexed(kind, namespace) || kinds.isExpected(kind),
  };
}

function isBuiltIn(group: string): boolean {
  return !group.includes('.') || isKubernetesGroup(group);
}
