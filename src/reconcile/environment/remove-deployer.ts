import { isAppError } from '../../domain/core/errors.ts';
import type { ResourceRef } from '../../domain/kubernetes/resource.ts';
import { findObject } from '../find-object.ts';
import { DEPLOYER, SECRET, SERVICE_ACCOUNT } from './environment-type.ts';
import type { EnvironmentPorts } from './ports.ts';

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/**
 * Removes the service account that earlier versions made in each namespace, and the tokens that somebody had made for it. Nothing used it, but whoever could
 * create Secrets could become it. Its RoleBinding goes with those that the Environment no longer asks for.
 */
export async function removeDeployer(cluster: EnvironmentPorts['cluster'], namespace: string, signal: AbortSignal): Promise<void> {
  const account = { ...SERVICE_ACCOUNT, namespace, name: DEPLOYER };
  const live = await findObject(cluster, account, signal);
  if (live?.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'chandlery') return;
  const { items } = await cluster.listMetadata(SECRET, { namespace, fieldSelector: `type=${TOKEN_TYPE}`, signal });
  for (const { metadata } of items.filter((secret) => secret.metadata.annotations?.[ACCOUNT_ANNOTATION] === DEPLOYER)) {
    await remove(cluster, { ...SECRET, namespace, name: metadata.name }, signal);
  }
  // Last, so that a removal that is cut short begins anew.
  await remove(cluster, account, signal);
}

/** Kubernetes removes the tokens of an account that is gone, too. */
async function remove(cluster: EnvironmentPorts['cluster'], ref: ResourceRef, signal: AbortSignal): Promise<void> {
  try {
    await cluster.delete(ref, { signal });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
  }
}
