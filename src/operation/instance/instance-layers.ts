import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { AppError } from '../../domain/core/errors.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { instanceLayers, lowerOf, type InstanceLayers } from '../../domain/values/instance-layers.ts';
import { lockFaults } from '../../domain/values/locks.ts';

/** What lies beneath the values of a person for an entry of the catalogue in an environment. */
export function layersOf({ kindBlock, summary }: CatalogEntry, environment: EnvironmentView): InstanceLayers {
  const { defaults, locked } = kindBlock;
  return instanceLayers({ ...summary, defaults, locked }, environment);
}

/**
 * Rejects values that change what is locked.
 *
 * @param values contents: as it would be written, and as it is live where it is there already.
 * @throws AppError `InvalidInput` with a fault for each locked field, which names who locked it.
 */
export function rejectLocked(layers: InstanceLayers, values: { readonly wanted: unknown; readonly live?: unknown }): void {
  const specs = {
    wanted: objectAt(values, 'wanted') as JsonObject,
    lower: lowerOf(layers),
    ...(values.live === undefined ? {} : { live: objectAt(values, 'live') as JsonObject }),
  };
  const faults = lockFaults(layers.locks, specs);
  const [first] = faults;
  if (first !== undefined) throw new AppError('InvalidInput', `${first.field ?? ''}: ${first.message}`, { faults });
}
