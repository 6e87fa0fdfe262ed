import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, type MissingPermission } from '../../domain/core/errors.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import { contentOf, newResource, ownContentOf } from '../../domain/instance/instance-content.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { DeletionIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { withCreator } from '../../domain/kubernetes/creator.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { OURS, parseObjectName } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { nameOfItem } from '../../domain/source/check-documents.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { sourceDeletion, type SourceDeletion } from '../../domain/source/source-deletion.ts';
import { sourceView, type SourceView } from '../../domain/source/source-view.ts';
import { SOURCE_CONTENT } from '../../form/model/source-form.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { deleteAs } from '../delete-as.ts';
import { audited } from '../audit/audited.ts';
import { rejectOtherKind, rejectReserved, USER_WRITE } from '../instance/instance-draft.ts';
import { changesOfContent } from '../instance/value-changes.ts';
import type { Ports } from '../ports.ts';
import { preflight } from '../preflight/preflight.ts';
import { findSource, type SourceAddress, sourceWords } from './find-source.ts';

/** What an admin can ask of a source. */
export type SourceAction = 'sync' | 'suspend' | 'resume';

interface Checked extends SourceAddress {
  readonly preconditions?: Preconditions;
}

export interface SourceActionInput extends Checked {
  readonly action: SourceAction;
  /** RFC 3339, with fractions of a second: any new value asks anew. */
  readonly at: string;
}

type Needs = Pick<Ports, 'clusters' | 'auditLog'>;

/**
 * Asks for a sync now, or suspends or resumes a source, as the actor. The controller does the rest in its own time.
 *
 * @throws AppError as `findSource`, and `Forbidden` without the permission to patch it.
 */
export async function requestSourceAction(ports: Needs, actor: Actor, input: SourceActionInput & RequestOrigin): Promise<SourceView> {
  const { action, at } = input;
  return await auditedChange(ports, actor, { ...input, what: `${action} source` }, async (found) => {
    const body = action === 'sync' ? annotation(OURS.reconcileAt, at) : { spec: { suspend: action === 'suspend' } };
    return await patch(ports, actor, { ...input, found, body });
  });
}

export interface PruneApproval extends Checked {
  /** The revision as the person has read what it deletes. */
  readonly revision: string;
}

/**
 * Has exactly one revision remove its pending resources now.
 *
 * @throws AppError `Conflict` when another revision has been read by now, or nothing is pending removal.
 */
export async function approvePrune(ports: Needs, actor: Actor, input: PruneApproval & RequestOrigin): Promise<SourceView> {
  const { revision } = input;
  return await auditedChange(ports, actor, { ...input, what: 'approve prune' }, async (found) => {
    const { awaitsApproval } = sourceView(found);
    if (awaitsApproval !== revision) {
      const now = awaitsApproval === undefined ? 'nothing is pending removal' : `its revision is ${awaitsApproval} now`;
      throw new AppError('Conflict', `${sourceWords(input)}: ${now}; read its pending removals again`);
    }
    return await patch(ports, actor, { ...input, found, body: annotation(OURS.approvedPrune, revision) });
  });
}

export interface OriginConfirmation extends Checked {
  /** The folder or address as the person has read it. */
  readonly origin: string;
}

/**
 * Lets another folder or repository take the place of the one that the source had, as the actor.
 *
 * @throws AppError `Conflict` when another origin waits by now, or none.
 */
export async function confirmOrigin(ports: Needs, actor: Actor, input: OriginConfirmation & RequestOrigin): Promise<SourceView> {
  const { origin } = input;
  return await auditedChange(ports, actor, { ...input, what: 'confirm origin' }, async (found) => {
    const { awaitsConfirmation } = sourceView(found);
    if (awaitsConfirmation !== origin) {
      const now = awaitsConfirmation === undefined ? 'no origin has to be confirmed' : `${awaitsConfirmation} has to be confirmed now`;
      throw new AppError('Conflict', `${sourceWords(input)}: ${now}; read the source again`);
    }
    return await patch(ports, actor, { ...input, found, body: annotation(OURS.confirmedOrigin, origin) });
  });
}

export interface KeptResource extends Checked {
  /** `Kind namespace/name`, as in `pendingRemovals`. */
  readonly resource: string;
  /** RFC 3339, with fractions of a second. */
  readonly at: string;
}

/**
 * Keeps a resource that has lost its document, as the actor: the annotation `chandlery.dev/prune: disabled` has the source give it up instead of removing it.
 *
 * @throws AppError as `findSource`; `Conflict` when the resource is not pending removal; `Forbidden` without the permission to patch it, or the source.
 */
export async function keepResource(
  ports: Needs & Pick<Ports, 'discovery'>,
  actor: Actor,
  input: KeptResource & RequestOrigin,
): Promise<SourceView> {
  const { resource, at } = input;
  return await auditedChange(ports, actor, { ...input, what: 'keep resource' }, async (found) => {
    const { inventory } = statusOf(CATALOG_SOURCE_KIND, found);
    const item = inventory.find((one) => one.missing !== undefined && nameOfItem(one) === resource);
    const kind = item && (await ports.discovery.find(item.apiVersion, item.kind));
    if (item === undefined || kind === undefined) {
      throw new AppError('Conflict', `${sourceWords(input)}: ${resource} is not pending removal; read its pending removals again`);
    }
    const { name, namespace, uid } = item;
    const ref = { ...kind, name, ...(namespace === undefined ? {} : { namespace }) };
    const body = { metadata: { ...(uid === undefined ? {} : { uid }), annotations: { [OURS.prune]: 'disabled' } } };
    await ports.clusters.asActor(actor).patch(ref, { type: 'merge', body }, { fieldManager: OURS.userFieldManager });
    return await patch(ports, actor, { ...input, found, body: annotation(OURS.reconcileAt, at) });
  });
}

/** What deleting a source would do now, or does. Throws as `findSource`. */
export async function previewSourceDeletion(ports: Pick<Ports, 'clusters'>, actor: Actor, address: SourceAddress): Promise<SourceDeletion> {
  return sourceDeletion(await findSource(ports, actor, address));
}

interface SourceDeletionInput extends Checked, RequestOrigin {
  /** Absent: the api-server rejects the deletion of a source whose resources would go with it. */
  readonly intent?: DeletionIntent | undefined;
}

/** Asks for the deletion of exactly the source that stands there now. Resolves once the api-server has accepted. */
export async function deleteSource(ports: Needs, actor: Actor, input: SourceDeletionInput): Promise<void> {
  await auditedChange(ports, actor, { ...input, what: 'delete source' }, async (object) => {
    await writeChecked({ ...input, what: sourceWords(input), object }, async (only) => {
      await deleteAs(ports.clusters.asActor(actor), { type: CATALOG_SOURCE, object, intent: input.intent, only });
    });
  });
}

type AuditedInput = SourceAddress & RequestOrigin & { readonly what: string };

async function auditedChange<T>(ports: Needs, actor: Actor, input: AuditedInput, change: (source: KubeObject) => Promise<T>): Promise<T> {
  const { name: target, what: action, via, requestId } = input;
  return await audited(ports, actor, { action, environment: '', target, via, requestId }, async () =>
    change(await findSource(ports, actor, input)),
  );
}

interface PatchInput extends Checked {
  readonly found: KubeObject;
  readonly body: { readonly metadata?: object; readonly spec?: object };
}

async function patch(ports: Pick<Ports, 'clusters'>, actor: Actor, { found, body, ...input }: PatchInput): Promise<SourceView> {
  return await writeChecked({ ...input, what: sourceWords(input), object: found }, async (only) => {
    const whole = { ...body, metadata: { ...body.metadata, ...only } };
    const ref = { ...CATALOG_SOURCE, name: input.name };
    const { object } = await ports.clusters
      .asActor(actor)
      .patch(ref, { type: 'merge', body: whole }, { fieldManager: OURS.userFieldManager });
    return sourceView(object);
  });
}

function annotation(name: string, value: string): { readonly metadata: object } {
  return { metadata: { annotations: { [name]: value } } };
}

/** The permission to create CatalogSources that the actor lacks; undefined when they have it. */
export async function missingForNewSource({ clusters }: Pick<Ports, 'clusters'>, actor: Actor): Promise<MissingPermission | undefined> {
  const permission = permissionTo('create', CATALOG_SOURCE);
  return (await clusters.asActor(actor).review(permission)).allowed ? undefined : permission;
}

/** Creates a CatalogSource as the actor. `AlreadyExists` when the name is taken; throws as `sourceToCreate`. */
export async function createSource(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { source, via, requestId }: RequestOrigin & { readonly source: KubeObject },
): Promise<SourceView> {
  const event = { action: 'create source', environment: '', target: source.metadata.name, via, requestId };
  return await audited(ports, actor, event, async () => {
    const { object } = await ports.clusters.asActor(actor).create(CATALOG_SOURCE, withCreator(sourceToCreate(source), actor), USER_WRITE);
    return sourceView(object);
  });
}

/** What would happen if a CatalogSource were created now. What it would apply, its preview shows once it is there. */
export async function preflightSource(ports: Pick<Ports, 'clusters' | 'publicUrl'>, actor: Actor, source: KubeObject): Promise<Preflight> {
  const object = sourceToCreate(source);
  const { name } = object.metadata;
  const app = `${CATALOG_SOURCE.resource}.${CATALOG_SOURCE.group}`;
  const call = { method: 'POST' as const, url: `${ports.publicUrl}/api/v1/sources`, body: object, app };
  return await preflight(actor, {
    app,
    object,
    may: async () => await missingForNewSource(ports, actor),
    dryRun: async () => await ports.clusters.asActor(actor).create(CATALOG_SOURCE, object, { ...USER_WRITE, dryRun: 'All' }),
    look: async () => () => ({ created: [{ message: `CatalogSource ${name}`, subject: 'Object', evidence: 'exact' }] }),
    changes: changesOfContent(SOURCE_CONTENT, {}, ownContentOf(object)),
    commands: { ...commandsFor(object, call), file: `catalogsources/${name}.yaml` },
    sensitive: { marked: BY_NAMES },
  });
}

/** @throws AppError `InvalidInput` for what is no CatalogSource, and for labels and annotations that people cannot set. */
function sourceToCreate(sent: KubeObject): KubeObject {
  rejectOtherKind(CATALOG_SOURCE, 'source', sent);
  const { name, labels, annotations } = sent.metadata;
  rejectReserved(contentOf({ metadata: { labels, annotations } }));
  return newResource(CATALOG_SOURCE, parseObjectName(name), sent);
}
