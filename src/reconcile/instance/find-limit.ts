import { hasLimits, limitSentence } from '../../domain/app-definition/limits.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { AppError } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import type { ActiveFacts } from './state.ts';
import type { Work } from './work.ts';

/** What the limits of the AppDefinition mean for a first release, as its controller has decided; undefined when they let it in, or there are none. */
export function limitOf({ ports, kind, instance, status }: Work): ActiveFacts['limit'] {
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
