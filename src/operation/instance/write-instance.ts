import type { Actor } from '../../domain/kubernetes/actor.ts';
import { changeBetween, deletionChange, generationChange, requestChange } from '../../domain/audit/change-id.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { withCreator } from '../../domain/kubernetes/creator.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { recordedDeployment } from '../environment/job-deployments.ts';
import { findInstance, type FoundInstance, type InstanceAddress, instanceView, judgeInstance } from './find-instance.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import { type InstanceChange, writeChange } from './instance-change.ts';
import { type InstanceDraft, missingPermission, prepareDraft, rejectDraft, USER_WRITE } from './instance-draft.ts';
import { markedOf, secretsOf, withoutSecretsInErrors } from './instance-masking.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import { rejectChartValues } from './chart-values.ts';
import { createSecrets, ownSecrets, undone } from './new-secrets.ts';
import type { Ports } from '../ports.ts';
import { recordRevision } from './record-revision.ts';
import { FORGET_RELEASE, REINSTALL_AT, TEST_AT } from '../../domain/app-instance/instance.ts';
import { AppError } from '../../domain/core/errors.ts';

/** Creates an Instance as the actor; see `makeInstance`. */
export async function createInstance(
  ports: EnvironmentPorts & Pick<Ports, 'chartValues' | 'auditLog' | 'deployments'>,
  actor: Actor,
  draft: InstanceDraft & RequestOrigin,
): Promise<InstanceView> {
  const event = { ...instanceEvent('create instance', draft, draft), changeOf };
  return await recordedDeployment(ports, actor, deploymentOf(draft), async () => {
    return (await audited(ports, actor, event, async () => await makeInstance(ports, actor, draft))).view;
  });
}

/** An Instance as it is after a write, and the change that this was: see `AuditRecord`. */
export interface WrittenInstance {
  readonly view: InstanceView;
  /** Undefined where the spec is as before. */
  readonly change: string | undefined;
}

export function changeOf({ change }: WrittenInstance): string | undefined {
  return change;
}

/**
 * Writes a new Instance, and the Secrets that are made for it before. `AlreadyExists` when a name is taken, `TooManyRequests` beyond thirty a minute; a rejected Instance leaves no Secret
 * behind, or the error names it.
 */
