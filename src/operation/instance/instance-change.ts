import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { findInstance, type FoundInstance } from './find-instance.ts';
import { annotationsOf, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import { layersOf, refuseLocked } from './instance-layers.ts';
import { markedOf, secretsOf, unmaskSpec, withoutSecretsInErrors } from './instance-masking.ts';
import type { Ports } from '../ports.ts';

/** A change to an Instance. */
export interface InstanceChange extends InstanceDraft {
  /** `Merge`: `spec` is a JSON Merge Patch of the live one, whichever that is when it is written; by default it replaces the live one. */
  readonly mode?: 'Replace' | 'Merge';
  /** The `specVersionOf` the Instance as it was read; absent to change whatever is there. */
  readonly specVersion?: string;
  readonly preconditions?: Preconditions;
}

/** An Instance and its object as it should become. */
export interface PreparedChange extends FoundInstance {
  readonly changed: KubeObject;
}

/** One of those who write at the same time succeeds each time. */
const ATTEMPTS = 20;

/**
 * Lays a change over the live object: `spec` is replaced, with live values for their stand-ins, and nothing else is touched.
 *
 * @throws AppError `Conflict` when somebody changed the spec since it was read, `PreconditionFailed`.
 */
export async function prepareChange(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  change: InstanceChange,
): Promise<PreparedChange> {
  const found = await findInstance(ports, actor, change);
  const place = `${found.entry.summary.displayName} ${JSON.stringify(change.name)}`;
  checkPreconditions(place, etagOf(found.object), change.preconditions ?? {});
  if (change.specVersion !== undefined && change.specVersion !== specVersionOf(found.object)) {
    throw new AppError(
      'Conflict',
      `${place}: somebody changed it since you opened it; look at its present state and make your change again`,
    );
  }
  const { managedFields: _managedFields, ...kept } = found.object.metadata;
  const metadata = { ...kept, ...annotationsOf(change, found.object.metadata), name: found.object.metadata.name };
  const wanted = change.mode === 'Merge' ? (applyMergePatch(found.object.spec ?? {}, change.spec) as JsonObject) : change.spec;
  const spec = unmaskSpec(markedOf(found.entry, found.ref.version), wanted, found.object);
  return { ...found, changed: { ...found.object, metadata, spec } };
}

/**
 * Writes a change, for exactly the version of the object that was read. A conflict that only the status caused is tried again; one in the
 * spec surfaces from `prepareChange`.
 */
export async function writeChange(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { change, dryRun }: { readonly change: InstanceChange; readonly dryRun?: 'All' },
): Promise<Written & PreparedChange> {
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepareChange(ports, actor, change);
    const { entry, environment, object: before, changed } = prepared;
    refuseLocked(layersOf(entry, environment), { wanted: changed.spec, live: before.spec ?? {} });
    const secrets = secretsOf(markedOf(entry, prepared.ref.version), before, changed);
    try {
      const options = { ...USER_WRITE, ...(dryRun === undefined ? {} : { dryRun }) };
      const write = async (): Promise<Written> => await ports.clusters.asActor(actor).replace(prepared.ref, prepared.changed, options);
      return { ...prepared, ...(await withoutSecretsInErrors(secrets, write)) };
    } catch (error) {
      if (attempt >= ATTEMPTS || !isAppError(error, 'Conflict')) throw error;
    }
  }
}
