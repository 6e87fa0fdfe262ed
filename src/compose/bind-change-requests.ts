import { createChangeRequest } from '../operation/change-request/create-change-request.ts';
import { approveChangeRequest, declineChangeRequest, withdrawChangeRequest } from '../operation/change-request/decide-change-request.ts';
import { createRequestCount, listChangeRequests } from '../operation/change-request/list-change-requests.ts';
import type { Ports } from '../operation/ports.ts';
import { showChangeRequest } from '../operation/change-request/show-change-request.ts';
import type { WebOperations } from '../web/ports.ts';

type ChangeRequestOperation =
  | 'createChangeRequest'
  | 'listChangeRequests'
  | 'countChangeRequests'
  | 'showChangeRequest'
  | 'approveChangeRequest'
  | 'declineChangeRequest'
  | 'withdrawChangeRequest';

/** The operations on change requests, with their ports given. */
export function bindChangeRequests(ports: Ports): Pick<WebOperations, ChangeRequestOperation> {
  return {
    createChangeRequest: (actor, wish) => createChangeRequest(ports, actor, wish),
    listChangeRequests: (actor) => listChangeRequests(ports, actor),
    countChangeRequests: createRequestCount(ports),
    showChangeRequest: (actor, id) => showChangeRequest(ports, actor, id),
    approveChangeRequest: (actor, input) => approveChangeRequest(ports, actor, input),
    declineChangeRequest: (actor, input) => declineChangeRequest(ports, actor, input),
    withdrawChangeRequest: (actor, input) => withdrawChangeRequest(ports, actor, input),
  };
}
