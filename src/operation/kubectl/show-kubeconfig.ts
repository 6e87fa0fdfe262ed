import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { credentialArguments, personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

interface KubeconfigQuestion {
  /** Its namespace becomes the default one. */
  readonly environment?: string;
}

/**
 * A kubeconfig by which kubectl acts as the actor, with the tokens of their own sign-in. It holds no secret.
 *
 * @throws AppError `KubectlUnavailable` where the settings do not allow it, `NotFound` for an environment that the actor may not see.
 */
export async function showKubeconfig(
  { clusters, kubectl }: Pick<Ports, 'clusters' | 'kubectl'>,
  actor: Actor,
  { environment: name }: KubeconfigQuestion,
): Promise<object> {
  const { cluster, client, program, host, expectedClaim } = kubectl;
  if ('unavailable' in cluster) throw new AppError('KubectlUnavailable', `kubeconfig: ${cluster.unavailable}`);
  if ('unavailable' in client) throw new AppError('KubectlUnavailable', `kubeconfig: ${client.unavailable}`);
  const environment = name === undefined ? undefined : await findEnvironment(clusters, actor, name);
  return personKubeconfig({
    cluster,
    host,
    user: actor.user,
    program: [...program, ...credentialArguments(client, actor.user, expectedClaim(actor.user))],
    ...(environment === undefined ? {} : { environment }),
  });
}
