import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { ResourceAttributes } from '../../domain/kubernetes/cluster.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { hasAction, permissionFor, resourceKey, type ResourceAction } from '../../domain/resource/resource-actions.ts';
import { audited } from '../audit/audited.ts';
import { secretsOf, withoutSecretsInErrors } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { findResource, type FoundResource, type ResourceAddress } from './find-resource.ts';

/** What to act on, and what must hold of it. */
export interface ResourceActionInput extends ResourceAddress, RequestOrigin {
  readonly preconditions?: Preconditions;
  /** Of what the person saw (`specVersionOf`): changed since, the action is rejected. A new status does not count. */
  readonly specVersion?: string;
}

/** What an action left. */
export interface ActionResult {
  readonly resource: string;
  readonly name: string;
  /** What happens now, in a sentence. */
  readonly message: string;
  /** Warnings of the api-server. */
  readonly warnings: readonly string[];
}

/** What a write has to name, so that it changes nothing but what was checked. */
export interface CheckedVersion {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type ActionPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'auditLog'>;

/** The words of the audit log. */
const EVENTS: Readonly<Record<ResourceAction, string>> = {
  restart: 'restart workload',
  scale: 'scale workload',
  run: 'run cron job',
  suspend: 'suspend cron job',
  resume: 'resume cron job',
  evict: 'evict pod',
};

/**
 * Does something with a resource as the actor, after the api-server has said that they may, and appends an audit entry.
 *
 * @throws AppError as `findResource`; `InvalidInput` for a kind that has no such action; `Forbidden` with the missing permission; `Conflict` when it has changed
 * since it was looked at, or is being deleted; `PreconditionFailed`.
 */
export async function actOnResource<T>(
  ports: ActionPorts,
  actor: Actor,
  {
    action,
    input,
    write,
  }: {
    readonly action: ResourceAction;
    readonly input: ResourceActionInput;
    readonly write: (found: FoundResource, only: CheckedVersion) => Promise<T>;
  },
): Promise<T> {
  const { environment, resource, name, via, requestId } = input;
  const event = { action: EVENTS[action], environment, target: `${environment}/${resource}/${name}`, via, requestId };
  return await audited(ports, actor, event, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const found = await findResource(ports, actor, input);
      await checkAction(ports, actor, { action, found });
      checkVersion(found, input);
      const { uid, resourceVersion } = found.object.metadata;
      const only = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      try {
        return await withoutSecretsInErrors(secretsOf(found.marked, found.object), async () => await write(found, only));
      } catch (error) {
        // Controllers write the status of what runs all the time, also between the reading and the writing here.
        const isAgain = isAppError(error, 'Conflict') && input.preconditions?.ifMatch === undefined && attempt < ATTEMPTS;
        if (!isAgain) throw error;
      }
    }
  });
}

const ATTEMPTS = 4;

/** @throws AppError when the kind has no such action, when the actor may not do it, or when the resource goes away. */
export async function checkAction(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { action, found: { kind, object } }: { readonly action: ResourceAction; readonly found: FoundResource },
): Promise<void> {
  const what = `${kind.kind} ${JSON.stringify(object.metadata.name)}`;
  if (!hasAction(kind, action)) throw new AppError('InvalidInput', `${action} ${what}: ${resourceKey(kind)} cannot do that`);
  const missing = await missingPermission({ clusters }, actor, permissionFor(action, kind, object));
  if (missing !== undefined) throw new AppError('Forbidden', `${action} ${what}: you lack a permission`, { missing });
  if (object.metadata.deletionTimestamp !== undefined) throw new AppError('Conflict', `${action} ${what}: it is being deleted`);
}

/** Asks the api-server; undefined when the actor may do it. */
export async function missingPermission(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  permission: ResourceAttributes,
): Promise<MissingPermission | undefined> {
  const { allowed } = await clusters.asActor(actor).review(permission);
  if (allowed) return undefined;
  const { subresource, resource, ...rest } = permission;
  return { ...rest, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}

function checkVersion({ object, kind }: FoundResource, { preconditions, specVersion = '' }: ResourceActionInput): void {
  const what = `${kind.kind} ${JSON.stringify(object.metadata.name)}`;
  checkPreconditions(what, etagOf(object), preconditions ?? {});
  if (specVersion === '' || specVersion === specVersionOf(object)) return;
  throw new AppError('Conflict', `${what}: it changed since you opened the page`);
}
