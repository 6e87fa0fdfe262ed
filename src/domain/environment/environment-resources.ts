import { at, booleanAt, listAt, textAt } from '../core/read.ts';
import type { NamespaceVerdict } from '../cause/namespace-causes.ts';
import { type Health, HEALTH_STATUSES, type HealthStatus } from '../health/health.ts';
import { healthOf } from '../health/rules/health-of.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject, ServedKind } from '../kubernetes/resource.ts';
import { parseLabelSelector } from '../kubernetes/label-selector.ts';
import { kindKey } from '../tree/object-index.ts';
import { managerOf, type ResourceManager } from '../tree/resource-manager.ts';
import type { JudgedApp } from '../tree/judge-apps.ts';
import { infoOf } from '../tree/tree-builder.ts';

/** One resource in the namespace of an Environment, whoever made it. */
export interface EnvironmentResource {
  readonly uid: string;
  /** Plural and group: `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for cluster-scoped ones. */
  readonly namespace?: string;
  readonly created: string;
  readonly deleting: boolean;
  /** Absent when its kind has no rule and no conditions. */
  readonly health?: Health;
  /** One sentence that names why it, or what it owns, is not well; absent where its health says all that is known. */
  readonly cause?: string;
  /** A few words on its state, e.g. `2/3 ready`. */
  readonly info: string;
  /** What stands at the top of its owner references. */
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** The Instance that it is, or that stands at the top of its owners. */
  readonly instance?: { readonly app: string; readonly name: string };
  /** Who keeps it, or what it belongs to. */
  readonly managedBy?: ResourceManager;
  /** The Helm release, `namespace/name`: its own, or that of what stands at the top of its owners. */
  readonly release?: string;
  /** Ids of the inventories that it is in, by its own labels or those of what stands at the top of its owners. */
  readonly inventories: readonly string[];
  /** For selectors; they may repeat a sensitive value, so they are not shown. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The health of resources, and those whose kind has none. */
export const RESOURCE_HEALTHS = [...HEALTH_STATUSES, 'None'] as const;
export type ResourceHealth = HealthStatus | 'None';

export interface ResourceFilter {
  /** Plural and group. */
  readonly resource?: string;
  readonly health?: ResourceHealth;
  /** A tool, or the name of a field manager. */
  readonly managedBy?: string;
  /** A Helm release: `name`, or `namespace/name`. */
  readonly release?: string;
  /** The id of an inventory. */
  readonly inventory?: string;
  /** As kubectl takes it, about the labels of the resource itself. */
  readonly labelSelector?: string;
  /** Must occur in the name, the kind, or the name of its owner or manager. */
  readonly search?: string;
}

/** The filters that are texts. */
export const TEXT_FILTERS = ['resource', 'managedBy', 'release', 'inventory', 'labelSelector', 'search'] as const;

/** How many resources a kind has, by health. */
export interface ResourceCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
  readonly health: Readonly<Partial<Record<ResourceHealth, number>>>;
}

interface ResourceContext {
  readonly kinds: readonly ServedKind[];
  /** The Apps of the catalogue that may be known of, whose ids are those of resources. */
  readonly shown: ReadonlySet<string>;
  readonly causes?: ReadonlyMap<KubeObject, NamespaceVerdict>;
  /** The instances of apps by their object. */
  readonly apps?: ReadonlyMap<KubeObject, JudgedApp>;
}

