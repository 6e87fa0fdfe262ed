import { OBSERVER } from '../domain/environment/deployer.ts';
import { createCompactor } from '../domain/kubernetes/compact-object.ts';
import type { Clusters } from '../domain/kubernetes/cluster.ts';
import { createEnvironmentIndex, type EnvironmentIndex } from '../environment-index/environment-index.ts';
import type { StartCopy } from '../environment-index/kind-index.ts';
import type { Kube } from '../kube/kube.ts';
import { startReflector } from '../kube/watch/reflector.ts';
import type { Log } from '../observe/log.ts';

interface IndexInput {
  readonly kube: Pick<Kube, 'asServiceAccount'>;
  /** As people act. */
  readonly clusters: Clusters;
  readonly log: Log;
  /** Ends all watches. */
  readonly signal: AbortSignal;
}

/** The index of what environments hold, whose watches are those of the observing account. */
export function indexEnvironments({ kube, clusters, log, signal }: IndexInput): EnvironmentIndex {
  const { list, listMetadata, watch, watchMetadata } = kube.asServiceAccount(OBSERVER);
  const readers = { whole: { list, watch }, metadata: { list: listMetadata, watch: watchMetadata } } as const;
  const startCopy: StartCopy = ({ type, namespace, content }, options) =>
    startReflector({ cluster: readers[content], type, namespace, list: 'Streamed', keep: createCompactor(), log, ...options });
  return createEnvironmentIndex({ clusters, startCopy, signal });
}
