import type { AppDeployer } from '../../domain/app-definition/app-deployer.ts';
import { textAt } from '../../domain/core/read.ts';
import { AppError } from '../../domain/core/errors.ts';
import { APP_DEPLOYER_PREFIX, DEPLOYER, NETWORK_DEPLOYER } from '../../domain/environment/deployer.ts';
import { allowsChartPolicies } from '../../domain/environment/network-policy.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { keyOf, type KubeObject, type ResourceType } from '../../domain/kubernetes/resource.ts';
import { ROLE, ROLE_BINDING, SERVICE_ACCOUNT } from '../../domain/kubernetes/resource-types.ts';
import { labelsOf, ownedMeta, type Placed, RBAC, roleBinding, serviceAccount } from './environment-objects.ts';
import type { EnvironmentSpec } from './environment-spec.ts';

/** The deployers of apps that have instances in a namespace. */
export interface WantedDeployers {
  readonly deployers: readonly AppDeployer[];
  /** False while instances or AppDefinitions have not been listed: there may be more. */
  readonly isListed: boolean;
}

interface DeployerPlace {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
}

/** The account, its permissions of every deployer, and its own ones. Bindings have names that no account has. */
function appDeployerObjects({ environment, spec }: DeployerPlace, { account, rules }: AppDeployer): Placed[] {
  const { namespace, networkPolicy } = spec;
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace } as const];
  const shared = [DEPLOYER, ...(allowsChartPolicies(networkPolicy) ? [NETWORK_DEPLOYER] : [])];
  const metadata = { name: account, ...ownedMeta(environment, spec) };
  return [
    serviceAccount(environment, spec, account),
    ...shared.map((role) =>
      roleBinding(environment, spec, { name: `${account}:${role}`, role: { kind: 'ClusterRole', name: role }, subjects }),
    ),
    { type: ROLE, object: { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules } },
    roleBinding(environment, spec, { name: account, role: { kind: 'Role', name: account }, subjects }),
  ];
}

interface DeployerInput {
  readonly deployer: AppDeployer;
  readonly signal: AbortSignal;
}

/**
 * Applies the account of an app.
 *
 * @throws AppError `InvalidInput` where another client made an account or role of this name, or has bound the role; `Forbidden` where Chandlery may not grant the permissions.
 */
export async function applyAppDeployer(
  cluster: Pick<Cluster, 'get' | 'list' | 'apply'>,
  place: DeployerPlace,
  { deployer, signal }: DeployerInput,
): Promise<void> {
  await rejectForeign(cluster, place, { deployer, signal });
  for (const { type, object } of appDeployerObjects(place, deployer))
    await cluster.apply(type, object, { fieldManager: OURS.fieldManager, force: 'force', signal });
}

/** Who has a token of such an account, or has bound its role before, would have its permissions. */
async function rejectForeign(
  cluster: Pick<Cluster, 'get' | 'list'>,
  place: DeployerPlace,
  { deployer, signal }: DeployerInput,
): Promise<void> {
  const { namespace } = place.spec;
  const name = deployer.account;
  const reject = (what: string): never => {
    const remedy = 'an admin has to delete it, Chandlery creates its own';
    throw new AppError('InvalidInput', `deployer: namespace ${namespace} already has ${what}; ${remedy}`);
  };
  for (const type of [SERVICE_ACCOUNT, ROLE]) {
    const live = await ifFound(cluster.get({ ...type, namespace, name }, { signal, answer: 'metadata' }));
    if (live !== undefined && !isOwnAccount(live, place)) reject(`a ${type.kind} "${name}"`);
  }
  const bindings = (await cluster.list(ROLE_BINDING, { namespace, signal })).items;
  const ofRole = (binding: KubeObject): boolean =>
    textAt(binding, 'roleRef', 'kind') === 'Role' && textAt(binding, 'roleRef', 'name') === name;
  const foreign = bindings.find((one) => (ofRole(one) || one.metadata.name === name) && !isOwnBinding(one, place, name));
  if (foreign !== undefined) reject(`a RoleBinding "${foreign.metadata.name}" with the name or the role of the account`);
}

function isOwnBinding(binding: KubeObject, place: DeployerPlace, name: string): boolean {
  return binding.metadata.name === name && isOwnAccount(binding, place);
}

/** Whether Chandlery made an account, or what belongs to it, for the namespace. The Environment may have had another name. */
export function isOwnAccount({ metadata: { labels = {} } }: KubeObject, { environment, spec }: DeployerPlace): boolean {
  const wanted = { ...labelsOf(environment, spec), [OURS.environmentLabel]: labels[OURS.environmentLabel] ?? environment.metadata.name };
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** Whether an object of an account of an app stays. An account that an instance has come for meanwhile is among those that are wanted now. */
export function keepsDeployer(place: DeployerPlace, wanted: () => WantedDeployers): (type: ResourceType, object: KubeObject) => boolean {
  return (type, object) => {
    if (!object.metadata.name.startsWith(APP_DEPLOYER_PREFIX)) return false;
    const { deployers, isListed } = wanted();
    const own = deployers.flatMap((deployer) => appDeployerObjects(place, deployer));
    return !isListed || own.some((placed) => placed.type === type && keyOf(placed.object) === keyOf(object));
  };
}
