import { listAt } from '../core/read.ts';
import { type CallOptions, type Cluster, ifFound } from '../kubernetes/cluster.ts';
import { CLUSTER_ROLE } from '../kubernetes/resource-types.ts';
import { DEPLOYER, NETWORK_DEPLOYER } from './deployer.ts';

/** The rules that the deployer of an Environment has by default; undefined while one of its ClusterRoles does not exist. */
export async function readDeployerRules(cluster: Pick<Cluster, 'get'>, options?: CallOptions): Promise<readonly unknown[] | undefined> {
  const roles = await Promise.all(
    [DEPLOYER, NETWORK_DEPLOYER].map(async (name) => await ifFound(cluster.get({ ...CLUSTER_ROLE, name }, options))),
  );
  return roles.includes(undefined) ? undefined : roles.flatMap((role) => listAt(role, 'rules'));
}