/** Describes objects, by kind and name. */
export function describeResources(
  objects: readonly KubeObject[],
  { kinds, shown, causes, apps = NO_APPS }: ResourceContext,
): EnvironmentResource[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid ?? '', object]));
  const resourceOf = new Map(
    kinds.map(({ group, kind, resource }) => [`${group}/${kind}`, group === '' ? resource : `${resource}.${group}`]),
  );
  const idOf = (object: Pick<KubeObject, 'apiVersion' | 'kind'>): string => resourceOf.get(kindKey(object)) ?? '';
  const appOf = appsByPart(apps);
  const described = objects.map((object): EnvironmentResource => {
    const { apiVersion, kind, metadata } = object;
    const { top, owner } = topOf(object, byUid);
    const managedBy = managerOf(top);
    const groups = resourceGroupsOf(top);
    const instance = owner === undefined || !shown.has(idOf(owner)) ? (appOf.get(object) ?? object) : { ...owner, metadata: owner };
    const app = idOf(instance);
    return {
      uid: metadata.uid ?? '',
      resource: resourceOf.get(kindKey(object)) ?? kind,
      apiVersion,
      kind,
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      created: metadata.creationTimestamp ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      ...healthIn(object, { app: apps.get(object), verdict: causes?.get(object) }),
      info: infoOf(object),
      ...(owner === undefined ? {} : { owner }),
      ...(shown.has(app) ? { instance: { app, name: instance.metadata.name } } : {}),
      ...(managedBy === undefined ? {} : { managedBy }),
      ...groups,
      labels: metadata.labels ?? {},
    };
  });
  return described.sort((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name) || a.resource.localeCompare(b.resource));
}

const NO_APPS: ReadonlyMap<KubeObject, JudgedApp> = new Map();

/** The instance that each object is a part of; of what several use, the first one. */
function appsByPart(apps: ReadonlyMap<KubeObject, JudgedApp>): ReadonlyMap<KubeObject, KubeObject> {
  const roots = new Map<KubeObject, KubeObject>();
  for (const { root, parts } of apps.values()) for (const part of parts) if (!roots.has(part)) roots.set(part, root);
  return roots;
}

interface Judged {
  readonly app: JudgedApp | undefined;
  readonly verdict: NamespaceVerdict | undefined;
}

/** An instance is as its whole tree is. */
function healthIn(object: KubeObject, { app, verdict }: Judged): Pick<EnvironmentResource, 'health' | 'cause'> {
  if (app !== undefined) return { health: app.health, ...(app.cause === undefined ? {} : { cause: app.cause.message }) };
  const health = verdict?.health ?? healthOf(object);
  return { ...(health === undefined ? {} : { health }), ...(verdict === undefined ? {} : { cause: verdict.cause }) };
}

/** Chains of owners are short; those that go round in a circle end here. */
const MAX_OWNERS = 32;

/** The highest object above one that was read, and the highest owner, which may be of another scope and not be read. */
function topOf(object: KubeObject, byUid: ReadonlyMap<string, KubeObject>): { readonly top: KubeObject; readonly owner?: Owner } {
  let top = object;
  let owner: Owner | undefined;
  for (let steps = 0; steps < MAX_OWNERS; steps += 1) {
    const owners = listAt(top, 'metadata', 'ownerReferences');
    const reference = owners.find((one) => booleanAt(one, 'controller') === true) ?? owners[0];
    const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => textAt(reference, key));
    if (apiVersion === undefined || kind === undefined || name === undefined) break;
    owner = { apiVersion, kind, name };
    const above = byUid.get(String(at(reference, 'uid')));
    if (above === undefined || above === object) break;
    top = above;
  }
  return { top, ...(owner === undefined ? {} : { owner }) };
}

type Owner = NonNullable<EnvironmentResource['owner']>;

export function resourceHealthOf({ health }: Pick<EnvironmentResource, 'health'>): ResourceHealth {
  return health?.status ?? 'None';
}

/** How a manager is filtered and counted. */
export function managerKey({ managedBy }: EnvironmentResource): string {
  if (managedBy === undefined) return '';
  return managedBy.tool === 'FieldManager' ? managedBy.name : managedBy.tool;
}

