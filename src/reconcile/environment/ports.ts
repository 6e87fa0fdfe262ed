import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** What reconciling an Environment needs of the world. */
export interface EnvironmentPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'listMetadata' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  readonly events: {
    record(
      about: KubeObject,
      event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
    ): Promise<void>;
  };
  readonly now: () => Date;
}
