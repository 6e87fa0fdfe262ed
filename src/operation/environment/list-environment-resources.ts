import { type BoardFilter, boardOf, type BoardWorkload, filterBoard } from '../../domain/environment/deploy-board.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import {
  countResources,
  type EnvironmentResource,
  filterResources,
  type ResourceCount,
  type ResourceFilter,
} from '../../domain/environment/environment-resources.ts';
import { type Emptiness, emptinessOf } from '../../domain/tree/emptiness.ts';
import { type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import { type Workload, workloadsOf } from '../../domain/workload/workload.ts';
import { redactWorkload } from '../instance/instance-masking.ts';
import { readRestOfRelease, type ReleaseRest } from '../release/read-release.ts';
import { namespacedKinds } from '../instance/read-objects.ts';
import { type EnvironmentPorts, type EnvironmentReading, readEnvironment, type ReadingExtent } from './read-environment.ts';

export interface EnvironmentResourcesInput extends ResourceFilter, ReadingExtent {
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
  { environment: name, extent, ...filter }: EnvironmentResourcesInput,
): Promise<EnvironmentResources> {
  const isWhole = extent === undefined || Object.keys(filter).length > 0;
  const reading = await readEnvironment(ports, actor, { environment: name, ...(isWhole ? {} : { extent }) });
  const { environment, unavailable } = reading;
  const rest = filter.release === undefined ? NO_REST : await readRest(ports, actor, { ...reading, release: filter.release });
  const all = [...reading.resources, ...reading.describe(rest.objects)];
  const missing = [...reading.missing, ...rest.missing];
  const found = { environment, resources: filterResources(all, filter), all, counts: countResources(all), missing, unavailable };
  if (found.resources.length > 0) return found;
  // That there is nothing can be said only of what was looked for.
  if (!isWhole) return await listEnvironmentResources(ports, actor, { environment: name });
  const served = new Set(
    namespacedKinds(await ports.discovery.kinds()).map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
  );
  return { ...found, empty: emptinessOf({ place: `the namespace ${environment.namespace}`, total: all.length, filter, served, missing }) };
}

const NO_REST: ReleaseRest = { objects: [], named: new Set(), missing: [] };

/** What a release has outside of the namespace, and what of its manifest does not exist. */
async function readRest(
  { clusters, discovery, health }: EnvironmentPorts,
  actor: Actor,
  { environment, objects, release }: Pick<EnvironmentReading, 'environment' | 'objects'> & { readonly release: string },
): Promise<ReleaseRest> {
  const { namespace = environment.namespace, name } = parseKey(release);
  const kinds = await discovery.kinds();
  return await readRestOfRelease(clusters.asActor(actor), { release: { namespace, name }, read: objects, kinds, health });
}

export interface EnvironmentWorkloadsInput extends BoardFilter, ReadingExtent {
  readonly environment: string;
}

/** The deploy board of an environment. */
export interface EnvironmentWorkloads extends Pick<EnvironmentReading, 'environment' | 'missing' | 'unavailable' | 'unexplored'> {
  /** Those that the filter leaves, by kind and name. */
  readonly workloads: readonly BoardWorkload[];
  /** All of them, whatever the filter. */
  readonly all: readonly BoardWorkload[];
  /** Why the filter leaves none; absent when it leaves some. */
  readonly empty?: Emptiness;
}

/**
 * Every workload in the namespace of an environment, whoever made it, read as the actor.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see.
 */
export async function listEnvironmentWorkloads(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment: name, extent, ...filter }: EnvironmentWorkloadsInput,
): Promise<EnvironmentWorkloads> {
  const reading = await readEnvironment(ports, actor, { environment: name, ...(extent === undefined ? {} : { extent }) });
  const { environment, resources, unavailable, unexplored } = reading;
  const all = boardOf(workloadsIn(reading), resources);
  const missing = reading.missing.filter(({ resource }) => WORKLOADS.has(resource));
  const workloads = filterBoard(all, filter);
  const found = { environment, workloads, all, missing, unavailable, ...(unexplored === undefined ? {} : { unexplored }) };
  if (workloads.length > 0) return found;
  const place = `the namespace ${environment.namespace}`;
  return {
    ...found,
    empty: emptinessOf({ subject: ['workload', 'workloads'], place, total: all.length, filter, served: new Set(), missing }),
  };
}

/** Without these a workload is not on the board, or its pods are not. */
const WORKLOADS = new Set([
  'pods',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'jobs',
  'cronjobs',
  'replicationcontrollers',
]);

/** By the objects of a reading, which are the same list until one of them changes. */
const knownWorkloads = new WeakMap<readonly KubeObject[], readonly Workload[]>();

/** The workloads of a reading, without secrets. */
export function workloadsIn({ objects, secrets }: Pick<EnvironmentReading, 'objects' | 'secrets'>): readonly Workload[] {
  const known = knownWorkloads.get(objects) ?? workloadsOf(objects).map((workload) => redactWorkload(workload, secrets));
  knownWorkloads.set(objects, known);
  return known;
}
