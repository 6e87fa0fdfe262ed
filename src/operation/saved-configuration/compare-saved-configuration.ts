import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { schemaOf } from '../../domain/catalog/app-catalog.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { contentOf, ownContentOf } from '../../domain/instance/instance-content.ts';
import { contentOfSavedConfiguration, type SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import type { ValueChange } from '../../domain/values/value-change.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { findApp } from '../app/find-app.ts';
import { findInstance } from '../instance/find-instance.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import { showSavedConfiguration } from './list-saved-configurations.ts';
import type { Ports } from '../ports.ts';
import { changesOfLive, changesOfNew } from '../instance/value-changes.ts';

/** An Instance of the saved configuration's App. */
export interface ComparableInstance {
  readonly environment: string;
  readonly name: string;
}

export interface SavedConfigurationComparison {
  readonly savedConfiguration: SavedConfiguration;
  /** Secrets are reported to differ, and no more. */
  readonly changes: readonly ValueChange[];
}

const MAX_INSTANCES = 200;

/**
 * What a saved configuration sets: beside the defaults that a new instance has today, or what laying it over a live Instance would change there. What it does not
 * name stays as it is.
 *
 * @throws AppError as `showSavedConfiguration` and `findInstance`.
 */
export async function compareSavedConfiguration(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'savedConfigurations' | 'chart' | 'chartValues'>,
  actor: Actor,
  { id, instance }: { readonly id: string; readonly instance?: ComparableInstance },
): Promise<SavedConfigurationComparison> {
  const savedConfiguration = await showSavedConfiguration(ports, actor, id);
  const entry = findApp(ports, actor, savedConfiguration.app);
  await yieldToEventLoop();
  if (instance === undefined) {
    const operator = contentOf(entry.kindBlock.defaults);
    return {
      savedConfiguration,
      changes: changesOfNew(entry, { operator, environment: {}, own: contentOfSavedConfiguration(savedConfiguration) }),
    };
  }
  const { object } = await findInstance(ports, actor, { ...instance, app: savedConfiguration.app });
  const live = ownContentOf(object);
  const schema = contentSchema(schemaOf(entry.crd, entry.summary.version));
  return {
    savedConfiguration,
    changes: changesOfLive(entry, live, layOwnValues(live, contentOfSavedConfiguration(savedConfiguration), schema)),
  };
}

/** The Instances of an App that the actor may read, by environment and name; at most 200. */
export async function listComparableInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  app: string,
): Promise<readonly ComparableInstance[]> {
  const { summary } = findApp(ports, actor, app);
  const ref = { group: summary.group, version: summary.version, resource: summary.plural };
  const found = await pMap(
    await listEnvironments(ports, actor),
    async ({ name: environment, namespace }) => {
      const names = await namesIn(ports.clusters.asActor(actor), ref, namespace);
      return names.map((name) => ({ environment, name }));
    },
    { concurrency: 8 },
  );
  return found.flat().slice(0, MAX_INSTANCES);
}

type Lister = Pick<ReturnType<Ports['clusters']['asActor']>, 'list'>;

/** Nothing where the actor may not list them. */
async function namesIn(cluster: Lister, ref: Parameters<Lister['list']>[0], namespace: string): Promise<readonly string[]> {
  try {
    return (await cluster.list(ref, { namespace })).items.map(({ metadata }) => metadata.name).toSorted();
  } catch (error) {
    if (isAppError(error, 'Forbidden', 'NotFound')) return [];
    throw error;
  }
}
