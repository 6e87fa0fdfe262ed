import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { GitCheckout, GitRequest } from '../../domain/source/git-source.ts';
import type { Log } from '../../observe/log.ts';

/** What keeping a folder in step needs of the outside. */
export interface SourcePorts {
  readonly git: {
    /** Brings a revision of a repository to the disk; throws AppError `GitUnavailable`, `EgressDenied`. */
    checkout(request: GitRequest, signal: AbortSignal): Promise<GitCheckout>;
    /** The folder of the revision that was brought last; undefined when there is none. */
    latest(request: Pick<GitRequest, 'source' | 'git'>): Promise<string | undefined>;
  };
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  readonly log: Log;
  readonly now: () => Date;
}
