import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { CliClient } from '../../domain/kubectl/cli-client.ts';
import { type ClusterAddress, credentialArguments, type ExpectedClaim, personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

/** What kubectl of people needs, by the settings. */
export interface KubectlPorts {
  /** Where they reach the api-server, or why they do not. */
  readonly cluster: ClusterAddress | { readonly unavailable: string };
  /** As whom they sign in there, or why they cannot. */
  readonly client: CliClient | { readonly unavailable: string };
  /** How the command line is called on the machines of people. */
  readonly program: readonly string[];
  /** The host of Chandlery, which names the entries of kubeconfigs. */
  readonly host: string;
  /** What the tokens of a person have; undefined where an expression makes the names. */
  readonly expectedClaim: (user: string) => ExpectedClaim | undefined;
}

export interface KubeconfigQuestion {
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
