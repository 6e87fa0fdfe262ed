import pMap from 'p-map';
import { buildCatalog } from '../../domain/catalog/app-catalog.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Clusters, ifFound } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { type EnvironmentView, USUAL_TIERS } from '../../domain/environment/environment.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { isDnsLabel } from '../../domain/kubernetes/names.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { maskContent } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/**
 * An Environment, read as the actor.
 *
 * @throws AppError `NotFound`, in the same words whether it does not exist or the actor may not see it.
 */
export async function findEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  const actors = underWay.get(clusters) ?? new WeakMap<Actor, Map<string, Promise<EnvironmentView>>>();
  underWay.set(clusters, actors);
  const readings = actors.get(actor) ?? new Map<string, Promise<EnvironmentView>>();
  actors.set(actor, readings);
  const reading = readings.get(name) ?? readEnvironment(clusters, actor, name).finally(() => readings.delete(name));
  readings.set(name, reading);
  return await reading;
}

/** The parts of a page ask for the same environment at once, and one answer serves all of them. The actor is that of one request. */
const underWay = new WeakMap<Clusters, WeakMap<Actor, Map<string, Promise<EnvironmentView>>>>();

async function readEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  const missing = new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
  if (!isDnsLabel(name)) throw missing;
  try {
    return environmentView(await clusters.asActor(actor).get({ ...ENVIRONMENT, name }));
  } catch (error) {
    throw isAppError(error, 'NotFound', 'Forbidden') ? missing : error;
  }
}

/** An Environment as people see it. */
function environmentView(object: KubeObject): EnvironmentView {
  const { name } = object.metadata;
  const { displayName = name, namespace = name, tier, groups, subjects, overlay } = specOf(ENVIRONMENT_KIND, object);
  const { conditions } = statusOf(ENVIRONMENT_KIND, object);
  const ready = findCondition(conditions, 'Ready');
  return {
    name,
    displayName,
    namespace,
    tier,
    groups,
    subjects,
    overlay,
    ready: ready?.status === 'True',
    message: ready?.status === 'True' ? '' : ready?.message || 'The namespace is being created',
    conditions,
  };
}

/** One Environment, when the actor may see it. Values that it lays over the catalogue are masked where they are sensitive. */
export async function showEnvironment(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, name: string): Promise<EnvironmentView> {
  return maskOverlay(ports, await findEnvironment(ports.clusters, actor, name));
}

function maskOverlay({ catalog }: Pick<Ports, 'catalog'>, environment: EnvironmentView): EnvironmentView {
  if (environment.overlay.length === 0) return environment;
  const entries = buildCatalog(catalog.operators(), catalog.customResourceDefinitions());
  const overlay = environment.overlay.map((one) => {
    const entry = entries.find(({ summary }) => summary.id === one.app);
    return { ...one, values: maskContent(entry, one.values) };
  });
  return { ...environment, overlay };
}

/**
 * The Environments that the actor may see, production first, then by name. Which there are is known from the catalogue cache; whether the
 * actor may see one is asked of the api-server as the actor, for each.
 */
export async function listEnvironments(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor): Promise<readonly EnvironmentView[]> {
  const names = ports.catalog.environments().map(({ metadata }) => metadata.name);
  const found = await pMap(names, async (name) => await ifFound(showEnvironment(ports, actor, name)), { concurrency: 8 });
  return found
    .filter((view) => view !== undefined)
    .sort((a, b) => tierRank(a) - tierRank(b) || a.tier.localeCompare(b.tier) || a.name.localeCompare(b.name));
}

function tierRank({ tier }: EnvironmentView): number {
  const rank = USUAL_TIERS.findIndex((usual) => usual === tier);
  return rank < 0 ? USUAL_TIERS.length : rank;
}
