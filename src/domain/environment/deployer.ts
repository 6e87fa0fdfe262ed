import { OURS } from '../kubernetes/names.ts';

/** The ServiceAccount of an Environment that the releases of its instances are applied as, and the ClusterRole that it has in the namespace. */
export const DEPLOYER = 'chandlery-deployer';

/** The ClusterRole by which it may write NetworkPolicies, unless the Environment denies those of charts. */
export const NETWORK_DEPLOYER = 'chandlery-network-deployer';

/** The ServiceAccount that the index of environments is read as, and the ClusterRole that it has. */
export const OBSERVER = { namespace: OURS.systemNamespace, name: 'chandlery-observer' } as const;

/** The beginning of the names of the ServiceAccounts for the releases of one app; that of the AppDefinition follows. */
export const APP_DEPLOYER_PREFIX = `${DEPLOYER}-`;

/** Whether releases of instances are applied as a ServiceAccount of this name. */
export function isDeployer(account: string): boolean {
  return account === DEPLOYER || account.startsWith(APP_DEPLOYER_PREFIX);
}
