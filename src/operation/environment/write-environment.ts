import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import { textAt } from '../../domain/core/read.ts';
import type { EnvironmentDetails } from '../../domain/environment/environment.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { DeletionIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { withCreator } from '../../domain/kubernetes/creator.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { ENVIRONMENT, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { deleteAs } from '../delete-as.ts';
import { audited } from '../audit/audited.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { type EnvironmentChange, environmentToCreate, environmentWords, writeEnvironmentChange } from './environment-change.ts';
import { environmentDetails, findEnvironmentObject } from './find-environment.ts';

type WritePorts = Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>;

/** The audit event of an action on an Environment. */
export function environmentEvent(action: string, name: string, { via, requestId }: RequestOrigin): AuditEvent {
  return { action, environment: name, target: name, via, requestId };
}

/** Creates an Environment as the actor; the controller reserves its namespace then. `AlreadyExists` when the name is taken. */
export async function createEnvironment(
  ports: WritePorts,
  actor: Actor,
  { environment, ...origin }: RequestOrigin & { readonly environment: KubeObject },
): Promise<EnvironmentDetails> {
  const name = textAt(environment, 'metadata', 'name') ?? '';
  return await audited(ports, actor, environmentEvent('create environment', name, origin), async () => {
    const wanted = withCreator(environmentToCreate(ports, environment), actor);
    const { object } = await ports.clusters.asActor(actor).create(ENVIRONMENT, wanted, USER_WRITE);
    return environmentDetails(ports, object);
  });
}

/** Changes an Environment as the actor. Throws as `prepareEnvironmentChange`. */
export async function updateEnvironment(
  ports: WritePorts,
  actor: Actor,
  change: EnvironmentChange & RequestOrigin,
): Promise<EnvironmentDetails> {
  return await audited(ports, actor, environmentEvent('update environment', change.environment, change), async () => {
    const { object } = await writeEnvironmentChange(ports, actor, { change });
    return environmentDetails(ports, object);
  });
}

/** What to delete, and what must hold of it. */
interface EnvironmentDeletionInput extends RequestOrigin {
  readonly environment: string;
  readonly preconditions?: Preconditions;
  /** Absent: the api-server rejects the deletion of an Environment with instances. */
  readonly intent?: DeletionIntent | undefined;
}

/**
 * Asks for the deletion of exactly the Environment that stands there now; what becomes of its namespace, its `reclaim` says. Resolves once the api-server has
 * accepted.
 */
export async function deleteEnvironment(ports: WritePorts, actor: Actor, deletion: EnvironmentDeletionInput): Promise<void> {
  const { environment: name, intent } = deletion;
  await audited(ports, actor, environmentEvent('delete environment', name, deletion), async () => {
    const object = await findEnvironmentObject(ports.clusters, actor, name);
    await writeChecked({ ...deletion, what: environmentWords(name), object }, async (only) => {
      await deleteAs(ports.clusters.asActor(actor), { type: ENVIRONMENT, object, intent, only });
    });
  });
}

/** What an actor may do with Environments, or with one: each is the permission that is missing, or absent when it is there. */
export interface EnvironmentPermissions {
  readonly create?: MissingPermission;
  readonly update?: MissingPermission;
  readonly delete?: MissingPermission;
}

/** @param name absent: only whether they may create one. */
export async function environmentPermissions(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  name?: string,
): Promise<EnvironmentPermissions> {
  const verbs = name === undefined ? (['create'] as const) : (['create', 'update', 'delete'] as const);
  const found = await Promise.all(
    verbs.map(async (verb) => {
      const permission = { ...permissionTo(verb, ENVIRONMENT), ...(verb === 'create' || name === undefined ? {} : { name }) };
      return (await clusters.asActor(actor).review(permission)).allowed ? [] : [[verb, permission] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
