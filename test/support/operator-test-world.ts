import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import { sharedCluster } from './cluster.ts';
import { startOperatorWorld, type OperatorWorld, type OperatorWorldOptions } from './operator-world.ts';

/** The world of one file of tests: a namespace of its own on the cluster of the test process, which stops with it. */
export async function startTestWorld(
  namespace: string,
  options: Pick<OperatorWorldOptions, 'instanceCounts' | 'wrap'> = {},
): Promise<OperatorWorld> {
  const { kubeconfigPath, tools, stop } = await sharedCluster();
  const world = await startOperatorWorld({ kubeconfigPath, helm: tools.helm, namespaces: namespace, ...options });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return {
    ...world,
    stop: async () => {
      await world.stop();
      await stop();
    },
  };
}
