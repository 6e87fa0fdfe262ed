import type { Actor } from '../domain/actor.ts';
import type { Written } from '../domain/cluster.ts';
import { isAppError, type AppError, type FieldFault, type MissingRight } from '../domain/errors.ts';
import { commandsFor, grantFor, type RestCall } from '../domain/instance-commands.ts';
import type { Preflight } from '../domain/instance.ts';
import type { KubeObject } from '../domain/resource.ts';

/** What a preflight is made of: the object, the right it takes, the write as a dry run, and the same act over REST. */
export interface Attempt {
  readonly object: KubeObject;
  readonly may: () => Promise<MissingRight | undefined>;
  readonly dryRun: () => Promise<Written>;
  readonly call: RestCall;
}

/**
 * Finds out what would happen without writing: the right first, then the api-server's own dry run, which runs validation, quota and
 * admission. Whatever the api-server refuses is an answer here, not an error; an unreachable cluster still throws.
 */
export async function preflight(actor: Actor, attempt: Attempt): Promise<Preflight> {
  const commands = commandsFor(attempt.object, attempt.call);
  const missing = await attempt.may();
  if (missing !== undefined)
    return refused(actor, attempt.object, { commands, missing: [missing], faults: [{ message: sentenceOf(missing) }] });
  try {
    const { object: result, warnings } = await attempt.dryRun();
    return { verdict: 'Ready', object: attempt.object, result, warnings, faults: [], missing: [], commands };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'AdmissionDenied', 'QuotaExceeded', 'AlreadyExists', 'Conflict', 'Forbidden')) throw error;
    const lacks = error.missing === undefined ? [] : [error.missing];
    return refused(actor, attempt.object, { commands, missing: lacks, faults: faultsOf(error) });
  }
}

/** The faults of an error by field; the sentence of the error where it names none. */
export function faultsOf(error: AppError): readonly FieldFault[] {
  if (error.faults.length > 0) return error.faults;
  if (error.code === 'AlreadyExists') return [{ field: 'metadata.name', message: error.message }];
  return [{ message: error.message }];
}

function refused(actor: Actor, object: KubeObject, why: Pick<Preflight, 'commands' | 'missing' | 'faults'>): Preflight {
  const grant = grantFor(actor.user, why.missing);
  return { verdict: 'Blocked', object, warnings: [], ...why, ...(grant === undefined ? {} : { grant }) };
}

function sentenceOf({ verb, resource, group, namespace }: MissingRight): string {
  return `You may not ${verb} ${resource}.${group}${namespace === undefined ? '' : ` in the namespace ${namespace}`}. An admin can grant it with the RoleBinding below.`;
}
