import { expiryOf, KEPT_MS, phaseAt, REQUEST_LIMITS } from '../../domain/change-request/change-request.ts';
import {
  CHANGE_REQUEST_KIND,
  type ChangeRequestStatus,
  type RequestDecision,
  type RequestPhase,
} from '../../domain/change-request/change-request-kind.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** What a change request needs next. */
export type RequestAction =
  /** Nothing before that time, in milliseconds since 1970; absent: before it changes. */
  | { readonly kind: 'wait'; readonly until?: number }
  /** Its status is to say this. */
  | { readonly kind: 'report'; readonly phase: RequestPhase; readonly message: string }
  /** It is to be applied on behalf of whoever approved it. */
  | { readonly kind: 'apply'; readonly decision: RequestDecision }
  | { readonly kind: 'delete' };

/**
 * Decides what comes next for a change request.
 *
 * @param all the change requests of its namespace.
 * @param now milliseconds since 1970.
 */
export function nextRequestAction(object: KubeObject, all: readonly KubeObject[], now: number): RequestAction {
  const { decision } = specOf(CHANGE_REQUEST_KIND, object);
  const status = statusOf(CHANGE_REQUEST_KIND, object);
  const phase = phaseAt(object, now);
  if (phase === 'Open' && isBeyondLimits(object, all, now)) {
    return { kind: 'report', phase: 'Declined', message: 'Too many open requests in this environment: withdraw some, then ask again' };
  }
  if (phase !== status.phase) return { kind: 'report', phase, message: messageOf(phase, decision) };
  if (phase === 'Open') return { kind: 'wait', until: expiryOf(object) };
  if (phase === 'Approved' && decision?.delivery === 'Apply') return { kind: 'apply', decision };
  const until = closedAt(object, status) + KEPT_MS;
  return until <= now || isSurplus(object, all, now) ? { kind: 'delete' } : { kind: 'wait', until };
}

function messageOf(phase: RequestPhase, decision: RequestDecision | undefined): string {
  if (phase === 'Open') return 'Waiting for approval';
  if (phase === 'Expired') return 'Expired without a decision';
  return decision?.message ?? '';
}

/** When a closed request was closed: its status says so since then. */
function closedAt(object: KubeObject, { decidedAt, conditions }: ChangeRequestStatus): number {
  const at = decidedAt ?? findCondition(conditions, 'Approved')?.lastTransitionTime;
  return at === undefined ? expiryOf(object) : Date.parse(at);
}

/** Of the open requests in a namespace, the later ones are too many: of one person, and in all. Pages and REST reject them before. */
function isBeyondLimits(object: KubeObject, all: readonly KubeObject[], now: number): boolean {
  const earlier = all.filter((other) => phaseAt(other, now) === 'Open' && isBefore(other, object));
  const requester = requesterOf(object);
  return (
    earlier.length >= REQUEST_LIMITS.open || earlier.filter((other) => requesterOf(other) === requester).length >= REQUEST_LIMITS.ofPerson
  );
}

/** Only the closed requests that were created last are kept. */
function isSurplus(object: KubeObject, all: readonly KubeObject[], now: number): boolean {
  const later = all.filter((other) => !['Open', 'Approved'].includes(phaseAt(other, now)) && isBefore(object, other));
  return later.length >= REQUEST_LIMITS.closed;
}

function requesterOf(object: KubeObject): string {
  return specOf(CHANGE_REQUEST_KIND, object).requester.user;
}

function isBefore(a: KubeObject, b: KubeObject): boolean {
  return orderOf(a) < orderOf(b);
}

function orderOf({ metadata: { creationTimestamp = '', uid = '' } }: KubeObject): string {
  return `${creationTimestamp} ${uid}`;
}
