import { type AppDeployer, appDeployerOf } from '../../domain/app-definition/app-deployer.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { DeployerAccount, DryRunCluster, NonResourceAttributes, ResourceAttributes } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import { ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import { isAccessAllowedBy, isAllowedBy } from '../../domain/permission/grants.ts';
import type { Ports } from '../ports.ts';
import type { DryRun } from './dry-run-objects.ts';

interface DeployerInput {
  readonly definition: KubeObject;
  /** Of the release, or one that stands in for it. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * Dry runs as the account that the releases of an app are applied as. An app with an account of its own has it from its first instance on: before, the deployer of all
 * apps tries, and the controller what `spec.permissions` adds. Only for an actor who may have an instance released.
 */
export async function deployerDryRun(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { definition, namespace, signal }: DeployerInput,
): Promise<DryRun> {
  const base = clusters.dryRunAsDeployer(actor, { namespace, name: DEPLOYER });
  const deployer = appDeployerOf(definition);
  if (deployer === undefined) return { cluster: base, by: 'deployer', definition };
  const account = { namespace, name: deployer.account };
  const controller = clusters.dryRunAsController(actor);
  const binding = await controller.metadataOf({ ...ROLE_BINDING, ...account }, { signal });
  if (binding !== undefined) return { cluster: clusters.dryRunAsDeployer(actor, account), by: 'deployer', definition };
  return { cluster: futureDeployer({ base, controller, account, deployer }), by: 'deployer', definition, isFuture: true };
}

interface FutureDeployer {
  readonly base: DryRunCluster;
  readonly controller: DryRunCluster;
  readonly account: DeployerAccount;
  readonly deployer: AppDeployer;
}

const RBAC = 'rbac.authorization.k8s.io';

function futureDeployer({ base, controller, account: { namespace, name }, deployer: { rules } }: FutureDeployer): DryRunCluster {
  const isGranted = (attributes: ResourceAttributes | NonResourceAttributes): boolean =>
    'namespace' in attributes && attributes.namespace === namespace && isAccessAllowedBy(rules, attributes);
  // What a Role may grant, the reviews of its rules tell.
  const isAdded = ({ group, resource }: ResourceType, object: string, verb: string): boolean =>
    group === RBAC || isAllowedBy(rules, { verb, group, resource, name: object });
  const orController = async <T>(added: boolean, ask: (cluster: DryRunCluster) => Promise<T>): Promise<T> => {
    try {
      return await ask(base);
    } catch (error) {
      if (added && isAppError(error, 'Forbidden')) return await ask(controller);
      throw error;
    }
  };
  return {
    ...base,
    dryRunApply: async (type, object, options) =>
      await orController(isAdded(type, object.metadata.name, 'patch'), async (cluster) => await cluster.dryRunApply(type, object, options)),
    metadataOf: async (ref, options) =>
      await orController(isAdded(ref, ref.name, 'get'), async (cluster) => await cluster.metadataOf(ref, options)),
    review: async (attributes, options) => {
      const own = await base.review(attributes, options);
      return own.allowed || !isGranted(attributes) ? own : { ...own, allowed: true };
    },
    account: () => Promise.resolve(`system:serviceaccount:${namespace}:${name}`),
  };
}
