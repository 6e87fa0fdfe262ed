import type { Actor } from '../../domain/kubernetes/actor.ts';
import {
  countResources,
  type EnvironmentResource,
  filterResources,
  type ResourceCount,
  type ResourceFilter,
} from '../../domain/environment/environment-resources.ts';
import { type Emptiness, emptinessOf } from '../../domain/tree/emptiness.ts';
import { namespacedKinds } from '../instance/read-objects.ts';
import { type EnvironmentPorts, type EnvironmentReading, readEnvironment } from './read-environment.ts';

export interface EnvironmentResourcesInput extends ResourceFilter {
  readonly environment: string;
}

export interface EnvironmentResources extends Pick<EnvironmentReading, 'environment' | 'missing' | 'unavailable'> {
  /** Those that the filter leaves, by kind and name. */
  readonly resources: readonly EnvironmentResource[];
  /** All of them, whatever the filter. */
  readonly all: readonly EnvironmentResource[];
  readonly counts: readonly ResourceCount[];
  /** Why the filter leaves none; absent when it leaves some. */
  readonly empty?: Emptiness;
}

/**
 * The resource group of an environment: everything in its namespace, whoever made it, read as the actor.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see; `InvalidInput` for a label selector that is none.
 */
export async function listEnvironmentResources(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment: name, ...filter }: EnvironmentResourcesInput,
): Promise<EnvironmentResources> {
  const { environment, resources: all, missing, unavailable } = await readEnvironment(ports, actor, name);
  const found = { environment, resources: filterResources(all, filter), all, counts: countResources(all), missing, unavailable };
  if (found.resources.length > 0) return found;
  const served = new Set(
    namespacedKinds(await ports.discovery.kinds()).map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
  );
  return { ...found, empty: emptinessOf({ place: `the namespace ${environment.namespace}`, total: all.length, filter, served, missing }) };
}
