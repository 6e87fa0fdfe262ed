import type { Actor } from '../../domain/kubernetes/actor.ts';
import { schemaOf } from '../../domain/catalog/app-catalog.ts';
import type { Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { otherFieldsOf, contentOf } from '../../domain/instance/instance-content.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { objectAt, textsAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { hasSpec } from '../../form/model/content-schema.ts';
import { findInstance, type FoundInstance } from './find-instance.ts';
import { rejectChartValues } from './chart-values.ts';
import { annotationsOf, rejectReserved, rejectUnknown, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import { layersOf, rejectLocked } from './instance-layers.ts';
import { markedOf, secretsOf, unmaskContent, withoutSecretsInErrors } from './instance-masking.ts';
import type { Ports } from '../ports.ts';

/** A change to an Instance. */
export interface InstanceChange extends InstanceDraft {
  /** `Merge`: `spec` is a JSON Merge Patch of the live one, whichever that is when it is written; by default it replaces the live one. */
  readonly mode?: 'Replace' | 'Merge';
  /** The JSON Merge Patch of what stands beside the spec; absent: all of that stays. */
  readonly otherFields?: JsonObject;
  /** The `specVersionOf` the Instance as it was read; absent to change whatever is there. */
  readonly specVersion?: string;
  readonly preconditions?: Preconditions;
}

/** An Instance and its object as it should become. */
export interface PreparedChange extends FoundInstance {
  readonly changed: KubeObject;
}

/** An Instance as it is after a change, and as it was `before`. */
interface WrittenChange extends Written, Omit<PreparedChange, 'object'> {
  readonly before: KubeObject;
}

/** One of those who write at the same time succeeds each time. */
const ATTEMPTS = 20;

/**
 * Lays a change over the live object: `spec` is replaced, what stands beside it is patched, with live values for their stand-ins. Labels and annotations of others
 * stay, and so do finalizers.
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
    throw new AppError('Conflict', `${place}: somebody changed it since you opened it; check its current state and repeat your change`);
  }
  return { ...found, changed: await afterYield(() => changedObject(found, change)) };
}

function changedObject({ entry, ref, object }: FoundInstance, change: InstanceChange): KubeObject {
  const { managedFields: _managedFields, ...live } = object.metadata;
  const { metadata: ownMetadata, ...members } = contentOf(change.otherFields);
  rejectUnknown(object.kind, schemaOf(entry.crd, ref.version), contentOf(change.otherFields));
  rejectReserved(contentOf(change.otherFields), object);
  const finalizers = [...new Set([...(live.finalizers ?? []), ...textsAt(ownMetadata, 'finalizers')])];
  const patched = {
    ...live,
    ...patchedMark(object, change.otherFields, 'labels'),
    ...patchedMark(object, change.otherFields, 'annotations'),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
  const metadata = { ...patched, ...annotationsOf(change, patched), name: live.name };
  const schema = schemaOf(entry.crd, ref.version);
  const otherFields = applyMergePatch(otherFieldsOf(withoutMetadata(contentOf(object))), members) as JsonObject;
  const spec = change.mode === 'Merge' ? (applyMergePatch(object.spec ?? {}, change.spec) as JsonObject) : change.spec;
  const own = { ...otherFields, ...(hasSpec(schema) ? { spec } : {}) };
  const wanted = unmaskContent(markedOf(entry, ref.version), own, object);
  const { apiVersion, kind, status } = object;
  return { apiVersion, kind, metadata, ...wanted, ...(status === undefined ? {} : { status }) };
}

function withoutMetadata({ metadata: _metadata, ...members }: JsonObject): JsonObject {
  return members;
}

/** Labels or annotations with a patch laid over them; what becomes empty goes away. */
export function patchedMark(
  { metadata }: KubeObject,
  otherFields: unknown,
  key: 'labels' | 'annotations',
): Pick<KubeObject['metadata'], 'labels'> {
  const patch = objectAt(otherFields, 'metadata', key);
  if (Object.keys(patch).length === 0) return {};
  return { [key]: applyMergePatch(metadata[key], patch) };
}

/**
 * Writes a change, for exactly the version of the object that was read. A conflict that only the status caused is tried again; one in the
 * spec surfaces from `prepareChange`.
 */
export async function writeChange(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'chartValues'>,
  actor: Actor,
  { change, dryRun }: { readonly change: InstanceChange; readonly dryRun?: 'All' },
): Promise<WrittenChange> {
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepareChange(ports, actor, change);
    const { entry, environment, object: before, changed } = prepared;
    rejectLocked(layersOf(entry, environment), { wanted: contentOf(changed), live: contentOf(before) });
    await rejectChartValues(ports, entry, changed);
    const secrets = await afterYield(() => secretsOf(markedOf(entry, prepared.ref.version), before, changed));
    try {
      const options = { ...USER_WRITE, ...(dryRun === undefined ? {} : { dryRun }) };
      const write = async (): Promise<Written> => await ports.clusters.asActor(actor).replace(prepared.ref, prepared.changed, options);
      return { ...prepared, before, ...(await withoutSecretsInErrors(secrets, write)) };
    } catch (error) {
      if (attempt >= ATTEMPTS || !isAppError(error, 'Conflict')) throw error;
    }
  }
}
