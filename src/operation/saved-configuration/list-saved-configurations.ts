import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import {
  isSameOwner,
  type SavedConfiguration,
  type SavedConfigurationOwner,
} from '../../domain/saved-configuration/saved-configuration.ts';
import type { Ports } from '../ports.ts';

/** What the saved configurations are narrowed by; an empty text leaves all. */
export interface SavedConfigurationQuery {
  /** The App's id. */
  readonly app: string;
  /** Every word must occur in title, description or owner. */
  readonly search: string;
}

/** The saved configurations of the actor and of their groups, by title. */
export async function listSavedConfigurations(
  ports: Pick<Ports, 'savedConfigurations'>,
  actor: Actor,
  { app, search }: SavedConfigurationQuery,
): Promise<readonly SavedConfiguration[]> {
  const all = await ports.savedConfigurations.table.listOf(ownersFor(actor));
  const words = search.toLowerCase().split(/\s+/);
  return all.filter((savedConfiguration) => {
    const text = [savedConfiguration.title, savedConfiguration.description, ...Object.values(savedConfiguration.owner)]
      .join(' ')
      .toLowerCase();
    return (app === '' || savedConfiguration.app === app) && words.every((word) => text.includes(word));
  });
}

/** @throws AppError `NotFound`, in the same words whether there is none or it is somebody else's. */
export async function showSavedConfiguration(
  ports: Pick<Ports, 'savedConfigurations'>,
  actor: Actor,
  id: string,
): Promise<SavedConfiguration> {
  const savedConfiguration = await ports.savedConfigurations.table.get(id);
  if (savedConfiguration === undefined || !ownersFor(actor).some((owner) => isSameOwner(owner, savedConfiguration.owner))) {
    throw new AppError('NotFound', `saved configuration ${JSON.stringify(id)}: you and your groups have none of this id`);
  }
  return savedConfiguration;
}

/** What a saved configuration was before its last changes, the newest first. Throws like `showSavedConfiguration`. */
export async function listSavedConfigurationVersions(
  ports: Pick<Ports, 'savedConfigurations'>,
  actor: Actor,
  id: string,
): Promise<readonly SavedConfiguration[]> {
  await showSavedConfiguration(ports, actor, id);
  return await ports.savedConfigurations.table.earlierOf(id);
}

/** Whose saved configurations the actor may read and write. They belong to no environment, so a token that is limited to some reaches none. */
export function ownersFor(actor: Actor): readonly SavedConfigurationOwner[] {
  if (actor.limits?.environments !== undefined) return [];
  return [{ user: actor.user }, ...actor.groups.map((group) => ({ group }))];
}
