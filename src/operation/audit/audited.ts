import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { Asking, Deed, Journal, JournalOutcome } from '../../domain/audit/audit-log.ts';

/** The journal as operations need it. */
export interface JournalPort extends Pick<Journal, 'search'> {
  /** Never rejects, and never keeps anybody waiting for long: what was done is done, whether it could be written down or not. */
  append: Journal['append'];
  /**
   * Counts an act, or an install, which is an act as well.
   *
   * @throws AppError `TooManyRequests` when the actor has acted too often, before anything is done.
   */
  checkPace(actor: Actor, kind: 'act' | 'install'): void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Does something as the actor and writes down that it was done, refused or failed. */
export async function journaled<T>(
  { journal }: { readonly journal: JournalPort },
  actor: Actor,
  deed: Deed,
  act: () => Promise<T>,
): Promise<T> {
  const { action, environment, target, via, requestId } = deed;
  const write = async (outcome: JournalOutcome, code: string): Promise<void> => {
    const { user, groups } = actor;
    const time = new Date(journal.now()).toISOString();
    await journal.append({ time, user, groups, action, environment, target, outcome, code, via, requestId });
  };
  let result: T;
  try {
    journal.checkPace(actor, 'act');
    result = await act();
  } catch (error) {
    const isRefusal = isAppError(error) && error.status < 500;
    await write(isRefusal ? 'refused' : 'failed', isAppError(error) ? error.code : 'Internal');
    throw error;
  }
  await write('done', '');
  return result;
}

/** An act on an Instance. */
export function instanceDeed(
  action: string,
  { environment, app, name }: { readonly environment: string; readonly app: string; readonly name: string },
  { via, requestId }: Asking,
): Deed {
  return { action, environment, target: `${environment}/${app}/${name}`, via, requestId };
}

/** An act on an Operator. */
export function operatorDeed(
  action: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { via, requestId }: Asking,
): Deed {
  return { action, environment: '', target: `${namespace}/${name}`, via, requestId };
}
