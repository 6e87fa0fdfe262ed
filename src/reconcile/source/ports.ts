import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { Log } from '../../observe/log.ts';

/** What keeping a folder in step needs of the outside. */
export interface SourcePorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  readonly log: Log;
  readonly now: () => Date;
}
