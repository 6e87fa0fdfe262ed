import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { candidateOf } from './request-candidate.ts';
import { findChangeRequest, type FoundRequest, ownGroups, type RequestAccess } from './request-access.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';

/** A change request as somebody sees it who may. */
export interface ChangeRequestView extends RequestAccess {
  readonly changeRequest: ChangeRequestSummary;
  /** What approving it now would do, found out with the viewer's own permissions; absent once it is decided, or when it cannot be found out. */
  readonly preflight?: Preflight;
  /** Stands for exactly that; an approval has to name it. */
  readonly digest?: string;
  /** The same approval by kubectl; absent for who cannot approve it. */
  readonly command?: string;
  /** See `ChangeRequestPorts`. */
  readonly appliedBy: Ports['changeRequests']['appliedBy'];
  /** Whether the Instance was changed since the change request was made. */
  readonly instanceChanged: boolean;
  /** Why there is no preflight of an open change request. */
  readonly preflightError?: string;
}

/** What is reported about a change request. */
export type ChangeRequestSummary = Omit<ChangeRequest, 'base'>;

/** One change request, looked at with the actor's own permissions. `NotFound` when they may not see it. */
export async function showChangeRequest(
  ports: EnvironmentPorts & Pick<Ports, 'changeRequests' | 'publicUrl' | 'auditLog'>,
  actor: Actor,
  id: string,
): Promise<ChangeRequestView> {
  const found = await findChangeRequest(ports, actor, id);
  const { changeRequest, mine, mayDecide } = found;
  const view = { changeRequest: changeRequestSummary(changeRequest), mine, mayDecide, appliedBy: ports.changeRequests.appliedBy };
  if (changeRequest.state !== 'open') return { ...view, instanceChanged: false };
  try {
    const { digest, instanceChanged, preflight } = await candidateOf(ports, actor, changeRequest);
    const command = mayDecide ? { command: approvalCommand(actor, found, digest) } : {};
    return { ...view, digest, ...command, instanceChanged, preflight: await preflight() };
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Forbidden')) throw error;
    return { ...view, instanceChanged: false, preflightError: error.message };
  }
}

/** kubectl with the decision that a page would set, so that it approves exactly what is shown. */
function approvalCommand(actor: Actor, { ref: { namespace = '', name } }: FoundRequest, digest: string): string {
  const decision = { verdict: 'Approved', by: actor.user, groups: ownGroups(actor), digest };
  const patch = quoted(JSON.stringify({ spec: { decision } }));
  return `kubectl patch changerequest ${quoted(name)} --namespace ${quoted(namespace)} --type merge --patch ${patch}`;
}

/** A change request without what only we need. */
export function changeRequestSummary({ base: _base, ...summary }: ChangeRequest): ChangeRequestSummary {
  return summary;
}
