import { constants } from 'node:os';
import type { EmbeddedCluster, EmbeddedClusterOptions } from '../src/embedded/cluster/embedded-cluster.ts';
import type { ToolPaths } from '../src/embedded/cluster/tools.ts';
import { startThrowawayCluster } from '../test/support/cluster.ts';

/** Starts a control plane for a benchmark. It stops with the benchmark, also when a signal ends that. */
export async function startBenchControlPlane(
  tools: ToolPaths,
  prefix: string,
  options: Pick<EmbeddedClusterOptions, 'controllers'> = {},
): Promise<EmbeddedCluster> {
  const controlPlane = await startThrowawayCluster(tools, prefix, options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void controlPlane.stop().finally(() => process.exit(128 + constants.signals[signal])));
  }
  return controlPlane;
}
