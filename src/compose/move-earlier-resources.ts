// What an earlier version kept in files becomes resources of the cluster: change requests and saved configurations.
import type { ChangeRequestSpec, RequestPhase } from '../domain/change-request/change-request-kind.ts';
import { isAppError, messageOf } from '../domain/core/errors.ts';
import { isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { ENVIRONMENT_KIND } from '../domain/environment/environment-kind.ts';
import { specOf } from '../domain/kind/kind.ts';
import { EVERYBODY, parseActor } from '../domain/kubernetes/actor.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { CHANGE_REQUEST, ENVIRONMENT, SAVED_CONFIGURATION } from '../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ResourceType } from '../domain/kubernetes/resource.ts';
import { MAX_EARLIER, type SavedConfigurationSpec } from '../domain/saved-configuration/saved-configuration-kind.ts';
import { type SpaceOwner, spaceOf } from '../domain/saved-configuration/saved-configuration-space.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { EarlierResources } from '../store/earlier-resources.ts';
import { savedConfigurationSpaces } from './saved-configuration-spaces.ts';

type Entry = EarlierResources['entries'][number];
type Clusters = Pick<Kube, 'asController' | 'asActor'>;

interface MoveInput {
  readonly kube: Clusters;
  readonly log: Log;
  readonly clusterUid: () => Promise<string>;
  readonly earlierConfigurations: EarlierResources;
  /** Without them they wait for a process that runs the controllers, which alone may write their status. */
  readonly earlierRequests?: EarlierResources | undefined;
}

/**
 * Makes resources of what an earlier version kept in files, each once: change requests, and saved configurations. Change requests of another cluster wait for it,
 * and those of an Environment that is not there for that. Never throws: what could not be moved is logged, stays in its file and is tried again at the next start.
 */
export async function moveEarlierResources({ kube, log, ...input }: MoveInput, signal: AbortSignal): Promise<void> {
  const { earlierConfigurations, earlierRequests } = input;
  const moveRequest = async (entry: Entry): Promise<void> => {
    if (textAt(entry, 'cluster') !== (await input.clusterUid())) throw new Error('it belongs to another cluster');
    await createRequest(kube, entry, signal);
  };
  const moveConfiguration = async (entry: Entry): Promise<void> => {
    const versions = listAt(earlierConfigurations.besides(textAt(entry, 'id') ?? ''));
    await createConfiguration(kube, { entry, spec: configurationSpec(entry, versions) }, signal);
  };
  if (earlierRequests !== undefined) await moveAll({ what: 'Change requests', earlier: earlierRequests, move: moveRequest, log }, signal);
  await moveAll({ what: 'Saved configurations', earlier: earlierConfigurations, move: moveConfiguration, log }, signal);
}

interface Moving {
  readonly what: string;
  readonly earlier: EarlierResources;
  readonly move: (entry: Entry) => Promise<void>;
  readonly log: Log;
}

async function moveAll({ what, earlier, move, log }: Moving, signal: AbortSignal): Promise<void> {
  if (earlier.entries.length === 0) return;
  const moved = new Set<string>();
  for (const entry of earlier.entries) {
    const id = textAt(entry, 'id') ?? '';
    const why = await move(entry).then(() => undefined, messageOf);
    if (signal.aborted) break;
    if (why === undefined) moved.add(id);
    else log.warn(`${what} of an earlier version are not all in the cluster yet`, { id, why });
  }
  await earlier.forget(moved);
  const left = earlier.entries.length - moved.size;
  log.info(`${what} of an earlier version are resources of the cluster now`, { moved: moved.size, left });
}

/** It is created as the requester: nobody else can. */
async function createRequest(kube: Clusters, entry: Entry, signal: AbortSignal): Promise<void> {
  const cluster = kube.asController();
  const environment = await ifFound(cluster.get({ ...ENVIRONMENT, name: textAt(entry, 'environment') ?? '' }, { signal }));
  if (environment === undefined) throw new Error('its Environment does not exist');
  const { namespace = environment.metadata.name } = specOf(ENVIRONMENT_KIND, environment);
  const object = { ...addressOf(entry, namespace), spec: requestSpec(entry) };
  const { user, groups } = object.spec.requester;
  await createOnce(kube.asActor(parseActor(user, groups)), CHANGE_REQUEST, object, signal);
  const status = requestStatus(entry);
  if (status !== undefined) {
    const applied = { ...addressOf(entry, namespace), status };
    await cluster.applyStatus(CHANGE_REQUEST, applied, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
}

function addressOf(entry: Entry, namespace: string): Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> {
  return { apiVersion: apiVersionOf(CHANGE_REQUEST), kind: CHANGE_REQUEST.kind, metadata: { name: textAt(entry, 'id') ?? '', namespace } };
}

function requestSpec(entry: Entry): ChangeRequestSpec {
  const preflight = findingsOf(objectAt(entry, 'preflightSummary'));
  const expires = textAt(entry, 'expires');
  return {
    action: textAt(entry, 'action') === 'change' ? 'Change' : 'Install',
    app: textAt(entry, 'app') ?? '',
    name: textAt(entry, 'name') ?? '',
    content: objectAt(entry, 'content') as JsonObject,
    ...(entry['otherFields'] === undefined ? {} : { otherFields: objectAt(entry, 'otherFields') as JsonObject }),
    base: textAt(entry, 'base') ?? '',
    message: textAt(entry, 'message') ?? '',
    requester: { user: textAt(entry, 'requester', 'user') ?? '', groups: textsAt(entry, 'requester', 'groups') },
    ...(preflight === undefined ? {} : { preflight }),
    ...(expires === undefined ? {} : { expires }),
  };
}

function findingsOf(summary: unknown): ChangeRequestSpec['preflight'] {
  const verdict = textAt(summary, 'verdict');
  if (verdict !== 'Ready' && verdict !== 'Blocked') return undefined;
  return { verdict, blocked: textsAt(summary, 'blocked'), warned: textsAt(summary, 'warned') };
}

const PHASES: Readonly<Record<string, RequestPhase>> = {
  approved: 'Applied',
  declined: 'Declined',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

/** Undefined for an open one: its status is the controller's. */
function requestStatus(entry: Entry): JsonObject | undefined {
  const phase = PHASES[textAt(entry, 'state') ?? ''];
  const [decidedBy, decidedAt] = [textAt(entry, 'decidedBy'), textAt(entry, 'decidedAt')];
  if (phase === undefined || decidedBy === undefined || decidedAt === undefined) return undefined;
  return { phase, decidedBy, decidedAt, message: textAt(entry, 'decisionMessage') ?? '' };
}

async function createOnce(cluster: Cluster, type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
  try {
    await cluster.create(type, object, { fieldManager: OURS.userFieldManager, signal });
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
}

interface Move {
  readonly entry: Entry;
  readonly spec: SavedConfigurationSpec;
}

/** It is created as its author, and by the controller where nobody is recorded: an admission policy lets nobody else be the author. */
async function createConfiguration(kube: Clusters, { entry, spec }: Move, signal: AbortSignal): Promise<void> {
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
  await createOnce(cluster, SAVED_CONFIGURATION, object, signal);
}

function ownerOf(entry: Entry): SpaceOwner {
  const group = textAt(entry, 'owner', 'group');
  return group === undefined ? { user: textAt(entry, 'owner', 'user') ?? '' } : { group };
}

function configurationSpec(entry: Entry, versions: readonly unknown[]): SavedConfigurationSpec {
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
