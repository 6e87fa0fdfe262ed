import { AppError } from '../../domain/core/errors.ts';
import { projectOfJob } from '../../domain/environment/ci-project.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type ClusterAddress, credentialArguments, personKubeconfig } from '../../domain/kubectl/kubeconfig.ts';
import { findEnvironment, listEnvironments } from '../environment/find-environment.ts';
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

/** Where a CI job works. */
export interface CiContext {
  /** As the api-server names the job. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly project: string;
  /** The URL of Chandlery, which is also the audience of the tokens of jobs. */
  readonly server: string;
  readonly cluster: ClusterAddress;
  /** Those that the job may see, by name. */
  readonly environments: readonly Pick<EnvironmentView, 'name' | 'displayName' | 'namespace' | 'tier'>[];
}

/**
 * The Environments of a CI job, as its token names it, and where its cluster is.
 *
 * @throws AppError `InvalidInput` for a person, `KubectlUnavailable` where the address of the api-server is not known.
 */
export async function showCiContext(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'kubectl' | 'publicUrl'>,
  actor: Actor,
): Promise<CiContext> {
  const project = projectOfJob(actor.user);
  if (project === undefined) {
    const why = 'no CI job: send the ID token of the job, whose user name is ci:<project>; people use GET /api/v1/kubeconfig';
    throw new AppError('InvalidInput', `ci context: ${JSON.stringify(actor.user)} is ${why}`);
  }
  const { cluster } = ports.kubectl;
  if ('unavailable' in cluster) throw new AppError('KubectlUnavailable', `ci context: ${cluster.unavailable}`);
  const environments = await listEnvironments(ports, actor);
  return {
    user: actor.user,
    groups: actor.groups,
    project,
    server: ports.publicUrl,
    cluster,
    environments: environments.map(({ name, displayName, namespace, tier }) => ({ name, displayName, namespace, tier })),
  };
}
