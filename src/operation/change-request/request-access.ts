import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

/** What somebody is to a change request. */
export interface RequestAccess {
  readonly mine: boolean;
  /** Whether they have the permission that the change request is about. */
  readonly mayDecide: boolean;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'changeRequests'>;

/**
 * A change request, for who may see it: the person who asked, and whoever has the permission it is about or may read such instances there.
 *
 * @throws AppError `NotFound`, in the same words for every change request that the actor may not see and for one that does not exist.
 */
export async function findChangeRequest(
  ports: Needs,
  actor: Actor,
  id: string,
): Promise<RequestAccess & { readonly changeRequest: ChangeRequest }> {
  const changeRequest = /^[0-9a-f]{32}$/.test(id) ? await ports.changeRequests.table.get(id) : undefined;
  const missing = new AppError('NotFound', 'change request: there is no request at this URL that you may see');
  if (changeRequest === undefined || changeRequest.cluster !== (await ports.changeRequests.cluster())) throw missing;
  const mine = changeRequest.requester.user === actor.user;
  const mayDecide = await hasPermission(ports, actor, { ...changeRequest, verb: verbOf(changeRequest) });
  const sees = mine || mayDecide || (await hasPermission(ports, actor, { ...changeRequest, verb: 'get' }));
  if (!sees) throw missing;
  return { changeRequest, mine, mayDecide };
}

/** The verb of what a change request asks for. */
export function verbOf({ action }: Pick<ChangeRequest, 'action'>): 'create' | 'update' {
  return action === 'install' ? 'create' : 'update';
}

/** Whether the actor, who sees the environment and the App, may do something with its instances there. */
export async function hasPermission(
  ports: Needs,
  actor: Actor,
  { environment, app, verb }: { readonly environment: string; readonly app: string; readonly verb: string },
): Promise<boolean> {
  try {
    const { summary } = findApp(ports, actor, app);
    const { namespace } = await findEnvironment(ports.clusters, actor, environment);
    const permission = { verb, group: summary.group, resource: summary.plural, namespace };
    return (await ports.clusters.asActor(actor).review(permission)).allowed;
  } catch (error) {
    if (isAppError(error, 'NotFound')) return false;
    throw error;
  }
}
