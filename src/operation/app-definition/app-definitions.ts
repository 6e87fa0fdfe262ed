import {
  type AppDefinitionView,
  appDefinitionView,
  type AppRevisionView,
  appRevisionViews,
} from '../../domain/app-definition/app-definition-view.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { type RolloutInstance, rolloutOf } from '../../domain/app-definition/rollout.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { contentOf, newResource } from '../../domain/instance/instance-content.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain, OURS, parseObjectName } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION, APP_REVISION, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { OperatorInstance } from '../../domain/operator/operator-instances.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { audited } from '../audit/audited.ts';
import { rejectOtherKind, rejectReserved, USER_WRITE } from '../instance/instance-draft.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import { listKind } from '../instance/list-kind.ts';
import { listCrdInstances, servedCrds } from '../operator/list-operator-instances.ts';
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
  /** What the current version means for each instance that the actor may list, in the order of a roll-out. */
  readonly versions: readonly RolloutInstance[];
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
  const missing = new AppError('NotFound', `app definition ${JSON.stringify(name.slice(0, 253))}: it does not exist in the cluster`);
  if (!isDnsSubdomain(name)) throw missing;
  const cluster = ports.clusters.asActor(actor);
  const object = await cluster.get({ ...APP_DEFINITION, name }).catch((error: unknown) => {
    throw isAppError(error, 'NotFound') ? missing : error;
  });
  const definition = appDefinitionView(object);
  const { crd, published, chart } = definition;
  const [revisions, found, versions, words] = await Promise.all([
    cluster.list(APP_REVISION, { labelSelector: `${OURS.appDefinitionLabel}=${name}` }),
    listCrdInstances(ports, actor, crd === undefined ? published : [crd]),
    listVersions(ports, actor, definition),
    chart.digest === undefined ? undefined : ports.chart(chart.digest),
  ]);
  return {
    ...definition,
    revisions: appRevisionViews(revisions.items),
    placed: found.instances,
    versions,
    missing: found.missing,
    unavailable: found.unavailable,
    readme: words?.readme ?? '',
  };
}

/** Empty where the actor may not list them. */
async function listVersions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { crd, revision = '', chart }: AppDefinitionView,
): Promise<readonly RolloutInstance[]> {
  const cluster = ports.clusters.asActor(actor);
  const [served] = servedCrds(ports, crd === undefined ? [] : [crd]);
  if (served === undefined) return [];
  const { group, version, resource } = served;
  const [list, environments] = await Promise.all([
    listKind(async (options) => (await cluster.list({ group, version, resource }, options)).items),
    listEnvironments(ports, actor),
  ]);
  if (list.outcome !== 'Listed') return [];
  const tiers = new Map(environments.map(({ namespace, tier }) => [namespace, tier]));
  const tierOf = (namespace: string): string | undefined => tiers.get(namespace);
  return rolloutOf({ revision, digest: chart.digest ?? '', instances: list.items, tierOf, maxConcurrent: 1 }).instances;
}

/** The permission to create AppDefinitions that the actor lacks; undefined when they have it. */
export async function missingForNewAppDefinition(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
): Promise<MissingPermission | undefined> {
  const permission = permissionTo('create', APP_DEFINITION);
  return (await clusters.asActor(actor).review(permission)).allowed ? undefined : permission;
}

/** Creates an AppDefinition as the actor. `AlreadyExists` when the name is taken; throws as `definitionToCreate`. */
export async function createAppDefinition(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { definition, via, requestId }: RequestOrigin & { readonly definition: KubeObject },
): Promise<AppDefinitionView> {
  const event = { action: 'create app definition', environment: '', target: definition.metadata.name, via, requestId };
  return await audited(ports, actor, event, async () => {
    const { object } = await ports.clusters.asActor(actor).create(APP_DEFINITION, definitionToCreate(definition), USER_WRITE);
    return appDefinitionView(object);
  });
}

/** @throws AppError `InvalidInput` for what is no AppDefinition, and for labels and annotations that people cannot set. */
export function definitionToCreate(sent: KubeObject): KubeObject {
  rejectOtherKind(APP_DEFINITION, 'app definition', sent);
  const { name, labels, annotations } = sent.metadata;
  rejectReserved(contentOf({ metadata: { labels, annotations } }));
  return newResource(APP_DEFINITION, parseObjectName(name), sent);
}
