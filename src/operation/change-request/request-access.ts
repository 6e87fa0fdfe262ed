import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type ChangeRequest, changeRequestOf, parseRequestId } from '../../domain/change-request/change-request.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { isDnsLabel } from '../../domain/kubernetes/names.ts';
import { CHANGE_REQUEST } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment, listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

/** What somebody is to a change request. */
export interface RequestAccess {
  readonly mine: boolean;
  /** Whether they may approve or decline it: it is not theirs, they may approve requests there, and they may do what it asks for. */
  readonly mayDecide: boolean;
}

/** A change request as it was read. */
export interface FoundRequest extends RequestAccess {
  readonly changeRequest: ChangeRequest;
  readonly object: KubeObject;
  readonly ref: ResourceRef;
}

/** How many times this process has written a change request. */
const writes = new WeakMap<RequestNeeds['changeRequests'], number>();

/** Counts a write, so that what was counted before it is counted again. */
export function requestWritten({ changeRequests }: Pick<RequestNeeds, 'changeRequests'>): void {
  writes.set(changeRequests, requestWrites({ changeRequests }) + 1);
}

export function requestWrites({ changeRequests }: Pick<RequestNeeds, 'changeRequests'>): number {
  return writes.get(changeRequests) ?? 0;
}

export type RequestNeeds = Pick<Ports, 'clusters' | 'catalog' | 'changeRequests'>;

/**
 * A change request, read as the actor.
 *
 * @throws AppError `NotFound`, in the same words for every change request that the actor may not see and for one that does not exist.
 */
export async function findChangeRequest(ports: RequestNeeds, actor: Actor, id: string): Promise<FoundRequest> {
  const { environment, name } = parseRequestId(id);
  const missing = new AppError('NotFound', 'change request: there is no request at this URL that you may see');
  if (!isDnsLabel(name)) throw missing;
  try {
    const { namespace } = await findEnvironment(ports.clusters, actor, environment);
    const ref = { ...CHANGE_REQUEST, namespace, name };
    const object = await ports.clusters.asActor(actor).get(ref);
    const changeRequest = changeRequestOf(object, { environment, now: ports.changeRequests.now() });
    const mine = changeRequest.requester.user === actor.user;
    return { changeRequest, object, ref, mine, mayDecide: !mine && (await mayDecide(ports, actor, changeRequest)) };
  } catch (error) {
    throw isAppError(error, 'NotFound', 'Forbidden') ? missing : error;
  }
}

/** The change requests of one environment, read as the actor, the newest first. None where the actor may not list them. */
export async function requestsIn(
  { clusters, changeRequests }: Pick<RequestNeeds, 'clusters' | 'changeRequests'>,
  actor: Actor,
  { name: environment, namespace }: { readonly name: string; readonly namespace: string },
): Promise<readonly ChangeRequest[]> {
  try {
    const { items } = await clusters.asActor(actor).list(CHANGE_REQUEST, { namespace });
    const now = changeRequests.now();
    return items.map((object) => changeRequestOf(object, { environment, now })).sort(newestFirst);
  } catch (error) {
    if (isAppError(error, 'Forbidden', 'NotFound')) return [];
    throw error;
  }
}

/** The change requests of all environments that the actor sees, the newest first. */
export async function visibleRequests(ports: RequestNeeds, actor: Actor): Promise<readonly ChangeRequest[]> {
  const environments = await listEnvironments(ports, actor);
  const found = await pMap(environments, async (environment) => await requestsIn(ports, actor, environment), { concurrency: 8 });
  return found.flat().sort(newestFirst);
}

function newestFirst(a: ChangeRequest, b: ChangeRequest): number {
  return b.created.localeCompare(a.created) || a.id.localeCompare(b.id);
}

/** The verb of what a change request asks for. */
export function verbOf({ action }: Pick<ChangeRequest, 'action'>): 'create' | 'update' {
  return action === 'install' ? 'create' : 'update';
}

/** Whether the actor has both permissions that a decision on a request of somebody else needs. */
export async function mayDecide(
  ports: RequestNeeds,
  actor: Actor,
  { environment, app, action }: Pick<ChangeRequest, 'environment' | 'app' | 'action'>,
): Promise<boolean> {
  const [approves, writes] = await Promise.all([
    mayApproveIn(ports, actor, environment),
    hasPermission(ports, actor, { environment, app, verb: verbOf({ action }) }),
  ]);
  return approves && writes;
}

/** Whether the actor, who sees the environment, may approve or decline requests there. */
export async function mayApproveIn({ clusters }: RequestNeeds, actor: Actor, environment: string): Promise<boolean> {
  try {
    const { namespace } = await findEnvironment(clusters, actor, environment);
    return (await clusters.asActor(actor).review(approvalIn(namespace))).allowed;
  } catch (error) {
    if (isAppError(error, 'NotFound')) return false;
    throw error;
  }
}

/** The groups by which a request knows somebody: those of the cluster itself, which a kubeconfig also has, cannot be impersonated. */
export function ownGroups({ groups }: Actor): readonly string[] {
  return groups.filter((group) => !group.startsWith('system:'));
}

/** The permission to approve or decline the change requests of a namespace. */
export function approvalIn(namespace: string): {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
} {
  return { verb: 'approve', group: CHANGE_REQUEST.group, resource: CHANGE_REQUEST.resource, namespace };
}

/** Whether the actor, who sees the environment and the App, may do something with its instances there. */
export async function hasPermission(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
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
