import {
  type AppDefinitionView,
  appDefinitionView,
  type AppRevisionView,
  appRevisionViews,
} from '../../domain/app-definition/app-definition-view.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain, OURS } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION, APP_REVISION, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { OperatorInstance } from '../../domain/operator/operator-instances.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { listCrdInstances } from '../operator/list-operator-instances.ts';
import type { Ports } from '../ports.ts';

export interface AppDefinitionAddress {
  readonly name: string;
}

/** The AppDefinitions, read as the actor, by name; `Forbidden` for whoever is not an admin. */
export async function listAppDefinitions({ clusters }: Pick<Ports, 'clusters'>, actor: Actor): Promise<readonly AppDefinitionView[]> {
  const { items } = await clusters.asActor(actor).list(APP_DEFINITION);
  return items.map(appDefinitionView).sort((a, b) => a.name.localeCompare(b.name));
}

/** An AppDefinition with its history and its instances, as far as the actor may list them. */
export interface AppDefinitionDetails extends AppDefinitionView {
  /** Newest first. */
  readonly revisions: readonly AppRevisionView[];
  readonly placed: readonly OperatorInstance[];
  /** Permissions without which instances cannot be listed. */
  readonly missing: readonly MissingPermission[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
  /** The README of the chart: hostile Markdown until it has been sanitised. Empty when there is none, or the chart is not cached. */
  readonly readme: string;
}

/**
 * One AppDefinition, read as the actor.
 *
 * @throws AppError `NotFound`; `Forbidden` for everybody who may not read AppDefinitions.
 */
export async function showAppDefinition(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'chart'>,
  actor: Actor,
  { name }: AppDefinitionAddress,
): Promise<AppDefinitionDetails> {
  const missing = new AppError('NotFound', `app definition ${JSON.stringify(name.slice(0, 253))}: there is none in the cluster`);
  if (!isDnsSubdomain(name)) throw missing;
  const cluster = ports.clusters.asActor(actor);
  const object = await cluster.get({ ...APP_DEFINITION, name }).catch((error: unknown) => {
    throw isAppError(error, 'NotFound') ? missing : error;
  });
  const definition = appDefinitionView(object);
  const { crd, chart } = definition;
  const [revisions, found, words] = await Promise.all([
    cluster.list(APP_REVISION, { labelSelector: `${OURS.appDefinitionLabel}=${name}` }),
    listCrdInstances(ports, actor, crd === undefined ? [] : [crd]),
    chart.digest === undefined ? undefined : ports.chart(chart.digest),
  ]);
  return {
    ...definition,
    revisions: appRevisionViews(revisions.items, name),
    placed: found.instances,
    missing: found.missing,
    unavailable: found.unavailable,
    readme: words?.readme ?? '',
  };
}

/** The permission to create AppDefinitions that the actor lacks; undefined when they have it. */
export async function missingForNewAppDefinition(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
): Promise<MissingPermission | undefined> {
  const permission = permissionTo('create', APP_DEFINITION);
  return (await clusters.asActor(actor).review(permission)).allowed ? undefined : permission;
}
