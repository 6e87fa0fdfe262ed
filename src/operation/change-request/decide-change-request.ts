import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type ChangeRequest, changeRequestOf, phaseAt } from '../../domain/change-request/change-request.ts';
import { CHANGE_REQUEST_KIND, MAX_REASON_LENGTH, type RequestDecision } from '../../domain/change-request/change-request-kind.ts';
import { AppError, isAppError, isErrorCode } from '../../domain/core/errors.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CHANGE_REQUEST } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import { showInstance } from '../instance/show-instance.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import { candidateOf, type Candidate } from './request-candidate.ts';
import { approvalIn, findChangeRequest, ownGroups, requestWritten, type FoundRequest, verbOf } from './request-access.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';

export interface RequestVerdict extends RequestOrigin {
  readonly id: string;
}

type Needs = EnvironmentPorts & Pick<Ports, 'changeRequests' | 'publicUrl' | 'auditLog'>;

/** The controller applies what is approved within a second or so; beyond that, the page of the request tells. */
const APPLIED_WITHIN_MS = 20_000;
const ONLY_APPROVERS = 'change request: only an approver can decide it: withdraw it if it is yours';
const NOT_ONES_OWN = 'change request: nobody approves their own request: make the change directly, or ask somebody else';

/**
 * Approves a change request as the actor, and waits until the controller has written what it asks for with the permissions of the actor.
 *
 * @param digest that of `showChangeRequest`: what the actor has seen is what is written, or nothing.
 * @returns the written Instance; `pending` when the controller has not written it yet.
 * @throws AppError `Conflict` when it would do something else by now; `ChangeRequestClosed`; `Forbidden`; else as the write itself.
 */