export async function makeInstance(
  ports: EnvironmentPorts & Pick<Ports, 'chartValues' | 'auditLog'>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<WrittenInstance> {
  ports.auditLog.checkRateLimit(actor, 'install');
  const prepared = await prepareDraft(ports, actor, draft);
  rejectDraft(prepared);
  const { entry, environment, type, object } = prepared;
  await rejectChartValues(ports, entry, object);
  const cluster = ports.clusters.asActor(actor);
  const place = { namespace: environment.namespace, instance: object.metadata.name };
  const made = await createSecrets(cluster, draft.secrets ?? [], place);
  try {
    const secrets = await afterYield(() => secretsOf(markedOf(entry), object));
    const written = await withoutSecretsInErrors(secrets, async () => await cluster.create(type, withCreator(object, actor), USER_WRITE));
    // The Instance is there and works; a Secret that got no owner is known by its label.
    await ownSecrets(cluster, made, written.object).catch(() => undefined);
    const judged = await judgeInstance(ports, actor, { environment, object: written.object });
    const view = await afterYield(() => instanceView(entry, environment, judged));
    return { view, change: generationChange(written.object) };
  } catch (error) {
    throw await undone(cluster, made, error);
  }
}

/** Changes an Instance as the actor. */
export async function updateInstance(
  ports: EnvironmentPorts & Pick<Ports, 'chartValues' | 'auditLog' | 'changeRequests' | 'deployments'>,
  actor: Actor,
  change: InstanceChange & RequestOrigin,
): Promise<InstanceView> {
  const event = { ...instanceEvent('update instance', change, change), changeOf };
  return await recordedDeployment(ports, actor, deploymentOf(change), async () => {
    return (await audited(ports, actor, event, async () => await replaceInstance(ports, actor, change))).view;
  });
}

/** An Instance as a target of deployments. */
function deploymentOf(origin: InstanceAddress & RequestOrigin): Parameters<typeof recordedDeployment>[2] {
  const { environment, app, name } = origin;
  return { origin, environment, target: `${app}/${name}` };
}

/** Writes a change of an Instance, and keeps what it was before. */
export async function replaceInstance(
  ports: EnvironmentPorts & Pick<Ports, 'chartValues' | 'changeRequests'>,
  actor: Actor,
  change: InstanceChange,
): Promise<WrittenInstance> {
  const { entry, environment, ref, before, object } = await writeChange(ports, actor, { change });
  await recordRevision(ports, actor, { entry, ref, before, after: object });
  const view = instanceView(entry, environment, await judgeInstance(ports, actor, { environment, object }));
  return { view, change: changeBetween(before, object) };
}

/** What to delete, and what must hold of it. */
export interface InstanceDeletion extends InstanceAddress {
  readonly preconditions?: Preconditions;
}

/** Deletes exactly the Instance that stands there now; what it owns goes with it in the background. Resolves once the api-server has accepted. */
export async function deleteInstance(
  ports: EnvironmentPorts & Pick<Ports, 'auditLog'>,
  actor: Actor,
  deletion: InstanceDeletion & RequestOrigin,
): Promise<void> {
  const changeIn = (deleted: KubeObject): string | undefined =>
    deleted.metadata.deletionTimestamp === undefined ? deletionChange(deleted) : undefined;
  const event = { ...instanceEvent('delete instance', deletion, deletion), changeOf: changeIn };
  await audited(ports, actor, event, async () => await remove(ports, actor, deletion));
}

/** @returns the Instance as it was before. */
async function remove(ports: EnvironmentPorts, actor: Actor, deletion: InstanceDeletion): Promise<KubeObject> {
  const { entry, ref, object } = await findInstance(ports, actor, deletion);
  const { uid } = object.metadata;
  const what = `${entry.summary.displayName} ${JSON.stringify(deletion.name)}`;
  await writeChecked({ ...deletion, what, object }, async (only) => {
    await ports.clusters.asActor(actor).delete(ref, { propagation: 'Background', ...(uid === undefined ? {} : { uid }), ...only });
  });
  return object;
}

export interface TestInput extends InstanceAddress {
  /** RFC 3339, with fractions of a second: any new value asks anew. */
  readonly at: string;
  readonly preconditions?: Preconditions;
}

/**
 * Asks for the tests of the chart of an instance, as the actor. The controller runs them once the release is healthy, and writes their outcome into the status.
 *
 * @throws AppError as `findInstance`, `Forbidden` without the permission to patch it, `InvalidInput` for an instance that is no release.
 */
export async function requestInstanceTest(
  ports: EnvironmentPorts & Pick<Ports, 'auditLog'>,
  actor: Actor,
  input: TestInput & RequestOrigin,
): Promise<InstanceView> {
  const wanted = { annotation: TEST_AT, value: input.at, without: 'tests' };
  const changeIn = ({ object: { metadata } }: InstanceView): string => requestChange(metadata.uid, 'test-at', input.at);
  const event = { ...instanceEvent('test instance', input, input), changeOf: changeIn };
  return await audited(ports, actor, event, async () => await annotate(ports, actor, input, wanted));
}

/**
 * Asks for the release of an instance to be installed anew where its records have changed, as the actor. The controller deletes the records and installs the chart over the
 * objects. Throws as `requestInstanceTest`.
 */
export async function requestReinstallation(
  ports: EnvironmentPorts & Pick<Ports, 'auditLog'>,
  actor: Actor,
  input: TestInput & RequestOrigin,
): Promise<InstanceView> {
  const wanted = { annotation: REINSTALL_AT, value: input.at, without: 'release records' };
  const changeIn = ({ object: { metadata } }: InstanceView): string => requestChange(metadata.uid, 'reinstall-at', input.at);
  const event = { ...instanceEvent('reinstall instance', input, input), changeOf: changeIn };
  return await audited(ports, actor, event, async () => await annotate(ports, actor, input, wanted));
}

/**
 * Lets the deletion of an instance with changed release records end: the controller deletes the records and leaves the objects. Throws as `requestInstanceTest`, and
 * `InvalidInput` for an instance that is not being deleted.
 */
export async function forgetRelease(
  ports: EnvironmentPorts & Pick<Ports, 'auditLog'>,
  actor: Actor,
  input: InstanceDeletion & RequestOrigin,
): Promise<InstanceView> {
  const wanted = { annotation: FORGET_RELEASE, value: 'true', without: 'release records' };
  return await audited(ports, actor, instanceEvent('forget release', input, input), async () => {
    const found = await findInstance(ports, actor, input);
    if (found.object.metadata.deletionTimestamp !== undefined) return await annotate(ports, actor, input, wanted);
    await requirePermission(ports, actor, { found, name: input.name, verb: 'patch' });
    throw new AppError(
      'InvalidInput',
      `${input.name}: only an instance that is being deleted can forget its release; reinstall it instead`,
    );
  });
}

interface WantedAnnotation {
  readonly annotation: string;
  readonly value: string;
  /** What an instance that is no release lacks. */
  readonly without: string;
}

async function annotate(
  ports: EnvironmentPorts,
  actor: Actor,
  input: InstanceDeletion,
  { annotation, value, without }: WantedAnnotation,
): Promise<InstanceView> {
  const { entry, environment, ref, object } = await findRelease(ports, actor, { ...input, verb: 'patch', without });
  const what = `${entry.summary.displayName} ${JSON.stringify(input.name)}`;
  return await writeChecked({ ...input, what, object }, async (only) => {
    const body = { metadata: { annotations: { [annotation]: value }, ...only } };
    const patched = await ports.clusters.asActor(actor).patch(ref, { type: 'merge', body }, USER_WRITE);
    return instanceView(entry, environment, await judgeInstance(ports, actor, { environment, object: patched.object }));
  });
}

export interface SleepInput extends InstanceAddress {
  readonly sleep: 'Asleep' | 'Awake';
  readonly preconditions?: Preconditions;
}

/**
 * Puts an instance to sleep or wakes it, as the actor, by `spec.sleep`. The controller scales its workloads.
 *
 * @throws AppError as `updateInstance`, `InvalidInput` for an instance that is no release.
 */
export async function setInstanceSleep(
  ports: Parameters<typeof updateInstance>[0],
  actor: Actor,
  { sleep, ...input }: SleepInput & RequestOrigin,
): Promise<InstanceView> {
  await findRelease(ports, actor, { ...input, verb: 'update', without: 'workloads that Chandlery can scale' });
  return await updateInstance(ports, actor, { ...input, spec: { sleep: sleep === 'Asleep' }, mode: 'Merge' });
}

interface WantedRelease extends InstanceAddress {
  /** The permission that is needed. */
  readonly verb: 'patch' | 'update';
  /** What an instance that is no release lacks. */
  readonly without: string;
}

/** An instance that is a Helm release. */
async function findRelease(ports: EnvironmentPorts, actor: Actor, { verb, without, ...address }: WantedRelease): Promise<FoundInstance> {
  const found = await findInstance(ports, actor, address);
  if (found.entry.summary.definition !== undefined) return found;
  const what = await requirePermission(ports, actor, { found, name: address.name, verb });
  throw new AppError('InvalidInput', `${what}: it is no Helm release, so it has no ${without}`);
}

/** A user who may not change an instance learns nothing more of it. @returns its name in a message. */
async function requirePermission(
  ports: EnvironmentPorts,
  actor: Actor,
  { found, name, verb }: Pick<WantedRelease, 'name' | 'verb'> & { readonly found: FoundInstance },
): Promise<string> {
  const { entry, ref } = found;
  const what = `${entry.summary.displayName} ${JSON.stringify(name)}`;
  const permission = { verb, group: ref.group, resource: ref.resource, namespace: ref.namespace };
  const missing = await missingPermission(ports, actor, permission);
  if (missing !== undefined) throw new AppError('Forbidden', `${what}: you may not change it`, { missing });
  return what;
}
