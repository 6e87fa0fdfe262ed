import pMap from 'p-map';
import { type Choice, type Choices, keysOf } from '../../domain/app/choices.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { newestFirst } from '../../domain/chart/chart-version.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { App, InstancePermissions } from '../../domain/app/app.ts';
import { isAppAllowed } from '../../domain/environment/allowed-apps.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { ServedKind } from '../../domain/kubernetes/resource.ts';
import { permissionsIn } from '../instance/instance-permissions.ts';
import { findEnvironment, listEnvironments } from '../environment/find-environment.ts';
import { servedCrds } from '../operator/list-operator-instances.ts';
import type { Ports } from '../ports.ts';
import { findApp } from './find-app.ts';
import { showApp } from './show-app.ts';

/** An App with the environments that the actor sees and what they may do with it there. */
export interface InstallTargets {
  readonly app: App;
  /** The versions of its chart that a new instance can have, newest first; empty for the kinds of Operators. */
  readonly chartVersions: readonly string[];
  readonly targets: readonly {
    readonly environment: EnvironmentView;
    readonly permissions: InstancePermissions;
    /** By the Environment. */
    readonly allowed: boolean;
  }[];
}

/** Where the actor could install an App. */
export async function installTargets(ports: Ports, actor: Actor, id: string): Promise<InstallTargets> {
  const shown = await showApp(ports, actor, id);
  // Whoever chooses a preset sends its values as their own.
  const entry = findApp(ports, actor, id);
  const app = { ...shown, presets: entry.kindBlock.presets };
  const [environments, chartVersions] = await Promise.all([listEnvironments(ports, actor), chartVersionsOf(ports, entry)]);
  const targets = await pMap(
    environments,
    async (environment) => ({
      environment,
      permissions: await permissionsIn(ports, actor, { app, namespace: environment.namespace }),
      allowed: isAppAllowed(environment.allowedApps, app),
    }),
    { concurrency: 4 },
  );
  return { app, chartVersions, targets };
}

const VERSIONS_MS = 10_000;
/** As many as an instance names in its status. */
const MAX_VERSIONS = 20;

async function chartVersionsOf({ upgrades }: Pick<Ports, 'upgrades'>, { summary, operator }: CatalogEntry): Promise<readonly string[]> {
  if (summary.group !== OURS.appsGroup) return [];
  const versions = await upgrades.known.chartVersions({ definition: operator.metadata.name }, AbortSignal.timeout(VERSIONS_MS));
  return versions.toSorted(newestFirst).slice(0, MAX_VERSIONS);
}

export interface ChoicesInput {
  readonly environment: string;
  /** `secrets`, `storageclasses.storage.k8s.io`: plural and group. */
  readonly resources: readonly string[];
}

const PAGE = 500;
const MAX_ITEMS = 2000;
/** What Helm and Kubernetes keep for themselves is nothing that somebody refers to. */
const OWN_SECRETS = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';

/**
 * What fields can refer to, listed as the actor: in the environment's namespace, or in the whole cluster for resources without namespaces. Only
 * metadata crosses the wire. A missing permission is a part of the answer.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see.
 */
export async function listChoices(
  ports: Pick<Ports, 'clusters' | 'discovery' | 'catalog'>,
  actor: Actor,
  { environment, resources }: ChoicesInput,
): Promise<readonly Choices[]> {
  const { namespace } = await findEnvironment(ports.clusters, actor, environment);
  const cluster = ports.clusters.asActor(actor);
  const read = async (resource: string): Promise<Choices> => {
    const served = await servedAs(ports, resource);
    if (served === undefined) return { resource, items: [], truncated: false, served: false };
    return await readChoices(cluster, { resource, served, namespace });
  };
  return await pMap([...new Set(resources)], read, { concurrency: 4 });
}

/** CRDs are known as soon as they are served; what the cluster brings by itself hardly changes. */
async function servedAs(ports: Pick<Ports, 'discovery' | 'catalog'>, text: string): Promise<Listed | undefined> {
  const [defined] = servedCrds(ports, [text]);
  const crd = ports.catalog.customResourceDefinitions().find(({ metadata }) => metadata.name === text);
  if (defined !== undefined) {
    const { group, version, resource } = defined;
    return { group, version, resource, namespaced: textAt(crd?.spec, 'scope') === 'Namespaced' };
  }
  const dot = text.indexOf('.');
  const [resource, group] = dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
  const kinds = await ports.discovery.kinds();
  return kinds.find((kind) => kind.resource === resource && kind.group === group && kind.verbs.includes('list'));
}

type Listed = Pick<ServedKind, 'group' | 'version' | 'resource' | 'namespaced'>;

interface Place {
  readonly resource: string;
  readonly served: Listed;
  readonly namespace: string;
}

async function readChoices(cluster: Pick<Cluster, 'pages'>, place: Place): Promise<Choices> {
  const { resource } = place;
  try {
    const { items, truncated } = await readNames(cluster, place);
    return { resource, items: items.toSorted((a, b) => (a.name < b.name ? -1 : 1)), truncated, served: true };
  } catch (error) {
    // A list that changed too fast to be read to its end is as good as none: the names can be typed.
    if (isAppError(error, 'Conflict')) return { resource, items: [], truncated: true, served: true };
    if (isAppError(error, 'NotFound')) return { resource, items: [], truncated: false, served: false };
    if (isAppError(error) && error.unanswered !== undefined) {
      return { resource, items: [], truncated: true, served: true, unavailable: error.faults[0]?.message ?? error.message };
    }
    if (!isAppError(error, 'Forbidden')) throw error;
    const { group } = place.served;
    const permission = { verb: 'list', group, resource: place.served.resource, ...scopeOf(place) };
    return { resource, items: [], truncated: false, served: true, missing: error.missing ?? permission };
  }
}

async function readNames(
  cluster: Pick<Cluster, 'pages'>,
  { served, namespace, resource }: Place,
): Promise<{ readonly items: Choice[]; readonly truncated: boolean }> {
  const items: Choice[] = [];
  const isSecret = resource === 'secrets';
  const hasKeys = isSecret || resource === 'configmaps';
  const scope = scopeOf({ served, namespace });
  const options = { content: 'metadata', size: PAGE, ...scope, ...(isSecret ? { fieldSelector: OWN_SECRETS } : {}) } as const;
  for await (const page of cluster.pages(served, options)) {
    items.push(...page.items.map((object) => ({ name: object.metadata.name, keys: hasKeys ? keysOf(object) : [] })));
    if (items.length >= MAX_ITEMS) return { items: items.slice(0, MAX_ITEMS), truncated: page.remaining > 0 || items.length > MAX_ITEMS };
  }
  return { items, truncated: false };
}

function scopeOf({ served, namespace }: Pick<Place, 'served' | 'namespace'>): { readonly namespace?: string } {
  return served.namespaced ? { namespace } : {};
}
