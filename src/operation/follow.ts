import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Cluster, Clusters } from '../domain/kubernetes/cluster.ts';
import type { ResourceType } from '../domain/kubernetes/resource.ts';
import type { GroupMemory } from './instance/group-memory.ts';

/** Somebody who looks at something that follows the cluster. */
export interface Looking {
  /** Aborts when they look no more. */
  readonly signal: AbortSignal;
  /** Is called whenever something that was read may be different now. */
  readonly changed: () => void;
}

/** Lists of namespaces that are kept in step by watches while somebody looks, each for those who may list it. */
export interface WatchPort {
  open(
    actor: Actor,
    looking: Looking,
  ): {
    /** The api-server as the actor. */
    readonly cluster: Cluster;
    /** Whether a change of such an object would be noticed. */
    isWatched(type: ResourceType): boolean;
    /** Ends the watch of a type for this actor, who may look on. */
    release(type: ResourceType): void;
  };
}

interface FollowedPorts {
  readonly clusters: Clusters;
  readonly groupMemory: GroupMemory;
  readonly watches: WatchPort;
}

/** The ports for an actor who looks: reading again costs no lists, but for the kinds of which there was nothing. */
export function followPorts<P extends FollowedPorts>(ports: P, actor: Actor, looking: Looking): P {
  const { cluster, isWatched, release } = ports.watches.open(actor, looking);
  const clusters: Clusters = {
    ...ports.clusters,
    asActor: (other) => (other === actor ? cluster : ports.clusters.asActor(other)),
  };
  const kindsFor: GroupMemory['kindsFor'] = (...group) => {
    const kinds = ports.groupMemory.kindsFor(...group);
    return {
      ...kinds,
      recall: (kind) => (isWatched(kind) ? undefined : kinds.recall(kind)),
      remember: (kind, list) => {
        // What usually appears within seconds is watched even while there is none of it.
        if (!kinds.isUsual(kind)) release(kind);
        kinds.remember(kind, list);
      },
      expect: (kind) => {
        kinds.expect(kind);
        looking.changed();
      },
    };
  };
  return { ...ports, clusters, groupMemory: { ...ports.groupMemory, kindsFor } };
}
