import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { RequestOrigin, AuditEvent, AuditLog, AuditOutcome } from '../../domain/audit/audit-log.ts';

/** The audit log as operations need it. */
export interface AuditPort extends Pick<AuditLog, 'search'> {
  /** Never rejects, and never keeps anybody waiting for long: what was done is done, whether it could be written down or not. */
  append: AuditLog['append'];
  /**
   * Counts an act, or an install, which is an act as well.
   *
   * @throws AppError `TooManyRequests` when the actor has acted too often, before anything is done.
   */
  checkPace(actor: Actor, kind: 'act' | 'install'): void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Does something as the actor and writes down that it was done, rejected or failed. */
export async function audited<T>(
  { auditLog }: { readonly auditLog: AuditPort },
  actor: Actor,
  deed: AuditEvent,
  act: () => Promise<T>,
): Promise<T> {
  const { action, environment, target, via, requestId } = deed;
  const write = async (outcome: AuditOutcome, code: string): Promise<void> => {
    const { user, groups } = actor;
    const time = new Date(auditLog.now()).toISOString();
    await auditLog.append({ time, user, groups, action, environment, target, outcome, code, via, requestId });
  };
  let result: T;
  try {
    auditLog.checkPace(actor, 'act');
    result = await act();
  } catch (error) {
    const isRejection = isAppError(error) && error.status < 500;
    await write(isRejection ? 'rejected' : 'failed', isAppError(error) ? error.code : 'Internal');
    throw error;
  }
  await write('done', '');
  return result;
}

/** An act on an Instance. */
export function instanceEvent(
  action: string,
  { environment, app, name }: { readonly environment: string; readonly app: string; readonly name: string },
  { via, requestId }: RequestOrigin,
): AuditEvent {
  return { action, environment, target: `${environment}/${app}/${name}`, via, requestId };
}

/** An act on an Operator. */
export function operatorEvent(
  action: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { via, requestId }: RequestOrigin,
): AuditEvent {
  return { action, environment: '', target: `${namespace}/${name}`, via, requestId };
}
