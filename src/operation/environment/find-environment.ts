import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Clusters, ifFound } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { environmentFacts } from '../../domain/environment/environment-facts.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { type EnvironmentDetails, type EnvironmentView, USUAL_TIERS } from '../../domain/environment/environment.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { creatorOf } from '../../domain/kubernetes/creator.ts';
import { etagOf } from '../../domain/kubernetes/etag.ts';
import { isDnsLabel } from '../../domain/kubernetes/names.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { shownEnvironment } from './environment-masking.ts';
import type { Ports } from '../ports.ts';

/**
 * An Environment, read as the actor.
 *
 * @throws AppError `NotFound`, in the same words whether it does not exist or the actor may not see it.
 */
export async function findEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<EnvironmentView> {
  return environmentView(await findEnvironmentObject(clusters, actor, name));
}

/** The resource of an Environment, read as the actor. Throws as `findEnvironment`. */
export async function findEnvironmentObject(clusters: Clusters, actor: Actor, name: string): Promise<KubeObject> {
  const actors = underWay.get(clusters) ?? new WeakMap<Actor, Map<string, Promise<KubeObject>>>();
  underWay.set(clusters, actors);
  const readings = actors.get(actor) ?? new Map<string, Promise<KubeObject>>();
  actors.set(actor, readings);
  const reading = readings.get(name) ?? readEnvironment(clusters, actor, name).finally(() => readings.delete(name));
  readings.set(name, reading);
  return await reading;
}

/** The parts of a page ask for the same environment at once, and one answer serves all of them. The actor is that of one request. */
const underWay = new WeakMap<Clusters, WeakMap<Actor, Map<string, Promise<KubeObject>>>>();

async function readEnvironment(clusters: Clusters, actor: Actor, name: string): Promise<KubeObject> {
  const missing = new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
  if (!isDnsLabel(name)) throw missing;
  try {
    return await clusters.asActor(actor).get({ ...ENVIRONMENT, name });
  } catch (error) {
    throw isAppError(error, 'NotFound', 'Forbidden') ? missing : error;
  }
}

/** An Environment as people see it. */
function environmentView(object: KubeObject): EnvironmentView {
  const { name } = object.metadata;
  const fields = specOf(ENVIRONMENT_KIND, object);
  const { displayName = name, namespace = name, tier, groups, subjects, overlay } = fields;
  const status = statusOf(ENVIRONMENT_KIND, object);
  const { conditions } = status;
  const ready = findCondition(conditions, 'Ready');
  return {
    name,
    displayName,
    namespace,
    tier,
    groups,
    subjects,
    overlay,
    ...(fields.allowedApps === undefined ? {} : { allowedApps: fields.allowedApps }),
    ...(fields.networkPolicy === undefined ? {} : { networkPolicy: fields.networkPolicy }),
    facts: environmentFacts(fields, status, creatorOf(object)),
    ready: ready?.status === 'True',
    message: ready?.status === 'True' ? '' : ready?.message || 'The namespace is being created',
    conditions,
  };
}

/** One Environment, when the actor may see it. Values that it lays over the catalogue are masked where they are sensitive. */
export async function showEnvironment(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, name: string): Promise<EnvironmentDetails> {
  return environmentDetails(ports, await findEnvironmentObject(ports.clusters, actor, name));
}

/** A resource as people see it. */
export function environmentDetails(ports: Pick<Ports, 'catalog'>, object: KubeObject): EnvironmentDetails {
  const shown = shownEnvironment(ports, object);
  return { ...environmentView(shown), object: shown, etag: etagOf(object) };
}

/**
 * The Environments that the actor may see, production first, then by name. Which there are is known from the catalogue cache; whether the
 * actor may see one is asked of the api-server as the actor, for each.
 */
export async function listEnvironments(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor): Promise<readonly EnvironmentView[]> {
  const names = ports.catalog.environments().map(({ metadata }) => metadata.name);
  const read = async (name: string): Promise<EnvironmentView> =>
    environmentView(shownEnvironment(ports, await findEnvironmentObject(ports.clusters, actor, name)));
  const found = await pMap(names, async (name) => await ifFound(read(name)), { concurrency: 8 });
  return found
    .filter((view) => view !== undefined)
    .sort((a, b) => tierRank(a) - tierRank(b) || a.tier.localeCompare(b.tier) || a.name.localeCompare(b.name));
}

function tierRank({ tier }: EnvironmentView): number {
  const rank = USUAL_TIERS.findIndex((usual) => usual === tier);
  return rank < 0 ? USUAL_TIERS.length : rank;
}
