import pMap from 'p-map';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isDnsLabel } from '../../domain/kubernetes/names.ts';
import { SAVED_CONFIGURATION } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import {
  parseSavedConfigurationId,
  type SavedConfiguration,
  savedConfigurationOf,
  type SavedConfigurationOwner,
} from '../../domain/saved-configuration/saved-configuration.ts';
import { type SpaceOwner, spaceOf } from '../../domain/saved-configuration/saved-configuration-space.ts';
import { findEnvironment, listEnvironments } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';

export type SavedConfigurationNeeds = Pick<Ports, 'clusters' | 'catalog' | 'savedConfigurations'>;

/** A namespace with saved configurations, and whose they are. */
export interface Place {
  readonly owner: SavedConfigurationOwner;
  readonly namespace: string;
}

/** A saved configuration as the cluster has it. */
export interface StoredConfiguration {
  readonly savedConfiguration: SavedConfiguration;
  readonly object: KubeObject;
  readonly place: Place;
}

const PAGE_SIZE = 20;
/** Of one namespace: whoever creates more with kubectl finds them with kubectl. */
const MAX_READ = 200;

/** The saved configurations that the actor may read, in no order. Each is read as the actor. */
export async function readStored(ports: SavedConfigurationNeeds, actor: Actor): Promise<readonly StoredConfiguration[]> {
  const [own, environments] = await Promise.all([ownPlaces(ports, actor), listEnvironments(ports, actor)]);
  const places = [...own, ...environments.map(({ name, namespace }) => ({ owner: { environment: name }, namespace }))];
  const found = await pMap(places, async (place) => await readPlace(ports, actor, place), { concurrency: 8 });
  return found.flat();
}

/** Those of one namespace. None where the actor may not list them. */
export async function readPlace(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  place: Place,
): Promise<readonly StoredConfiguration[]> {
  const { owner, namespace } = place;
  const found: StoredConfiguration[] = [];
  try {
    const pages = clusters.asActor(actor).pages(SAVED_CONFIGURATION, { namespace, content: 'whole', size: PAGE_SIZE });
    for await (const { items } of pages) {
      found.push(...items.map((object) => ({ savedConfiguration: savedConfigurationOf(object, owner), object, place })));
      if (found.length >= MAX_READ) break;
    }
  } catch (error) {
    if (!isAppError(error, 'Forbidden', 'NotFound')) throw error;
  }
  return found;
}

/** @throws AppError `NotFound`, in the same words whether there is none or the actor may not read it. */
export async function findStored(ports: SavedConfigurationNeeds, actor: Actor, id: string): Promise<StoredConfiguration> {
  const { namespace, name } = parseSavedConfigurationId(id);
  if (isDnsLabel(name)) {
    const places = namespace === '' ? await ownPlaces(ports, actor) : placesNamed(ports, actor, namespace);
    const found = await pMap(places, async (place) => await readOne(ports, actor, { place, name }), { concurrency: 8 });
    const [first] = found.filter((one) => one !== undefined);
    if (first !== undefined) return first;
  }
  throw new AppError('NotFound', `saved configuration ${JSON.stringify(id)}: you, your groups and your environments have none of this id`);
}

async function readOne(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { place, name }: { readonly place: Place; readonly name: string },
): Promise<StoredConfiguration | undefined> {
  try {
    const object = await ifFound(clusters.asActor(actor).get({ ...SAVED_CONFIGURATION, namespace: place.namespace, name }));
    return object && { savedConfiguration: savedConfigurationOf(object, place.owner), object, place };
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** Whose namespaces the actor may have. They belong to no environment, so a token that is limited to some reaches none. */
export function ownersFor(actor: Actor): readonly SpaceOwner[] {
  if (actor.limits?.environments !== undefined) return [];
  return [{ user: actor.user }, ...actor.groups.map((group) => ({ group }))];
}

/** The namespace of an owner, which is made for a person or a group when there is none. @throws AppError `NotFound` for an Environment that the actor does not see. */
export async function placeFor(
  { clusters, savedConfigurations }: SavedConfigurationNeeds,
  actor: Actor,
  owner: SavedConfigurationOwner,
): Promise<Place> {
  if ('environment' in owner) return { owner, namespace: (await findEnvironment(clusters, actor, owner.environment)).namespace };
  await savedConfigurations.createSpace(owner, actor);
  return { owner, namespace: spaceOf(owner) };
}

/** The namespaces of the actor and of their groups that exist. */
async function ownPlaces({ savedConfigurations }: SavedConfigurationNeeds, actor: Actor): Promise<readonly Place[]> {
  const owners = await savedConfigurations.withSpace(ownersFor(actor));
  return owners.map((owner) => ({ owner, namespace: spaceOf(owner) }));
}

function placesNamed({ catalog }: SavedConfigurationNeeds, actor: Actor, namespace: string): readonly Place[] {
  const own = ownersFor(actor).find((owner) => spaceOf(owner) === namespace);
  if (own !== undefined) return [{ owner: own, namespace }];
  const environment = catalog.environments().find((one) => {
    const { namespace: its = one.metadata.name } = specOf(ENVIRONMENT_KIND, one);
    return its === namespace;
  });
  return environment === undefined ? [] : [{ owner: { environment: environment.metadata.name }, namespace }];
}
