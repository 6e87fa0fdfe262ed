import { isAppError, messageOf } from '../domain/core/errors.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../domain/core/read.ts';
import { EVERYBODY, parseActor } from '../domain/kubernetes/actor.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { SAVED_CONFIGURATION } from '../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject } from '../domain/kubernetes/resource.ts';
import { MAX_EARLIER, type SavedConfigurationSpec } from '../domain/saved-configuration/saved-configuration-kind.ts';
import { type SpaceOwner, spaceOf } from '../domain/saved-configuration/saved-configuration-space.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { EarlierResources } from '../store/earlier-resources.ts';
import { savedConfigurationSpaces } from './saved-configuration-spaces.ts';

interface MoveInput {
  readonly kube: Pick<Kube, 'asController' | 'asActor'>;
  readonly earlierConfigurations: EarlierResources;
  readonly log: Log;
}

type Entry = EarlierResources['entries'][number];

/**
 * Makes resources of the saved configurations that an earlier version kept in files, once each. Never throws: what could not be moved is logged, stays in its file
 * and is tried again at the next start.
 */
export async function moveSavedConfigurations(
  { kube, earlierConfigurations: earlier, log }: MoveInput,
  signal: AbortSignal,
): Promise<void> {
  if (earlier.entries.length === 0) return;
  const moved = new Set<string>();
  for (const entry of earlier.entries) {
    const id = textAt(entry, 'id') ?? '';
    const spec = specOfEntry(entry, listAt(earlier.besides(id)));
    const why = await move(kube, { entry, spec }, signal).then(() => undefined, messageOf);
    if (signal.aborted) break;
    if (why === undefined) moved.add(id);
    else log.warn('A saved configuration of an earlier version is not in the cluster yet', { id, why });
  }
  await earlier.forget(moved);
  log.info('Saved configurations of an earlier version are resources of the cluster now', {
    moved: moved.size,
    left: earlier.entries.length - moved.size,
  });
}

interface Move {
  readonly entry: Entry;
  readonly spec: SavedConfigurationSpec;
}

/** It is created as its author, and by the controller where nobody is recorded: an admission policy lets nobody else be the author. */
async function move(kube: MoveInput['kube'], { entry, spec }: Move, signal: AbortSignal): Promise<void> {
  const owner = ownerOf(entry);
  const user = spec.author ?? ('user' in owner ? owner.user : undefined);
  const actor = user === undefined ? undefined : parseActor(user, ['group' in owner ? owner.group : EVERYBODY]);
  const author = actor === undefined ? {} : { author: actor.user };
  const object = {
    apiVersion: apiVersionOf(SAVED_CONFIGURATION),
    kind: SAVED_CONFIGURATION.kind,
    metadata: { name: textAt(entry, 'id') ?? '', namespace: spaceOf(owner) },
    spec: { ...spec, ...author },
  };
  await savedConfigurationSpaces(kube).createSpace(owner, actor);
  const cluster = actor === undefined ? kube.asController() : kube.asActor(actor);
  try {
    await cluster.create(SAVED_CONFIGURATION, object, { fieldManager: OURS.userFieldManager, signal });
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
}

function ownerOf(entry: Entry): SpaceOwner {
  const group = textAt(entry, 'owner', 'group');
  return group === undefined ? { user: textAt(entry, 'owner', 'user') ?? '' } : { group };
}

function specOfEntry(entry: Entry, versions: readonly unknown[]): SavedConfigurationSpec {
  const author = textAt(entry, 'author');
  return {
    app: textAt(entry, 'app') ?? '',
    ...contentOfEntry(entry),
    ...(author === undefined ? {} : { author }),
    priorVersions: versionOf(entry) - 1,
    earlier: versions
      .filter(isObject)
      .slice(0, MAX_EARLIER)
      .map((one) => ({ version: versionOf(one), ...contentOfEntry(one), updated: textAt(one, 'updated') ?? '' })),
  };
}

function contentOfEntry(entry: Entry): Pick<SavedConfigurationSpec, 'title' | 'description' | 'values' | 'otherFields'> {
  return {
    title: textAt(entry, 'title') ?? '',
    description: textAt(entry, 'description') ?? '',
    values: objectAt(entry, 'values') as JsonObject,
    ...(entry['otherFields'] === undefined ? {} : { otherFields: objectAt(entry, 'otherFields') as JsonObject }),
  };
}

function versionOf(entry: unknown): number {
  return Math.max(1, numberAt(entry, 'version') ?? 1);
}
