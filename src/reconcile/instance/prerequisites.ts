import { AppError } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { hasLimits, limitSentence } from '../../domain/app-definition/limits.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import type { Work } from './work.ts';

/** The Environment that has reserved a namespace; undefined when it is no Environment's. */
export function environmentOf(environments: readonly KubeObject[], namespace: string): KubeObject | undefined {
  const all = environments.filter((environment) => statusOf(ENVIRONMENT_KIND, environment).namespace === namespace);
  return all.find(({ metadata }) => metadata.deletionTimestamp === undefined) ?? all[0];
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

/** Why there is no first release: the limits of the AppDefinition, or that nobody has compared it with them yet. */
export type LimitFact = { readonly kind: 'Undecided' } | { readonly kind: 'Exceeded'; readonly error: AppError };

/** What the limits of the AppDefinition mean for a first release, as its controller has decided; undefined when they let it in, or there are none. */
export function limitOf({ ports, kind, instance, status }: Work): LimitFact | undefined {
  const definition = ports.definitions.get(kind.definition);
  if (definition === undefined || status.managedRevision !== undefined) return undefined;
  const { limits } = specOf(APP_DEFINITION_KIND, definition);
  if (!hasLimits(limits)) return undefined;
  const { uid = '' } = instance.metadata;
  const { admitted = [], rejected = [] } = statusOf(APP_DEFINITION_KIND, definition).limits ?? {};
  if (admitted.includes(uid)) return undefined;
  if (!rejected.includes(uid)) return { kind: 'Undecided' };
  const remedy = 'Delete another instance, or ask an admin to raise spec.limits';
  const message = `AppDefinition "${kind.definition}": ${limitSentence(limits).toLowerCase()}, and there are as many; ${remedy}`;
  return { kind: 'Exceeded', error: new AppError('QuotaExceeded', message) };
}
