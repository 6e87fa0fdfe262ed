import type { Actor } from '../domain/actor.ts';
import { commandsFor, type RestCall } from '../domain/instance-commands.ts';
import type { Preflight } from '../domain/instance.ts';
import { jsonPatchBetween } from '../domain/json-patch.ts';
import { applyMergePatch, isSame, mergePatchBetween } from '../domain/merge-patch.ts';
import { joinFindings } from '../domain/preflight/findings.ts';
import { judgeSurroundings } from '../domain/preflight/judge-surroundings.ts';
import type { PodEvidence } from '../domain/preflight/pod-security.ts';
import { specChanges } from '../domain/preflight/spec-changes.ts';
import { isObject } from '../domain/read.ts';
import type { JsonObject } from '../domain/resource.ts';
import { maskObject } from '../schema/sensitive/mask.ts';
import { annotationsOf, missingRight } from './instance-draft.ts';
import { prepareChange, writeChange, type InstanceChange } from './instance-change.ts';
import { markedOf } from './instance-masking.ts';
import { maskedSides } from './masked-commands.ts';
import type { Ports } from './ports.ts';
import { preflight } from './preflight.ts';
import { readSurroundings } from './read-surroundings.ts';
import { tryLikelyPods } from './try-likely-pods.ts';
import { changesOfLive } from './value-changes.ts';

/** What would happen if an Instance were changed now. */
export async function preflightChange(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'publicUrl'>,
  actor: Actor,
  change: InstanceChange,
): Promise<Preflight> {
  const { entry, ref, object: before, changed, environment } = await prepareChange(ports, actor, change);
  const { apiVersion, kind } = changed;
  const spec = (changed.spec ?? {}) as JsonObject;
  const { namespace, group, version, resource } = ref;
  const object = { apiVersion, kind, metadata: { name: ref.name, namespace, ...annotationsOf(change) }, spec };
  const marked = markedOf(entry, version);
  const specs = { before: (before.spec ?? {}) as JsonObject, after: spec };
  const missing = missingRight(ports, actor, { verb: 'update', group, resource, namespace });
  return await preflight(actor, {
    app: change.app,
    object,
    may: async () => await missing,
    dryRun: async () => await writeChange(ports, actor, { change, dryRun: 'All' }),
    look: async () => {
      const pods = async (): Promise<PodEvidence> =>
        (await missing) === undefined
          ? await tryLikelyPods(ports, actor, { type: { group, version, resource }, environment })
          : { word: 'None' };
      const around = await readSurroundings(ports.clusters.asActor(actor), { namespace, spec, pods });
      return (stored) =>
        joinFindings([
          { changed: specChanges(before.spec, stored.spec) },
          judgeSurroundings({ app: change.app, object: stored, before, ...around }),
        ]);
    },
    changes: changesOfLive(entry, specs.before, spec),
    sensitive: { marked, live: before },
    commands: commandsFor(maskObject(marked, object), {
      ...writingOf(maskedSides(marked, specs), before.spec === undefined),
      app: change.app,
      environment: environment.name,
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances/${change.app}/${change.name}${change.version === undefined ? '' : `?version=${encodeURIComponent(change.version)}`}`,
    }),
  });
}

/** As a merge patch where it can say the change, which is never that a value becomes `null`. In lists it could, but the api-server drops it there. */
function writingOf(
  { before, after: spec }: { readonly before: JsonObject; readonly after: JsonObject },
  isNew: boolean,
): Pick<RestCall, 'method' | 'body' | 'patch'> {
  const patch = mergePatchBetween(before, spec);
  if (isSame(applyMergePatch(before, patch), spec) && !hasNullInList(patch)) return { method: 'PATCH', body: { spec: patch } };
  return { method: 'PUT', body: { spec }, patch: jsonPatchBetween(isNew ? {} : { spec: before }, { spec }, '') };
}

function hasNullInList(value: unknown): boolean {
  return Array.isArray(value) ? value.some(holdsNull) : isObject(value) && Object.values(value).some(hasNullInList);
}

function holdsNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNull);
  return value === null || (isObject(value) && Object.values(value).some(holdsNull));
}
