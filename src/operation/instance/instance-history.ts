import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { otherFieldsPatch } from '../../domain/instance/instance-content.ts';
import { findRevision, type InstanceRevision, revisionsIn } from '../../domain/instance/instance-revision.ts';
import { type InstanceView, type Preflight, specVersionOf } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import type { Preconditions } from '../../domain/kubernetes/etag.ts';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ValueChange } from '../../domain/values/value-change.ts';
import { objectAt, textAt } from '../../domain/core/read.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { findInstance, type FoundInstance, type InstanceAddress } from './find-instance.ts';
import type { InstanceChange } from './instance-change.ts';
import { historyRef, keptContent } from './record-revision.ts';
import { changesOfLive } from './value-changes.ts';
import { changeOf, replaceInstance } from './write-instance.ts';

/** An earlier revision, and what a rollback to it would change now. */
export interface RevisionView extends InstanceRevision {
  readonly changes: readonly ValueChange[];
}

export interface InstanceHistory {
  /** The newest first. */
  readonly revisions: readonly RevisionView[];
  /** Without these permissions they cannot be read. */
  readonly missing: readonly MissingPermission[];
}

/** Which revision of an Instance; absent: the newest one that is not live. */
export interface RevisionInput extends InstanceAddress {
  readonly revision?: number;
}

/**
 * The earlier revisions of an Instance, read as the actor. They are in a Secret that the Instance owns, so that the replicas of Chandlery and `kubectl` share them, and without
 * sensitive values.
 *
 * @throws AppError as `findInstance`.
 */
export async function listRevisions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<InstanceHistory> {
  const found = await findInstance(ports, actor, address);
  const live = keptContent(found, found.object);
  try {
    const revisions: RevisionView[] = [];
    for (const revision of await readRevisions(ports.clusters.asActor(actor), found)) {
      revisions.push({ ...revision, changes: await afterYield(() => changesOfLive(found.entry, live, revision.content)) });
    }
    return { revisions, missing: [] };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    const { namespace } = found.ref;
    return { revisions: [], missing: [error.missing ?? { ...permissionTo('get', SECRET), namespace }] };
  }
}

/**
 * The change that brings a revision back. Sensitive values stay as they are now, and so do labels and annotations.
 *
 * @throws AppError `NotFound` where there is no such revision; `Forbidden`.
 */
export async function rollbackOf(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { revision: wanted, ...address }: RevisionInput,
): Promise<InstanceChange & { readonly revision: number }> {
  const found = await findInstance(ports, actor, address);
  const live = keptContent(found, found.object);
  const revision = findRevision(await readRevisions(ports.clusters.asActor(actor), found), live, wanted);
  if (revision === undefined) {
    const which = wanted === undefined ? 'no earlier revision' : `no revision ${wanted}`;
    throw new AppError('NotFound', `${found.entry.summary.displayName} ${JSON.stringify(address.name)}: there is ${which}`);
  }
  const { content, version } = revision;
  const otherFields = otherFieldsPatch(live, content);
  return {
    ...address,
    ...(version === found.entry.summary.version || version === '' ? {} : { version }),
    spec: specToBringBack(found, objectAt(content, 'spec') as JsonObject),
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    specVersion: specVersionOf(found.object),
    revision: revision.revision,
  };
}

/** A release that asks for no version still asks for none when it runs that version anyway. */
function specToBringBack({ object }: FoundInstance, { version, ...spec }: JsonObject): JsonObject {
  const isImplied = textAt(object.spec, 'version') === undefined && version === textAt(object.status, 'version');
  return version === undefined || isImplied ? spec : { ...spec, version };
}

export interface Rollback extends RevisionInput {
  readonly preconditions?: Preconditions;
}

/** What a rollback would do, found without writing. @throws AppError as `rollbackOf`. */
export async function preflightRollback(
  ports: Parameters<typeof preflightChange>[0],
  actor: Actor,
  { preconditions = {}, ...input }: Rollback,
): Promise<Preflight> {
  return await preflightChange(ports, actor, { ...(await rollbackOf(ports, actor, input)), preconditions });
}

/**
 * Changes an Instance to an earlier revision of it, as the actor: with the permission, the checks and the record of any change. An Instance that is a Helm release is
 * rolled back by its controller in the same way: its values are in its spec.
 *
 * @throws AppError as `rollbackOf` and `updateInstance`.
 */
export async function rollbackInstance(
  ports: Parameters<typeof replaceInstance>[0] & Pick<Ports, 'auditLog'>,
  actor: Actor,
  { preconditions = {}, via, requestId, person: _person, ...input }: Rollback & RequestOrigin,
): Promise<InstanceView> {
  const event = { ...instanceEvent('roll back instance', input, { via, requestId }), changeOf };
  const { view } = await audited(ports, actor, event, async () => {
    return await replaceInstance(ports, actor, { ...(await rollbackOf(ports, actor, input)), preconditions });
  });
  return view;
}

async function readRevisions(cluster: Pick<Cluster, 'get'>, found: FoundInstance): Promise<InstanceRevision[]> {
  return revisionsIn(await ifFound(cluster.get(historyRef(found))), found.object);
}
