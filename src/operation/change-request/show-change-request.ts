import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { candidateOf } from './request-candidate.ts';
import { findChangeRequest, type RequestAccess } from './request-access.ts';
import type { Ports } from '../ports.ts';

/** A change request as somebody sees it who may. */
export interface ChangeRequestView extends RequestAccess {
  readonly changeRequest: ChangeRequestSummary;
  /** What approving it now would do, found out with the viewer's own permissions; absent once it is decided, or when it cannot be found out. */
  readonly preflight?: Preflight;
  /** Stands for exactly that; an approval has to name it. */
  readonly digest?: string;
  /** Whether the Instance was changed since the change request was made. */
  readonly instanceChanged: boolean;
  /** Why there is no preflight of an open change request. */
  readonly preflightError?: string;
}

/** What is reported about a change request. */
export type ChangeRequestSummary = Omit<ChangeRequest, 'cluster' | 'base'>;

/** One change request, looked at with the actor's own permissions. `NotFound` when they may not see it. */
export async function showChangeRequest(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'changeRequests' | 'publicUrl' | 'auditLog' | 'health'>,
  actor: Actor,
  id: string,
): Promise<ChangeRequestView> {
  const { changeRequest, ...access } = await findChangeRequest(ports, actor, id);
  const view = { changeRequest: changeRequestSummary(changeRequest), ...access };
  if (changeRequest.state !== 'open') return { ...view, instanceChanged: false };
  try {
    const { digest, instanceChanged, preflight } = await candidateOf(ports, actor, changeRequest);
    return { ...view, digest, instanceChanged, preflight: await preflight() };
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Forbidden')) throw error;
    return { ...view, instanceChanged: false, preflightError: error.message };
  }
}

/** A change request without what only we need. */
export function changeRequestSummary({ cluster: _cluster, base: _base, ...summary }: ChangeRequest): ChangeRequestSummary {
  return summary;
}
