import type { Actor } from '../../domain/kubernetes/actor.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { otherFieldsOf, otherFieldsPatch, ownContentOf } from '../../domain/instance/instance-content.ts';
import { commandsFor, type RestCall } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { applyMergePatch, isSame, jsonPatchBetween, mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { joinFindings } from '../../domain/preflight/findings.ts';
import { checkConstraints } from '../../domain/preflight/check-constraints.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';
import { contentChanges } from '../../domain/preflight/content-changes.ts';
import { isObject, objectAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import { annotationsOf, missingPermission } from '../instance/instance-draft.ts';
import { prepareChange, writeChange, type InstanceChange } from '../instance/instance-change.ts';
import { markedOf, maskedSides } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { previewRelease } from './preview-release.ts';
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
  const [told, release] = await Promise.all([
    preflightPrepared(ports, actor, { change, prepared }),
    previewRelease(ports, actor, prepared),
  ]);
  if (release === undefined) return told;
  const findings = joinFindings([told.findings, release.findings]);
  return { ...told, findings, ...(release.objects === undefined ? {} : { objects: release.objects }) };
}

interface PreparedInput {
  readonly change: InstanceChange;
  readonly prepared: Awaited<ReturnType<typeof prepareChange>>;
}

async function preflightPrepared(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'chartValues' | 'discovery' | 'publicUrl'>,
  actor: Actor,
  { change, prepared }: PreparedInput,
): Promise<Preflight> {
  const { entry, ref, object: before, changed, environment } = prepared;
  const { apiVersion, kind } = changed;
  const spec = (changed.spec ?? {}) as JsonObject;
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
  return await preflight(actor, {
    app: change.app,
    object,
    may: async () => await missing,
    dryRun: async () => await writeChange(ports, actor, { change, dryRun: 'All' }),
    look: async () => {
      const pods = async (): Promise<PodEvidence> =>
        (await missing) === undefined
          ? await dryRunSamplePods(ports, actor, { type: { group, version, resource }, environment })
          : { kind: 'None' };
      const around = await loadConstraints(ports.clusters.asActor(actor), { namespace, spec, pods });
      return (stored) =>
        joinFindings([
          { changed: contentChanges(ownContentOf(before), ownContentOf(stored)) },
          checkConstraints({ app: change.app, object: stored, before, ...around }),
        ]);
    },
    ...effects,
    sensitive: { marked, live: before },
  });
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
