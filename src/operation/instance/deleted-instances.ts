import pMap from 'p-map';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { type DeletedInstance, deletedInstanceIn, DELETED_SELECTOR, valueSources } from '../../domain/app-instance/deleted-instance.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textAt } from '../../domain/core/read.ts';
import { splitContent } from '../../domain/instance/instance-content.ts';
import type { InstanceView, Preflight } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { withoutStandIns } from './copy-instance.ts';
import type { InstanceDraft } from './instance-draft.ts';
import { createInstance } from './write-instance.ts';

/** A deleted instance as people are shown it. */
export interface DeletedInstanceView extends Omit<DeletedInstance, 'content'> {
  readonly environment: string;
  readonly appName: string;
  /** Who deleted it through pages or REST; absent where the user is not known. */
  readonly deletedBy?: string;
  /** Secrets and ConfigMaps that it took values from, as `Secret orders-password`. They may be gone. */
  readonly valuesFrom: readonly string[];
  /** Whether sensitive values, of which no copy is kept, have to be entered again. */
  readonly sensitiveValues: boolean;
}

export interface DeletedInstances {
  /** The newest first, without those that have been created again. */
  readonly items: readonly DeletedInstanceView[];
  /** Without these permissions they cannot be read. */
  readonly missing: readonly MissingPermission[];
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>;

interface InEnvironment {
  readonly environment: string;
}

/**
 * The instances of an Environment that were deleted in the last seven days. Their records are Secrets, read as the actor.
 *
 * @throws AppError `NotFound` as `findEnvironment`.
 */
export async function listDeletedInstances(ports: Needs, actor: Actor, input: InEnvironment): Promise<DeletedInstances> {
  const { name, namespace } = await findEnvironment(ports.clusters, actor, input.environment);
  try {
    const records = await readRecords(ports, actor, namespace);
    const found = await pMap(records, async (record) => await viewOf(ports, actor, { record, environment: name, namespace }), {
      concurrency: 4,
    });
    const items = found.filter((one) => one !== undefined);
    return { items: await withDeleters(ports, name, items), missing: [] };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { items: [], missing: [error.missing ?? { ...permissionTo('list', SECRET), namespace }] };
  }
}

async function readRecords({ clusters, auditLog }: Needs, actor: Actor, namespace: string): Promise<readonly DeletedInstance[]> {
  const { items } = await clusters.asActor(actor).list(SECRET, { namespace, labelSelector: DELETED_SELECTOR });
  const now = auditLog.now();
  return items
    .map((secret) => deletedInstanceIn({ ...secret, apiVersion: 'v1', kind: SECRET.kind }, now))
    .filter((record) => record !== undefined)
    .sort((a, b) => b.deleted.localeCompare(a.deleted));
}

interface RecordIn {
  readonly record: DeletedInstance;
  readonly environment: string;
  readonly namespace: string;
}

/** Undefined for an App that is gone or may not be known of, and for a name that is in use again. */
async function viewOf(ports: Needs, actor: Actor, { record, environment, namespace }: RecordIn): Promise<DeletedInstanceView | undefined> {
  const { content, ...shown } = record;
  try {
    const { summary } = findApp(ports, actor, record.app);
    const { group, version, plural: resource, displayName: appName } = summary;
    const live = await ifFound(ports.clusters.asActor(actor).get({ group, version, resource, namespace, name: record.name }));
    if (live !== undefined) return undefined;
    const sensitiveValues = hasStandIn(stringifyJson(content));
    return { ...shown, environment, appName, valuesFrom: valueSources(record), sensitiveValues };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const MAX_ACTIONS = 200;

/** The timeline, too, names the user who deleted an instance to those who may read such instances. */
async function withDeleters(
  { auditLog }: Needs,
  environment: string,
  items: readonly DeletedInstanceView[],
): Promise<readonly DeletedInstanceView[]> {
  if (items.length === 0) return items;
  const entries = await auditLog.search({ person: '', environment, text: 'delete instance', limit: MAX_ACTIONS }).catch(() => []);
  return items.map((item) => {
    const target = `${environment}/${item.app}/${item.name}`;
    const about = entries.filter((entry) => entry.action === 'delete instance' && entry.outcome === 'succeeded' && entry.target === target);
    // The entry is written within seconds of the deletion.
    const entry = about.find(({ time }) => Math.abs(Date.parse(time) - Date.parse(item.deleted)) < 60_000);
    return entry === undefined ? item : { ...item, deletedBy: entry.user };
  });
}

export interface DeletedAddress extends InEnvironment {
  /** The uid that the instance had. */
  readonly id: string;
}

/**
 * What a deleted instance would be created again with: its name, values, version and channel, without sensitive values and without an expiry that has passed.
 *
 * @throws AppError `NotFound`, `Forbidden` without the permission to list the Secrets of the Environment.
 */
export async function restoreOf(ports: Needs, actor: Actor, { environment, id }: DeletedAddress): Promise<InstanceDraft> {
  const { name: place, namespace } = await findEnvironment(ports.clusters, actor, environment);
  const record = (await readRecords(ports, actor, namespace)).find((one) => one.id === id);
  if (record === undefined)
    throw new AppError(
      'NotFound',
      `deleted instance ${JSON.stringify(id.slice(0, 60))}: ${place} has no record of it; records are kept for seven days`,
    );
  const content = withoutStandIns(record.content, undefined) as JsonObject;
  return { environment: place, app: record.app, name: record.name, ...splitContent(withoutPastExpiry(content, ports.auditLog.now())) };
}

/** The instance would be deleted again at once. */
function withoutPastExpiry(content: JsonObject, now: number): JsonObject {
  const { expires, ...spec } = splitContent(content).spec;
  const end = Date.parse(textAt({ expires }, 'expires') ?? '');
  return Number.isNaN(end) || end > now ? content : { ...content, spec };
}

type RestoreNeeds = Parameters<typeof createInstance>[0] & Parameters<typeof preflightInstance>[0];

/** What creating a deleted instance again would do, found without writing. Throws as `restoreOf`. */
export async function preflightRestore(ports: RestoreNeeds, actor: Actor, address: DeletedAddress): Promise<Preflight> {
  return await preflightInstance(ports, actor, await restoreOf(ports, actor, address));
}

/** Creates a deleted instance again, as the actor, with the permission and the checks of any installation. Throws as `restoreOf` and `createInstance`. */
export async function restoreInstance(
  ports: RestoreNeeds,
  actor: Actor,
  { environment, id, ...origin }: DeletedAddress & RequestOrigin,
): Promise<InstanceView> {
  return await createInstance(ports, actor, { ...(await restoreOf(ports, actor, { environment, id })), ...origin });
}
