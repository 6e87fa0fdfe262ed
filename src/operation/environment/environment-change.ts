import { AppError, isAppError } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { objectAt } from '../../domain/core/read.ts';
import { ADOPT_ANNOTATION } from '../../domain/environment/environment.ts';
import { contentOf, newResource, reservedFaults } from '../../domain/instance/instance-content.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { patchedMark } from '../instance/instance-change.ts';
import { rejectFaults, rejectOtherKind, USER_WRITE } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { unmaskEnvironment } from './environment-masking.ts';
import { findEnvironmentObject } from './find-environment.ts';

/** A change of an Environment. */
export interface EnvironmentChange {
  readonly environment: string;
  readonly spec: JsonObject;
  /** A JSON Merge Patch of labels and annotations, laid out like the resource; absent: they stay. */
  readonly otherFields?: JsonObject;
  /** `Merge`: `spec` is a JSON Merge Patch of the live one; `Replace`: it takes its place. */
  readonly mode: 'Replace' | 'Merge';
  /** The `specVersionOf` the Environment as it was read; absent to change whatever is there. */
  readonly specVersion?: string;
  readonly preconditions?: Preconditions;
}

/** An Environment as it is and as it should become. */
export interface PreparedEnvironment {
  readonly live: KubeObject;
  readonly changed: KubeObject;
}

/** An Environment in a sentence. */
export function environmentWords(name: string): string {
  return `environment ${JSON.stringify(name)}`;
}

/**
 * The resource to create, from one that somebody sent.
 *
 * @throws AppError `InvalidInput` for what is no Environment, for a name that Kubernetes would not take, and for labels and annotations that people cannot set.
 */
export function environmentToCreate(ports: Pick<Ports, 'catalog'>, sent: KubeObject): KubeObject {
  rejectOtherKind(ENVIRONMENT, 'environment', sent);
  const { metadata, spec } = sent;
  rejectReservedMarks({ metadata });
  const environment = newResource(ENVIRONMENT, parseObjectName(metadata.name), sent);
  return { ...environment, spec: unmaskEnvironment(ports, objectAt(spec) as JsonObject) };
}

/**
 * Lays a change over the live resource. Labels and annotations of others stay.
 *
 * @throws AppError `NotFound`, `PreconditionFailed`, `Conflict` when somebody changed the spec since it was read, `InvalidInput`.
 */
export async function prepareEnvironmentChange(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { environment, spec, otherFields = {}, mode, specVersion, preconditions = {} }: EnvironmentChange,
): Promise<PreparedEnvironment> {
  const live = await findEnvironmentObject(ports.clusters, actor, environment);
  const what = environmentWords(environment);
  checkPreconditions(what, etagOf(live), preconditions);
  if (specVersion !== undefined && specVersion !== specVersionOf(live)) {
    throw new AppError('Conflict', `${what}: somebody changed it since you opened it; check its current state and repeat your change`);
  }
  rejectReservedMarks(otherFields, live);
  const wanted = mode === 'Merge' ? (applyMergePatch(live.spec ?? {}, spec) as JsonObject) : spec;
  const { managedFields: _managedFields, ...metadata } = live.metadata;
  const changed = {
    ...live,
    metadata: { ...metadata, ...patchedMark(live, otherFields, 'labels'), ...patchedMark(live, otherFields, 'annotations') },
    spec: unmaskEnvironment(ports, wanted, live.spec),
  };
  return { live, changed };
}

/** Whoever makes Environments may ask for a namespace that is there; all other labels and annotations of ours are not for people. */
function rejectReservedMarks(content: unknown, live?: KubeObject): void {
  rejectFaults(reservedFaults(contentOf(content), live).filter(({ field }) => field?.includes(ADOPT_ANNOTATION) !== true));
}

/** One of those who write at the same time succeeds each time; the controller writes the status meanwhile. */
const ATTEMPTS = 20;

/** Writes a change, for exactly the version of the resource that was read. Throws as `prepareEnvironmentChange`, and as the write. */
export async function writeEnvironmentChange(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { change, dryRun }: { readonly change: EnvironmentChange; readonly dryRun?: 'All' },
): Promise<Written & PreparedEnvironment> {
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepareEnvironmentChange(ports, actor, change);
    try {
      const options = { ...USER_WRITE, ...(dryRun === undefined ? {} : { dryRun }) };
      return { ...prepared, ...(await ports.clusters.asActor(actor).replace(ENVIRONMENT, prepared.changed, options)) };
    } catch (error) {
      if (attempt >= ATTEMPTS || !isAppError(error, 'Conflict')) throw error;
    }
  }
}
