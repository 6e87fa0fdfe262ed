import { OBSERVER } from '../domain/environment/deployer.ts';
import { createCompactor } from '../domain/kubernetes/compact-object.ts';
import type { Clusters } from '../domain/kubernetes/cluster.ts';
import { createEnvironmentIndex, type EnvironmentIndex } from '../environment-index/environment-index.ts';
import type { StartCopy } from '../environment-index/kind-index.ts';
import type { Kube } from '../kube/kube.ts';
import { startReflector } from '../kube/watch/reflector.ts';
import type { Log } from '../observe/log.ts';

interface IndexInput {
  readonly kube: Pick<Kube, 'asServiceAccount' | 'asController'>;
  /** `Own`: pages with an account of their own, which may not act as the observing one, because RBAC lets that one read every Secret. Default: the observing one. */
  readonly account?: 'Own';
  /** As people act. */
  readonly clusters: Clusters;
  readonly log: Log;
  /** Ends all watches. */
  readonly signal: AbortSignal;
}

/** The index of what environments hold, whose watches are those of the observing account or of the own one. */
export function indexEnvironments({ kube, account, clusters, log, signal }: IndexInput): EnvironmentIndex {
  const { list, listMetadata, watch, watchMetadata } = account === 'Own' ? kube.asController() : kube.asServiceAccount(OBSERVER);
  const readers = { whole: { list, watch }, metadata: { list: listMetadata, watch: watchMetadata } } as const;
  const startCopy: StartCopy = ({ type, namespace, content }, options) =>
    startReflector({ cluster: readers[content], type, namespace, list: 'Streamed', keep: createCompactor(), log, ...options });
  return createEnvironmentIndex({ clusters, startCopy, signal });
}
