import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { AuditEvent, AuditLog, AuditOutcome, RequestOrigin } from '../../domain/audit/audit-log.ts';

/** The audit log as operations need it. */
export interface AuditPort extends Pick<AuditLog, 'search'> {
  /** Appends an entry. The promise never rejects and is fulfilled within seconds: the action stands, whether its entry could be written or not. */
  append: AuditLog['append'];
  /**
   * Counts an action, or an installation, which also counts as an action.
   *
   * @throws AppError `TooManyRequests` over the rate limit, before anything is written.
   */
  checkRateLimit(actor: Actor, kind: 'action' | 'install'): void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An audit event, and how to find the change that the action has made: see `AuditRecord`. */
export interface ChangeEvent<T> extends AuditEvent {
  readonly changeOf?: (result: T) => string | undefined;
}

/** Runs an action as the actor, and appends an audit entry with its outcome: `rejected` for errors below 500, `failed` for all others. */
export async function audited<T>(
  { auditLog }: { readonly auditLog: AuditPort },
  actor: Actor,
  event: ChangeEvent<T>,
  act: () => Promise<T>,
): Promise<T> {
  const { action, environment, target, via, requestId, changeOf } = event;
  const write = async (outcome: AuditOutcome, code: string, change?: string): Promise<void> => {
    const { user, groups, limits } = actor;
    const time = new Date(auditLog.now()).toISOString();
    const token = limits === undefined ? {} : { token: `${limits.name} (${limits.id})` };
    const made = change === undefined ? {} : { change };
    await auditLog.append({ time, user, groups, action, environment, target, outcome, code, via, requestId, ...token, ...made });
  };
  let result: T;
  try {
    auditLog.checkRateLimit(actor, 'action');
    result = await act();
  } catch (error) {
    const isRejection = isAppError(error) && error.status < 500;
    await write(isRejection ? 'rejected' : 'failed', isAppError(error) ? error.code : 'Internal');
    throw error;
  }
  await write('succeeded', '', changeOf?.(result));
  return result;
}

/** The audit event of an action on an Instance. */
export function instanceEvent(
  action: string,
  { environment, app, name }: { readonly environment: string; readonly app: string; readonly name: string },
  { via, requestId }: RequestOrigin,
): AuditEvent {
  return { action, environment, target: `${environment}/${app}/${name}`, via, requestId };
}

/** The audit event of an action on an Operator. */
export function operatorEvent(
  action: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { via, requestId }: RequestOrigin,
): AuditEvent {
  return { action, environment: '', target: `${namespace}/${name}`, via, requestId };
}
