import type { MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { otherFieldsOf, otherFieldsPatch, ownContentOf } from '../../domain/instance/instance-content.ts';
import { commandsFor, type RestCall } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { applyMergePatch, isSame, jsonPatchBetween, mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { type Findings, joinFindings } from '../../domain/preflight/findings.ts';
import { checkConstraints } from '../../domain/preflight/check-constraints.ts';
import { dedicatedNamespaceOf } from '../../domain/app-instance/instance.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';
import { contentChanges } from '../../domain/preflight/content-changes.ts';
import { isObject, objectAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import { annotationsOf, missingPermission } from '../instance/instance-draft.ts';
import { prepareChange, writeChange, type InstanceChange, type PreparedChange } from '../instance/instance-change.ts';
import { markedOf, maskedSides } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { previewRelease, releaseIn, type ReleasePreview, withRelease } from './preview-release.ts';
import { loadConstraints } from './load-constraints.ts';
import { dryRunSamplePods } from './dry-run-sample-pods.ts';
import { changesOfLive } from '../instance/value-changes.ts';

/** What would happen if an Instance were changed now. */
export async function preflightChange(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'chartValues' | 'discovery' | 'publicUrl'> & Partial<Pick<Ports, 'upgrades'>>,
  actor: Actor,
  change: InstanceChange,
): Promise<Preflight> {
  const prepared = await prepareChange(ports, actor, change);
  const { entry, ref, object: before, changed, environment } = prepared;
  const { apiVersion, kind } = changed;
  const { namespace, group, version, resource } = ref;
  const { metadata: ownMetadata, ...members } = ownContentOf(changed);
  const metadata = {
    ...objectAt(ownMetadata),
    ...annotationsOf(change, { annotations: objectAt(ownMetadata, 'annotations') as Record<string, string> }),
  };
  const object = { apiVersion, kind, metadata: { name: ref.name, namespace, ...metadata }, ...members };
  const marked = markedOf(entry, version);
  const effects = await changesAndCommands(ports, { change, entry, marked, environment: environment.name, object, live: before });
  const missing = missingPermission(ports, actor, { verb: 'update', group, resource, namespace });
  const write = writeChange(ports, actor, { change, dryRun: 'All' });
  const released = previewRelease(ports, actor, { ...prepared, write });
  const checked = await preflight(actor, {
    app: change.app,
    object,
    may: async () => await missing,
    dryRun: async () => await write,
    look: async () => await constraintFindings(ports, actor, { change, prepared, missing, released }),
    ...effects,
    sensitive: { marked, live: before },
  });
  return withRelease(checked, await released);
}

interface LookInput {
  readonly change: InstanceChange;
  readonly prepared: PreparedChange;
  readonly missing: Promise<MissingPermission | undefined>;
  readonly released: Promise<ReleasePreview | undefined>;
}

/** Reads what stands around the instance now; what that means is judged by what the api-server would store. */
async function constraintFindings(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery'>,
  actor: Actor,
  { change, prepared: { entry, environment, ref, object: before, changed }, missing, released }: LookInput,
): Promise<(stored: KubeObject) => Findings> {
  const { namespace, group, version, resource } = ref;
  const pods = async (): Promise<PodEvidence> =>
    entry.summary.definition === undefined && (await missing) === undefined
      ? await dryRunSamplePods(ports, actor, { type: { group, version, resource }, environment })
      : { kind: 'None' };
  const wanted = { namespace: dedicatedNamespaceOf(before) ?? namespace, spec: changed.spec ?? {}, pods };
  const [around, previewed] = await Promise.all([loadConstraints(ports.clusters.asActor(actor), wanted), released]);
  return (stored) =>
    joinFindings([
      { changed: contentChanges(ownContentOf(before), ownContentOf(stored)) },
      checkConstraints({ app: change.app, object: stored, before, ...around, ...releaseIn(previewed) }),
      previewed?.findings ?? {},
    ]);
}

interface Told {
  readonly change: InstanceChange;
  readonly entry: CatalogEntry;
  readonly marked: Marked;
  readonly environment: string;
  readonly object: KubeObject;
  readonly live: KubeObject;
}

/** What differs, and how to do the same by hand; between the two, others are served. */
async function changesAndCommands(
  { publicUrl }: Pick<Ports, 'publicUrl'>,
  { change: { app, name, version }, entry, marked, environment, object, live }: Told,
): Promise<Pick<Preflight, 'changes' | 'commands'>> {
  const [before, after] = [ownContentOf(live), ownContentOf(object)];
  const changes = await afterYield(() => changesOfLive(entry, before, after));
  const sides = await afterYield(() => maskedSides(marked, { before, after }));
  const writing = await afterYield(() => writingOf(sides));
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  const url = `${publicUrl}/api/v1/environments/${environment}/instances/${app}/${name}${query}`;
  const masked = await afterYield(() => maskObject(marked, object));
  const commands = await afterYield(() => commandsFor(masked, { ...writing, app, environment, url }));
  return { changes, commands };
}

/** The call of the REST API. As a merge patch where it can say the change, which is never that a value becomes `null`. In lists it could, but the api-server drops it there. */
export function writingOf({ before, after }: Sides): Pick<RestCall, 'method' | 'body' | 'patch'> {
  const otherFields = otherFieldsPatch(before, after);
  const [from, to] = [before['spec'], after['spec']];
  const spec = from === undefined && to === undefined ? {} : { spec: mergePatchBetween(from ?? {}, to ?? {}) };
  const patch = { ...spec, ...otherFields };
  const isSaid = isSame(applyMergePatch({ ...otherFieldsOf(before), spec: from ?? {} }, patch), {
    ...otherFieldsOf(after),
    spec: to ?? {},
  });
  if (isSaid && !hasNullInList(patch)) return { method: 'PATCH', body: patch };
  return { method: 'PUT', body: { ...otherFields, ...(to === undefined ? {} : { spec: to }) }, patch: jsonPatchBetween(before, after, '') };
}

interface Sides {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function hasNullInList(value: unknown): boolean {
  return Array.isArray(value) ? value.some(holdsNull) : isObject(value) && Object.values(value).some(hasNullInList);
}

function holdsNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNull);
  return value === null || (isObject(value) && Object.values(value).some(holdsNull));
}
