import { join } from 'node:path';
import type { Config } from '../config.ts';
import { startEmbeddedCluster, type EmbeddedCluster } from '../embedded/cluster/embedded-cluster.ts';
import { claimStateFolder } from '../embedded/cluster/state-folder.ts';
import type { ToolPaths } from '../embedded/cluster/tools.ts';
import { createKube, type Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { claimMappingOf } from './open-identity.ts';

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
  readonly metrics: Pick<Metrics, 'apiServerAnswered'>;
  readonly durability: 'kept' | 'throwaway';
  readonly signal?: AbortSignal;
}

const USER_AGENT = 'chandlery';

/** Starts the embedded cluster, or connects to the configured one, which may be away. */
export async function openCluster({ config, stateDir, tools, log, metrics, durability, signal }: OpenClusterInput): Promise<OpenCluster> {
  const client = { userAgent: USER_AGENT, observe: metrics.apiServerAnswered };
  const { cluster, reset } = config;
  switch (cluster.kind) {
    case 'embedded': {
      const trusted = config.issuer.kind === 'embedded' ? { trustIssuer: claimMappingOf(config) } : {};
      const given = signal === undefined ? {} : { signal };
      const embedded = await startEmbeddedCluster({ stateDir, tools, log, durability, reset, ...trusted, ...given });
      const kube = createKube({ kubeconfigPath: join(stateDir, 'kubeconfig'), ...client });
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
      return await connected(createKube({ ...access, ...client }), { stateDir, reset });
    }
    case 'in-cluster':
      return await connected(createKube(client), { stateDir, reset });
    default:
      return cluster satisfies never;
  }
}

/** The state folder is ours alone here, too: it holds the sessions and the charts. */
async function connected(kube: Kube, { stateDir, reset }: { readonly stateDir: string; readonly reset: boolean }): Promise<OpenCluster> {
  const folder = await claimStateFolder(stateDir, { reset });
  return {
    kube,
    close: async () => {
      await kube.close();
      await folder.release();
    },
  };
}
