import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Cluster, Clusters } from '../domain/kubernetes/cluster.ts';
import type { ResourceType } from '../domain/kubernetes/resource.ts';
import { EVENT } from '../domain/kubernetes/resource-types.ts';
import type { GroupKinds, GroupMemory } from './instance/group-memory.ts';

/** Somebody who looks at something that follows the cluster. */
export interface Looking {
  /** Aborts when they look no more. */
  readonly signal: AbortSignal;
  /** Is called whenever something that was read may be different now. */
  readonly changed: () => void;
}

/** Lists of namespaces that are kept in step by watches while somebody looks, each for those who may list it. */
export interface WatchPort {
  open(actor: Actor, looking: Looking): Watched;
}

interface Watched {
  /** The api-server as the actor. */
  readonly cluster: Cluster;
  /** Has the lists of this type come from a watch from now on. Returns whether they did not before. */
  follow(type: ResourceType): boolean;
  /** Ends that. */
  release(type: ResourceType): void;
  /** Whether a change of such an object would be noticed. */
  isWatched(type: ResourceType): boolean;
}

interface FollowedPorts {
  readonly clusters: Clusters;
  readonly groupMemory: GroupMemory;
  readonly watches: WatchPort;
}

/** The ports for an actor who looks: what a group consists of is watched, so that reading it again costs no lists. */
export function followPorts<P extends FollowedPorts>(ports: P, actor: Actor, looking: Looking): P {
  const watched = ports.watches.open(actor, looking);
  watched.follow(EVENT);
  const clusters: Clusters = {
    ...ports.clusters,
    asActor: (other) => (other === actor ? watched.cluster : ports.clusters.asActor(other)),
  };
  const kindsFor: GroupMemory['kindsFor'] = (...group) => followKinds(ports.groupMemory.kindsFor(...group), watched, looking);
  return { ...ports, clusters, groupMemory: { ...ports.groupMemory, kindsFor } };
}

/** What usually appears within seconds is watched even while there is none of it. */
function followKinds(kinds: GroupKinds, { follow, release, isWatched }: Watched, { changed }: Looking): GroupKinds {
  return {
    ...kinds,
    recall: (kind) => {
      if (kinds.isUsual(kind) || kinds.isLearnt(kind)) follow(kind);
      return isWatched(kind) ? undefined : kinds.recall(kind);
    },
    remember: (kind, list) => {
      if (!kinds.isUsual(kind)) release(kind);
      kinds.remember(kind, list);
    },
    expect: (kind) => {
      kinds.expect(kind);
      changed();
    },
    learn: (kind) => {
      kinds.learn(kind);
      // The watch begins with the next reading.
      if (follow(kind)) changed();
    },
  };
}