/** @throws AppError `InvalidInput` for a label selector that is none. */
export function filterResources(resources: readonly EnvironmentResource[], filter: ResourceFilter): EnvironmentResource[] {
  const search = (filter.search ?? '').trim().toLowerCase();
  const selects = filter.labelSelector === undefined ? undefined : parseLabelSelector(filter.labelSelector);
  return resources.filter(
    (one) =>
      (filter.resource === undefined || one.resource === filter.resource) &&
      (filter.health === undefined || resourceHealthOf(one) === filter.health) &&
      (filter.managedBy === undefined || managerKey(one) === filter.managedBy) &&
      (filter.release === undefined || isOfRelease(one, filter.release)) &&
      (filter.inventory === undefined || one.inventories.includes(filter.inventory)) &&
      (selects === undefined || selects(one.labels)) &&
      [one.name, one.kind, one.owner?.name ?? '', one.managedBy?.name ?? ''].some((text) => text.toLowerCase().includes(search)),
  );
}

function isOfRelease({ release = '' }: EnvironmentResource, wanted: string): boolean {
  return wanted.includes('/') ? release === wanted : release.endsWith(`/${wanted}`);
}

/** The kinds, those with most resources first. */
export function countResources(resources: readonly EnvironmentResource[]): ResourceCount[] {
  const byKind = Map.groupBy(resources, ({ resource }) => resource);
  return [...byKind]
    .map(([resource, all]) => ({ resource, kind: all[0]?.kind ?? '', count: all.length, health: countHealth(all) }))
    .sort((a, b) => b.count - a.count || a.resource.localeCompare(b.resource));
}

/** How many resources have each health. */
export function countHealth(resources: readonly Pick<EnvironmentResource, 'health'>[]): ResourceCount['health'] {
  const counts: Partial<Record<ResourceHealth, number>> = {};
  for (const one of resources) {
    const health = resourceHealthOf(one);
    counts[health] = (counts[health] ?? 0) + 1;
  }
  return counts;
}

/** The groups that an object says it belongs to, beside its namespace and its owners. */
export interface ResourceGroups {
  /** The Helm release, `namespace/name`. */
  readonly release?: string;
  /** Inventories, ApplySets, Kustomizations, Applications and CatalogSources, by their ids; each once. */
  readonly inventories: readonly string[];
}

type Place = readonly ['labels' | 'annotations', key: string];

/** Where tools write the id of what they apply together, and what it is within. */
const INVENTORIES: readonly { readonly id: Place; readonly within?: Place }[] = [
  // cli-utils and kpt: on the inventory itself, and on what is in it.
  { id: ['labels', 'cli-utils.sigs.k8s.io/inventory-id'] },
  { id: ['annotations', 'config.k8s.io/owning-inventory'] },
  // kubectl apply --prune --applyset.
  { id: ['labels', 'applyset.kubernetes.io/id'] },
  { id: ['labels', 'applyset.kubernetes.io/part-of'] },
  {
    id: ['labels', 'kustomize.toolkit.fluxcd.io/name'],
    within: ['labels', 'kustomize.toolkit.fluxcd.io/namespace'],
  },
  { id: ['labels', 'helm.toolkit.fluxcd.io/name'], within: ['labels', 'helm.toolkit.fluxcd.io/namespace'] },
  { id: ['labels', 'argocd.argoproj.io/instance'] },
  { id: ['labels', OURS.sourceLabel] },
];

function resourceGroupsOf(object: KubeObject): ResourceGroups {
  const read = (place: Place | undefined): string => (place === undefined ? '' : (textAt(object, 'metadata', ...place) ?? ''));
  const release = read(['annotations', 'meta.helm.sh/release-name']);
  const namespace = read(['annotations', 'meta.helm.sh/release-namespace']) || (object.metadata.namespace ?? '');
  const [application = ''] = read(['annotations', 'argocd.argoproj.io/tracking-id']).split(':');
  const marked = INVENTORIES.flatMap(({ id, within }) => {
    const [name, outer] = [read(id), read(within)];
    return name === '' ? [] : [outer === '' ? name : `${outer}/${name}`];
  });
  // Argo CD writes `namespace_name` for an Application outside its own namespace.
  const tracked = application === '' ? [] : [application.replace('_', '/')];
  return { ...(release === '' ? {} : { release: `${namespace}/${release}` }), inventories: [...new Set([...marked, ...tracked])].sort() };
}
