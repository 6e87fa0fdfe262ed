import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type CatalogEntry, schemaOf } from '../../domain/catalog/app-catalog.ts';
import { isAppAllowed, notAllowedMessage } from '../../domain/environment/allowed-apps.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { limitSentence } from '../../domain/app-definition/limits.ts';
import { AppError, type FieldFault, type MissingPermission } from '../../domain/core/errors.ts';
import { withArticle } from '../../domain/core/name-words.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { contentOf, reservedFaults } from '../../domain/instance/instance-content.ts';
import { OURS, parseObjectName } from '../../domain/kubernetes/names.ts';
import type { KnownType } from '../../domain/kubernetes/resource-types.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { NewSecret } from '../../domain/instance/new-secret.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ObjectMeta, type ResourceType } from '../../domain/kubernetes/resource.ts';
import { lowerOf, type InstanceLayers } from '../../domain/values/instance-layers.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import { contentSchema, hasSpec } from '../../form/model/content-schema.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { InstanceAddress } from './find-instance.ts';
import { layersOf, rejectLocked } from './instance-layers.ts';
import { markedOf, unmaskContent } from './instance-masking.ts';
import type { Ports } from '../ports.ts';

/** An Instance as somebody wants it. */
export interface InstanceDraft extends InstanceAddress {
  readonly spec: JsonObject;
  /** What goes beside the spec, laid out like the resource: labels and annotations under `metadata`, and its other members. */
  readonly otherFields?: JsonObject;
  /** `in spec`: nothing of the catalogue is laid under the spec any more. */
  readonly defaults?: 'in spec';
  /** Written on the object beside those that it has. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Made before it, and owned by it. */
  readonly secrets?: readonly NewSecret[];
}

