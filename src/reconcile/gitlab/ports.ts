import type { NamePrefixes } from '../../domain/gitlab/gitlab-deployment.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** What reconciling the kinds of GitLab needs of the world. */
export interface GitLabPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  /** All GitLabDeployments, live. */
  readonly deployments: () => readonly KubeObject[];
  /** All GitLabMonitorings, live. */
  readonly monitorings: () => readonly KubeObject[];
  readonly events: {
    record(
      about: KubeObject,
      event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
    ): Promise<void>;
  };
  readonly prefixes: NamePrefixes;
  readonly now: () => Date;
}