export async function approveChangeRequest(
  ports: Needs,
  actor: Actor,
  input: RequestVerdict & { readonly digest: string },
): Promise<InstanceView | 'pending'> {
  const found = await findChangeRequest(ports, actor, input.id);
  const { changeRequest } = found;
  return await auditLog(ports, actor, { changeRequest, action: 'approve change request', requestOrigin: input }, async () => {
    const candidate = await candidateAsSeen(ports, actor, { changeRequest, digest: input.digest });
    await rejectUndecidable(ports, actor, found);
    await rejectBlocked(candidate);
    const decided = await decide(ports, actor, found, { verdict: 'Approved', message: '', digest: input.digest, delivery: 'Apply' });
    const applied = await untilApplied(ports, actor, { ref: found.ref, decided });
    if (applied === undefined) return 'pending';
    throwFailure(applied);
    return await showInstance(ports, actor, changeRequest);
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

/** Who proposes a change in git needs no permission to write it, but to approve the request. Throws `Forbidden`. */
export async function rejectNoApprover(ports: Needs, actor: Actor, { changeRequest, mine }: FoundRequest): Promise<void> {
  const { namespace } = await findEnvironment(ports.clusters, actor, changeRequest.environment);
  const missing = await missingPermission(ports, actor, approvalIn(namespace));
  if (missing !== undefined) throw new AppError('Forbidden', ONLY_APPROVERS, { missing });
  if (mine) throw new AppError('Forbidden', NOT_ONES_OWN);
}

/** Records that the change was proposed in git: the controller writes nothing. */
export async function closeProposed(
  ports: Needs,
  actor: Actor,
  { found, message }: { readonly found: FoundRequest; readonly message: string },
): Promise<void> {
  await decide(ports, actor, found, { verdict: 'Approved', message, delivery: 'Proposal' });
}

/** Declines a change request, with a reason. `Forbidden` for who could not approve it either. */
export async function declineChangeRequest(ports: Needs, actor: Actor, input: RequestVerdict & { readonly reason: string }): Promise<void> {
  const found = await findChangeRequest(ports, actor, input.id);
  const { changeRequest } = found;
  await auditLog(ports, actor, { changeRequest, action: 'decline change request', requestOrigin: input }, async () => {
    await rejectUndecidable(ports, actor, found);
    rejectClosed(changeRequest);
    const message = input.reason.trim().slice(0, MAX_REASON_LENGTH);
    await decide(ports, actor, found, { verdict: 'Declined', message, delivery: 'Apply' });
  });
}

/** Takes a change request back. `Forbidden` for everybody but who asked. */
export async function withdrawChangeRequest(ports: Needs, actor: Actor, input: RequestVerdict): Promise<void> {
  const found = await findChangeRequest(ports, actor, input.id);
  const { changeRequest, mine } = found;
  await auditLog(ports, actor, { changeRequest, action: 'withdraw change request', requestOrigin: input }, async () => {
    if (!mine)
      throw new AppError(
        'Forbidden',
        `change request: only ${changeRequest.requester.user}, who created it, can withdraw it: decline it instead`,
      );
    rejectClosed(changeRequest);
    await decide(ports, actor, found, { verdict: 'Withdrawn', message: '', delivery: 'Apply' });
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

function rejectClosed({ state }: ChangeRequest): void {
  if (state === 'open') return;
  throw new AppError('ChangeRequestClosed', `change request: it is already ${state}: create a new request if you still need the change`);
}

/** Nobody decides what they could not do themselves, nor their own request. The admission policy of the cluster says the same to kubectl. */
async function rejectUndecidable(ports: Needs, actor: Actor, { changeRequest, mine, mayDecide }: FoundRequest): Promise<void> {
  if (mayDecide) return;
  const { group, plural: resource } = findApp(ports, actor, changeRequest.app).summary;
  const { namespace } = await findEnvironment(ports.clusters, actor, changeRequest.environment);
  const missing =
    (await missingPermission(ports, actor, { verb: verbOf(changeRequest), group, resource, namespace })) ??
    (await missingPermission(ports, actor, approvalIn(namespace)));
  if (missing !== undefined) throw new AppError('Forbidden', ONLY_APPROVERS, { missing });
  throw new AppError('Forbidden', mine ? NOT_ONES_OWN : ONLY_APPROVERS);
}

/** What the api-server rejects is better known before the request is closed. */
async function rejectBlocked(candidate: Candidate): Promise<void> {
  const { verdict, faults, missing, findings } = await candidate.preflight();
  if (verdict !== 'Blocked') return;
  const [permission] = missing;
  const why = findings.blocked.map(({ message }) => message).join('; ');
  const message = `change request: the preflight is blocked: ${why}: resolve this, then approve`;
  if (permission !== undefined) throw new AppError('Forbidden', message, { missing: permission, faults });
  throw new AppError('AdmissionDenied', message, { faults });
}

/** Sets the decision, once: whoever is second learns that the request is closed. */
async function decide(
  ports: Needs,
  actor: Actor,
  { ref, object, changeRequest }: FoundRequest,
  wanted: Omit<RequestDecision, 'by' | 'groups'>,
): Promise<KubeObject> {
  const cluster = ports.clusters.asActor(actor);
  const { resourceVersion } = object.metadata;
  const decision: RequestDecision = { ...wanted, by: actor.user, groups: ownGroups(actor) };
  const body = { metadata: { resourceVersion }, spec: { decision } };
  try {
    const { object: decided } = await cluster.patch(ref, { type: 'merge', body }, { fieldManager: OURS.userFieldManager });
    requestWritten(ports);
    return decided;
  } catch (error) {
    if (!isAppError(error, 'Conflict')) throw error;
    const { environment } = changeRequest;
    rejectClosed(changeRequestOf(await cluster.get(ref), { environment, now: ports.changeRequests.now() }));
    throw error;
  }
}

interface Decided {
  readonly ref: ResourceRef;
  readonly decided: KubeObject;
}

/** The request once the controller has dealt with it; undefined when that takes longer. */
async function untilApplied({ clusters, changeRequests }: Needs, actor: Actor, { ref, decided }: Decided): Promise<KubeObject | undefined> {
  const { namespace = '', name } = ref;
  const { resourceVersion = '' } = decided.metadata;
  const signal = AbortSignal.timeout(APPLIED_WITHIN_MS);
  const isDone = (object: KubeObject): boolean => phaseAt(object, changeRequests.now()) !== 'Approved';
  const place = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
  for await (const { type, object } of clusters.asActor(actor).watch(CHANGE_REQUEST, place)) {
    if (type === 'MODIFIED' && isDone(object)) return object;
  }
  return undefined;
}

/** Throws what kept an approved request from being applied. */
function throwFailure(object: KubeObject): void {
  const { phase, message = '', conditions } = statusOf(CHANGE_REQUEST_KIND, object);
  if (phase === 'Applied') return;
  const code = findCondition(conditions, 'Applied')?.reason ?? '';
  throw new AppError(isErrorCode(code) ? code : 'Conflict', `change request: ${message}`);
}