/** A draft with everything that writing it takes. */
export interface PreparedDraft {
  readonly entry: CatalogEntry;
  readonly environment: EnvironmentView;
  readonly layers: InstanceLayers;
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/**
 * Makes the object of a draft. What the catalogue entry and the environment start new instances with is laid under the person's own values.
 *
 * @throws AppError `InvalidInput` for a name that Kubernetes would not take and for stand-ins of masked values; `NotFound` as `findEnvironment` and `findApp`.
 */
export async function prepareDraft(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, draft: InstanceDraft): Promise<PreparedDraft> {
  const environment = await findEnvironment(ports.clusters, actor, draft.environment);
  const entry = findApp(ports, actor, draft.app);
  const { group, version, plural, kind } = entry.summary;
  const layers = layersOf(entry, environment);
  const schema = schemaOf(entry.crd, version);
  await yieldToEventLoop();
  const own = unmaskContent(markedOf(entry), ownContent(schema, draft));
  const laid = draft.defaults === 'in spec' ? own : layOwnValues(lowerOf(layers), own, contentSchema(schema));
  rejectUnknown(kind, schema, laid);
  rejectReserved(laid);
  const { metadata, ...members } = laid;
  const object = {
    apiVersion: apiVersionOf({ group, version }),
    kind,
    metadata: {
      name: parseObjectName(draft.name),
      namespace: environment.namespace,
      ...objectAt(metadata),
      ...annotationsOf(draft, objectAt(metadata)),
    },
    ...members,
  };
  return { entry, environment, layers, type: { group, version, resource: plural }, object };
}

/** What a person wants of a new Instance; a kind that has no `spec` gets none. */
export function ownContent(schema: JsonObject, { spec, otherFields = {} }: Pick<InstanceDraft, 'spec' | 'otherFields'>): JsonObject {
  return { ...contentOf(otherFields), ...(hasSpec(schema) ? { spec } : {}) };
}

/** @throws AppError `InvalidInput` for a member that the kind does not have: nearly always the name of one is mistyped. */
export function rejectUnknown(kind: string, schema: JsonObject, content: JsonObject): void {
  const known = objectAt(contentSchema(schema), 'properties');
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return;
  const field = Object.keys(content).find((key) => !Object.hasOwn(known, key));
  if (field === undefined) return;
  const message = `A ${kind} has no member of this name`;
  throw new AppError('InvalidInput', `${field}: ${message}`, { faults: [{ field, message }] });
}

/** @throws AppError `InvalidInput` for labels, annotations and finalizers that people cannot set. */
export function rejectReserved(content: JsonObject, live?: KubeObject): void {
  rejectFaults(reservedFaults(content, live));
}

/** @throws AppError `InvalidInput` with the faults, if there are any. @param subject what the message begins with; by default the first field. */
export function rejectFaults(faults: readonly FieldFault[], subject = faults[0]?.field ?? ''): void {
  const [first] = faults;
  if (first !== undefined) throw new AppError('InvalidInput', `${subject}: ${first.message}`, { faults });
}

/** @throws AppError `InvalidInput` for a resource of another kind. @param subject what the message begins with. */
export function rejectOtherKind(type: KnownType, subject: string, { apiVersion, kind }: KubeObject): void {
  if (apiVersion === apiVersionOf(type) && kind === type.kind) return;
  const message = `Enter ${withArticle(type.kind)} of ${apiVersionOf(type)}`;
  rejectFaults([{ field: 'kind', message }], subject);
}

/**
 * Rejects what is wrong with a draft and is known without asking the api-server.
 *
 * @throws AppError for an App that is being deleted, that the environment does not allow or that has as many instances as it may, and for locked values.
 */
export function rejectDraft({ entry, environment, layers, object }: PreparedDraft): void {
  rejectDeleting(entry);
  rejectNotAllowed(entry, environment);
  rejectBeyondLimit(entry);
  rejectLocked(layers, { wanted: contentOf(object) });
}

/**
 * A new Instance would be deleted with the others, or stay without an operator.
 *
 * @throws AppError `OperatorDeleting`.
 */
function rejectDeleting({ summary, operator, crd }: CatalogEntry): void {
  const { namespace = '', name, deletionTimestamp } = operator.metadata;
  if (deletionTimestamp === undefined && crd.metadata.deletionTimestamp === undefined) return;
  const what = deletionTimestamp === undefined ? `CRD ${crd.metadata.name}` : `Operator ${namespace}/${name}`;
  throw new AppError(
    'OperatorDeleting',
    `app ${JSON.stringify(summary.displayName)}: its ${what} is being deleted, so it cannot be installed`,
  );
}

/** @throws AppError `AppNotAllowed`, as the admission policy of the Environment says to kubectl. */
function rejectNotAllowed({ summary }: Pick<CatalogEntry, 'summary'>, { name, allowedApps }: EnvironmentView): void {
  if (isAppAllowed(allowedApps, summary)) return;
  throw new AppError('AppNotAllowed', notAllowedMessage(name, summary.id));
}

/**
 * Before anything is written; the controller of AppDefinitions decides for good, and the api-server counts what each environment may have.
 *
 * @throws AppError `QuotaExceeded` when the cluster has as many instances as the AppDefinition allows.
 */
function rejectBeyondLimit({ summary: { displayName, limits } }: Pick<CatalogEntry, 'summary'>): void {
  if (limits?.maxInstances === undefined || limits.instances < limits.maxInstances) return;
  const remedy = 'Delete another one, or ask an admin to raise spec.limits of the AppDefinition';
  throw new AppError(
    'QuotaExceeded',
    `${displayName}: ${limitSentence(limits).toLowerCase()}, and there are ${limits.instances}. ${remedy}`,
  );
}

/** The annotations of a draft as a part of metadata, on top of those that are there. */
export function annotationsOf(
  { annotations }: Pick<InstanceDraft, 'annotations'>,
  live: Pick<ObjectMeta, 'annotations'> = {},
): Pick<ObjectMeta, 'annotations'> {
  return annotations === undefined ? {} : { annotations: { ...live.annotations, ...annotations } };
}

/** The options of every write on a person's behalf. */
export const USER_WRITE = { fieldManager: OURS.userFieldManager, fieldValidation: 'Strict' } as const;

/** The permission that is missing for a verb on the draft's kind; nothing when the actor has it. */
export async function missingPermission(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  permission: Required<Pick<MissingPermission, 'verb' | 'group' | 'resource' | 'namespace'>>,
): Promise<MissingPermission | undefined> {
  const { allowed } = await ports.clusters.asActor(actor).review(permission);
  return allowed ? undefined : permission;
}
