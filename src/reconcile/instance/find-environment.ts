import { AppError } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** The Environment that has reserved a namespace; undefined when it is no Environment's. */
export function environmentOf(environments: readonly KubeObject[], namespace: string): KubeObject | undefined {
  return environments.find((environment) => statusOf(ENVIRONMENT_KIND, environment).namespace === namespace);
}

/** Why nothing can be released in a namespace; undefined when it is that of an Environment. */
export function environmentFault(environments: readonly KubeObject[], namespace: string): AppError | undefined {
  if (environmentOf(environments, namespace) !== undefined) return undefined;
  const remedy = 'create the instance in the namespace of an Environment, or an Environment for this namespace';
  return new AppError(
    'NotFound',
    `namespace "${namespace}": it does not belong to an Environment, so no account can release here; ${remedy}`,
  );
}
