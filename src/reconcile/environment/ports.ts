import type { Cluster } from '../../domain/cluster.ts';
import type { KubeObject } from '../../domain/resource.ts';

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
