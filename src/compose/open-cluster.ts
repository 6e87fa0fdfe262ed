import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startEmbeddedCluster, type EmbeddedCluster } from '../embedded/cluster/embedded-cluster.ts';
import type { ToolPaths } from '../embedded/cluster/tools.ts';
import { createKube, type Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';

/** The cluster that everything runs on, and the embedded one when that is it. */
export interface OpenCluster {
  readonly kube: Kube;
  readonly embedded?: EmbeddedCluster;
  close(): Promise<void>;
}

export interface OpenClusterInput {
  readonly config: Config;
  readonly stateDir: string;
  readonly tools: ToolPaths;
  readonly log: Log;
  readonly durability: 'kept' | 'throwaway';
}

const USER_AGENT = 'chandlery';

/** Starts the embedded cluster, or connects to the configured one, which may be away. */
export async function openCluster({ config, stateDir, tools, log, durability }: OpenClusterInput): Promise<OpenCluster> {
  const { cluster } = config;
  switch (cluster.kind) {
    case 'embedded': {
      const embedded = await startEmbeddedCluster({ stateDir, tools, log, durability, reset: config.reset });
      const kube = createKube({ kubeconfigPath: join(stateDir, 'kubeconfig'), userAgent: USER_AGENT });
      return {
        kube,
        embedded,
        close: async () => {
          await kube.close();
          await embedded.stop();
        },
      };
    }
    case 'kubeconfig': {
      const { context, file } = cluster;
      const access = { ...(context === undefined ? {} : { context }), ...(file === undefined ? {} : { kubeconfigPath: file }) };
      return connected(createKube({ ...access, userAgent: USER_AGENT }));
    }
    case 'in-cluster':
      return connected(createKube({ userAgent: USER_AGENT }));
    default:
      return cluster satisfies never;
  }
}

function connected(kube: Kube): OpenCluster {
  return { kube, close: () => kube.close() };
}
