import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { booleanAt, numberAt, objectAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster, ResourceAttributes } from '../../domain/kubernetes/cluster.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { replicasKeys } from '../../domain/catalog/suggested-fields.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { JOB } from '../../domain/kubernetes/resource-types.ts';
import type { Json, KubeObject } from '../../domain/kubernetes/resource.ts';
import { manualJobName, nextRunAt, runRequestOf } from '../../domain/resource/cron-job-run.ts';
import { hasAction, permissionFor, type ResourceAction, resourceKey, restartPatch } from '../../domain/resource/resource-actions.ts';
import { catalogEntries } from '../app/find-app.ts';
import { audited } from '../audit/audited.ts';
import { layersOf, rejectLocked } from '../instance/instance-layers.ts';
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

type ActionPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'auditLog'>;

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
async function actOnResource<T>(
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
  const { environment, resource, name, dedicatedTo, via, requestId } = input;
  const place = dedicatedTo === undefined ? environment : `${environment}/${dedicatedTo}`;
  const event = { action: EVENTS[action], environment, target: `${place}/${resource}/${name}`, via, requestId };
  return await audited(ports, actor, event, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const found = await findResource(ports, actor, input);
      await checkAction(ports, actor, { action, found });
      checkVersion(found, input);
      const { uid, resourceVersion } = found.object.metadata;
      const only = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      const secrets = [...secretsOf(found.marked, found.object), ...found.secrets];
      try {
        return await withoutSecretsInErrors(secrets, async () => await write(found, only));
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
async function checkAction(
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

export interface ScaleInput extends ResourceActionInput {
  readonly replicas: number;
}

/** The scale subresource: how many replicas there should be. */
export interface ScaleView {
  readonly replicas: number;
  /** Of the resource, as the `ETag` header. */
  readonly etag: string;
}

/**
 * Reads the scale subresource as the actor.
 *
 * @throws AppError as `findResource`; `InvalidInput` for a kind that does not serve it.
 */
export async function showScale(ports: ActionPorts, actor: Actor, address: ResourceAddress): Promise<ScaleView> {
  const { kind, ref, object } = await findResource(ports, actor, address);
  if (!hasAction(kind, 'scale')) throw new AppError('InvalidInput', `scale: ${resourceKey(kind)} cannot do that`);
  const replicas = await readReplicas(ports.clusters.asActor(actor), { ref, object });
  return { replicas: replicas ?? 0, etag: etagOf(object) };
}

/**
 * The replicas that the subresource scale asks for. The api-server has none of a custom resource whose spec leaves them to a default, so that those count that it has.
 *
 * @throws AppError as the api-server answers.
 */
export async function readReplicas(
  cluster: Pick<Cluster, 'get'>,
  { ref, object }: Pick<FoundResource, 'ref' | 'object'>,
): Promise<number | undefined> {
  try {
    return numberAt((await cluster.get(ref, { subresource: 'scale' })).spec, 'replicas');
  } catch (error) {
    if (error instanceof AppError && /spec replicas field .* does not exist/.test(error.message))
      return numberAt(object.status, 'replicas');
    throw error;
  }
}

export const MAX_REPLICAS = 10_000;

/**
 * Sets the number of replicas by the scale subresource, of whatever kind serves it.
 *
 * @throws AppError as `actOnResource`; `InvalidInput` for what is no number of replicas, and for an app of which their number is locked.
 */
export async function scaleResource(ports: ActionPorts, actor: Actor, input: ScaleInput): Promise<ActionResult> {
  const { replicas } = input;
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > MAX_REPLICAS) {
    const message = `Enter a whole number from 0 to ${MAX_REPLICAS}`;
    throw new AppError('InvalidInput', `scale: ${message}`, { faults: [{ field: 'replicas', message }] });
  }
  return await actOnResource(ports, actor, {
    action: 'scale',
    input,
    write: async (found, only) => {
      rejectLockedScale(ports, found, replicas);
      const { ref, kind } = found;
      const patch = { type: 'merge', body: { metadata: only, spec: { replicas } } } as const;
      const options = { subresource: 'scale', fieldManager: OURS.userFieldManager } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, options);
      const count = replicas === 1 ? '1 replica' : `${replicas} replicas`;
      return {
        resource: resourceKey(kind),
        name: ref.name,
        message: `${kind.kind} ${JSON.stringify(ref.name)} scales to ${count}.`,
        warnings,
      };
    },
  });
}

/** Of an instance of an app, the scale is a field of its spec like any other. */
function rejectLockedScale({ catalog }: Pick<Ports, 'catalog'>, { environment, kind, object }: FoundResource, replicas: number): void {
  const entry = catalogEntries({ catalog }).find(({ summary }) => summary.id === resourceKey(kind));
  const names = entry === undefined ? undefined : replicasKeys(entry.crd, kind.version);
  if (entry === undefined || names === undefined) return;
  const layers = layersOf(entry, environment);
  const locks = layers.locks.filter((lock) => lock.names.every((name, index) => name === names[index]));
  const wanted = names.reduceRight<Json>((value, name) => ({ [name]: value }), replicas);
  rejectLocked({ ...layers, locks: locks.map((lock) => ({ ...lock, names })) }, { wanted, live: object });
}

export interface EvictInput extends ResourceActionInput {
  /** `All`: only find out whether disruption budgets allow it. */
  readonly dryRun?: 'All';
}

/**
 * Deletes a pod by the eviction API, so that PodDisruptionBudgets hold.
 *
 * @throws AppError as `actOnResource`; `DisruptionBudget` when a budget does not allow it now.
 */
export async function evictPod(ports: ActionPorts, actor: Actor, { dryRun, ...input }: EvictInput): Promise<ActionResult> {
  const cluster = ports.clusters.asActor(actor);
  if (dryRun !== undefined) {
    const found = await findResource(ports, actor, input);
    await checkAction(ports, actor, { action: 'evict', found });
    await cluster.evict(found.ref, { dryRun });
    return { resource: resourceKey(found.kind), name: found.ref.name, message: 'The eviction is possible now.', warnings: [] };
  }
  return await actOnResource(ports, actor, {
    action: 'evict',
    input,
    write: async ({ ref, kind }, { uid }) => {
      await cluster.evict(ref, uid === undefined ? {} : { uid });
      return { resource: resourceKey(kind), name: ref.name, message: `The pod ${JSON.stringify(ref.name)} is evicted.`, warnings: [] };
    },
  });
}

export interface RestartInput extends ResourceActionInput {
  /** RFC 3339: when the restart was asked for. */
  readonly at: string;
}

/**
 * Restarts a Deployment, StatefulSet or DaemonSet as `kubectl rollout restart` does, by an annotation of its pod template.
 *
 * @throws AppError as `actOnResource`; `Conflict` for a Deployment whose rollout is paused.
 */
export async function restartWorkload(ports: ActionPorts, actor: Actor, input: RestartInput): Promise<ActionResult> {
  return await actOnResource(ports, actor, {
    action: 'restart',
    input,
    write: async ({ ref, kind, object }, only) => {
      const what = `${kind.kind} ${JSON.stringify(ref.name)}`;
      if (booleanAt(object.spec, 'paused') === true)
        throw new AppError('Conflict', `restart ${what}: its rollout is paused; resume it first`);
      const patch = { type: 'merge', body: { ...objectAt(restartPatch(input.at)), metadata: only } } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
      return { resource: resourceKey(kind), name: ref.name, message: `${what} restarts its pods.`, warnings };
    },
  });
}

export interface RunInput extends ResourceActionInput {
  /** RFC 3339: when the run was requested. */
  readonly at: string;
}

/**
 * Requests a run of a CronJob now, by an annotation that the controller handles. The result names the Job that the controller is about to create.
 *
 * @throws AppError as `actOnResource`; `Conflict` while another requested run is not handled yet.
 */
export async function runCronJob(ports: ActionPorts, actor: Actor, input: RunInput): Promise<ActionResult> {
  return await actOnResource(ports, actor, {
    action: 'run',
    input,
    write: async ({ ref, object }, only) => {
      const now = Date.parse(input.at);
      rejectPendingRun(object, now);
      const runAt = nextRunAt(object.metadata, now);
      const annotations = { [OURS.runAt]: runAt, [OURS.runRequestedBy]: actor.user };
      const patch = { type: 'merge', body: { metadata: { ...only, annotations } } } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
      const name = manualJobName(object.metadata, Date.parse(runAt));
      const message = `The run is requested. The controller creates the Job ${JSON.stringify(name)}.`;
      return { resource: resourceKey(JOB), name, message, warnings };
    },
  });
}

/** One run at a time: a second request would take the place of the first. */
function rejectPendingRun({ kind, metadata }: KubeObject, now: number): void {
  const request = runRequestOf(metadata, now);
  if (request.kind !== 'Due' && request.kind !== 'Scheduled') return;
  const remedy = `wait for its Job, or remove the annotation ${OURS.runAt}`;
  throw new AppError('Conflict', `run ${kind} ${JSON.stringify(metadata.name)}: a run at ${request.runAt} is requested already: ${remedy}`);
}

export interface SuspendInput extends ResourceActionInput {
  readonly suspend: boolean;
}

/** Suspends or resumes a CronJob. @throws AppError as `actOnResource`. */
export async function suspendCronJob(ports: ActionPorts, actor: Actor, input: SuspendInput): Promise<ActionResult> {
  const { suspend } = input;
  return await actOnResource(ports, actor, {
    action: suspend ? 'suspend' : 'resume',
    input,
    write: async ({ ref, kind }, only) => {
      const patch = { type: 'merge', body: { metadata: only, spec: { suspend } } } as const;
      const { warnings } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
      const message = `The CronJob ${JSON.stringify(ref.name)} is ${suspend ? 'suspended' : 'resumed'}.`;
      return { resource: resourceKey(kind), name: ref.name, message, warnings };
    },
  });
}
