import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { MAX_REASON_LENGTH, type RequestDecision, type ChangeRequest } from '../../domain/change-request/change-request.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import { candidateOf, type Candidate } from './request-candidate.ts';
import { findChangeRequest, verbOf } from './request-access.ts';
import type { Ports } from '../ports.ts';

export interface RequestVerdict extends RequestOrigin {
  readonly id: string;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'changeRequests' | 'publicUrl' | 'auditLog' | 'health'>;

/**
 * Does what a change request asks for, as the actor.
 *
 * @param digest that of `showChangeRequest`: what the actor has seen is what is written, or nothing.
 * @throws AppError `Conflict` when it would do something else by now; `ChangeRequestClosed`; else as the write itself.
 */
export async function approveChangeRequest(
  ports: Needs,
  actor: Actor,
  input: RequestVerdict & { readonly digest: string },
): Promise<InstanceView> {
  const { changeRequest } = await findChangeRequest(ports, actor, input.id);
  return await auditLog(ports, actor, { changeRequest, action: 'approve change request', requestOrigin: input }, async () => {
    const written = await (await candidateAsSeen(ports, actor, { changeRequest, digest: input.digest })).write();
    await closeApproved(ports, actor, { changeRequest, decisionMessage: '' });
    return written;
  });
}

/**
 * What approving a change request does now.
 *
 * @throws AppError `ChangeRequestClosed`; `Conflict` when that is something else than what the actor has seen.
 */
export async function candidateAsSeen(
  ports: Needs,
  actor: Actor,
  { changeRequest, digest }: { readonly changeRequest: ChangeRequest; readonly digest: string },
): Promise<Candidate> {
  rejectClosed(changeRequest);
  const candidate = await candidateOf(ports, actor, changeRequest);
  if (digest === candidate.digest) return candidate;
  throw new AppError('Conflict', 'change request: its effect has changed since you opened it: review it again, then approve');
}

/** It is done, so this is the truth, also when it was withdrawn in the same moment. */
export async function closeApproved(
  ports: Needs,
  actor: Actor,
  { changeRequest, decisionMessage }: { readonly changeRequest: ChangeRequest; readonly decisionMessage: string },
): Promise<void> {
  await ports.changeRequests.table.decide(changeRequest.id, decisionOf(ports, actor, { state: 'approved', decisionMessage }), 'late');
}

/** Declines a change request, with a reason. `Forbidden` for who could not approve it either. */
export async function declineChangeRequest(ports: Needs, actor: Actor, input: RequestVerdict & { readonly reason: string }): Promise<void> {
  const { changeRequest, mayDecide } = await findChangeRequest(ports, actor, input.id);
  await auditLog(ports, actor, { changeRequest, action: 'decline change request', requestOrigin: input }, async () => {
    if (!mayDecide) throw await rejection(ports, actor, changeRequest);
    await close(
      ports,
      changeRequest,
      decisionOf(ports, actor, { state: 'declined', decisionMessage: input.reason.trim().slice(0, MAX_REASON_LENGTH) }),
    );
  });
}

/** Takes a change request back. `Forbidden` for everybody but who asked. */
export async function withdrawChangeRequest(ports: Needs, actor: Actor, input: RequestVerdict): Promise<void> {
  const { changeRequest, mine } = await findChangeRequest(ports, actor, input.id);
  await auditLog(ports, actor, { changeRequest, action: 'withdraw change request', requestOrigin: input }, async () => {
    if (!mine)
      throw new AppError(
        'Forbidden',
        `change request: only ${changeRequest.requester.user}, who created it, can withdraw it: decline it instead`,
      );
    await close(ports, changeRequest, decisionOf(ports, actor, { state: 'withdrawn', decisionMessage: '' }));
  });
}

interface ChangeRequestDeed {
  readonly changeRequest: ChangeRequest;
  readonly action: string;
  readonly requestOrigin: RequestOrigin;
}

async function auditLog<T>(
  ports: Needs,
  actor: Actor,
  { changeRequest, action, requestOrigin }: ChangeRequestDeed,
  act: () => Promise<T>,
): Promise<T> {
  const event = instanceEvent(action, changeRequest, requestOrigin);
  return await audited(ports, actor, { ...event, target: `${changeRequest.id} ${event.target}` }, act);
}

async function close({ changeRequests }: Needs, changeRequest: ChangeRequest, decision: RequestDecision): Promise<void> {
  rejectClosed(changeRequest);
  if (!(await changeRequests.table.decide(changeRequest.id, decision)))
    rejectClosed((await changeRequests.table.get(changeRequest.id)) ?? { ...changeRequest, state: 'expired' });
}

function rejectClosed({ state }: ChangeRequest): void {
  if (state === 'open') return;
  throw new AppError('ChangeRequestClosed', `change request: it is already ${state}: create a new request if you still need the change`);
}

function decisionOf(
  { changeRequests }: Needs,
  actor: Actor,
  { state, decisionMessage }: Pick<RequestDecision, 'state' | 'decisionMessage'>,
): RequestDecision {
  return { state, decisionMessage, decidedBy: actor.user, decidedAt: new Date(changeRequests.now()).toISOString() };
}

async function rejection(ports: Needs, actor: Actor, changeRequest: ChangeRequest): Promise<AppError> {
  const { group, plural: resource } = findApp(ports, actor, changeRequest.app).summary;
  const { namespace } = await findEnvironment(ports.clusters, actor, changeRequest.environment);
  const missing = await missingPermission(ports, actor, { verb: verbOf(changeRequest), group, resource, namespace });
  const message = 'change request: only an approver can decline it: withdraw it if it is yours';
  return new AppError('Forbidden', message, missing === undefined ? {} : { missing });
}
