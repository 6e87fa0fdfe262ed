import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type CatalogEntry, schemaOf } from '../../domain/catalog/app-catalog.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { AppError, type MissingRight } from '../../domain/core/errors.ts';
import { OURS, parseObjectName } from '../../domain/kubernetes/names.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { NewSecret } from '../../domain/instance/new-secret.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ObjectMeta, type ResourceType } from '../../domain/kubernetes/resource.ts';
import { lowerOf, type InstanceLayers } from '../../domain/values/instance-layers.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { InstanceAddress } from './find-instance.ts';
import { layersOf } from './instance-layers.ts';
import { markedOf, unmaskSpec } from './instance-masking.ts';
import type { Ports } from '../ports.ts';

/** An Instance as somebody wants it. */
export interface InstanceDraft extends InstanceAddress {
  readonly spec: JsonObject;
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
  const own = unmaskSpec(markedOf(entry), draft.spec);
  const object = {
    apiVersion: apiVersionOf({ group, version }),
    kind,
    metadata: { name: parseObjectName(draft.name), namespace: environment.namespace, ...annotationsOf(draft) },
    spec:
      draft.defaults === 'in spec' ? own : layOwnValues(lowerOf(layers), own, objectAt(schemaOf(entry.crd, version), 'properties', 'spec')),
  };
  return { entry, environment, layers, type: { group, version, resource: plural }, object };
}

/**
 * A new Instance would be deleted with the others, or stay without an operator.
 *
 * @throws AppError `OperatorDeleting`.
 */
export function refuseDeleting({ summary, operator, crd }: CatalogEntry): void {
  const { namespace = '', name, deletionTimestamp } = operator.metadata;
  if (deletionTimestamp === undefined && crd.metadata.deletionTimestamp === undefined) return;
  const what = deletionTimestamp === undefined ? `CRD ${crd.metadata.name}` : `Operator ${namespace}/${name}`;
  throw new AppError(
    'OperatorDeleting',
    `app ${JSON.stringify(summary.displayName)}: its ${what} is being deleted, so it cannot be installed`,
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

/** The right that is missing for a verb on the draft's kind; nothing when the actor has it. */
export async function missingRight(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  right: Required<Pick<MissingRight, 'verb' | 'group' | 'resource' | 'namespace'>>,
): Promise<MissingRight | undefined> {
  const { allowed } = await ports.clusters.asActor(actor).review(right);
  return allowed ? undefined : right;
}
