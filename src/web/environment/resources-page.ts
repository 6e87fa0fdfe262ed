import { pageByKey } from '../../domain/core/page-by-key.ts';
import {
  type EnvironmentResource,
  filterResources,
  managerKey,
  RESOURCE_HEALTHS,
  type ResourceFilter,
  resourceHealthOf,
  TEXT_FILTERS,
} from '../../domain/environment/environment-resources.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { parseLabelSelector } from '../../domain/kubernetes/label-selector.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import type { ResourceManager } from '../../domain/tree/resource-manager.ts';
import type { EnvironmentResources } from '../../operation/environment/list-environment-resources.ts';
import { type Badge, DELETING, healthBadge } from '../page/badges.ts';
import { type Facet, facetOf } from '../page/facets.ts';
import { type EmptyView, emptyView } from '../page/empty-view.ts';
import { missingSentence } from '../page/message-page.ts';
import { environmentResourcesPath, hrefWith, instancePath, resourcePath } from '../page/paths.ts';
import { type EnvironmentRow, environmentRow } from './environment-page.ts';
import { type EnvironmentTab, environmentTabs } from './environment-parts.ts';

interface ResourceRow {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  /** Its page; of an instance, that of the instance. */
  readonly href: string;
  /** The namespace, where it is another one; empty else. */
  readonly place: string;
  readonly info: string;
  /** Absent when its kind has no health. */
  readonly health?: Badge;
  readonly message: string;
  readonly owner?: { readonly kind: string; readonly name: string; readonly href: string };
  readonly manager: string;
  readonly owned: boolean;
  readonly created: string;
}

/** A view of `environments/resources`. */
export interface ResourcesPage {
  readonly environment: EnvironmentRow;
  readonly tabs: readonly EnvironmentTab[];
  readonly streamHref: string;
  readonly search: string;
  /** What a new search keeps of the address. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly facets: readonly Facet[];
  /** `3 of 12 resources`. */
  readonly resultLine: string;
  readonly rows: readonly ResourceRow[];
  readonly filtered: boolean;
  /** Why there are no rows; absent when there are. */
  readonly empty?: EmptyView;
  /** As kubectl takes it. */
  readonly labelSelector: string;
  /** Why it is none; empty when it is one. */
  readonly selectorError: string;
  readonly clearHref: string;
  /** Empty on the last page. */
  readonly nextHref: string;
  /** The same as JSON. */
  readonly jsonHref: string;
  readonly missing: readonly string[];
  readonly unavailable: EnvironmentResources['unavailable'];
}

const ROWS_A_PAGE = 100;
const MAX_TEXT_LENGTH = 200;

const FACETS = ['health', 'resource', 'managedBy', 'release', 'inventory'] as const;
type FacetName = (typeof FACETS)[number];
const LABELS: Readonly<Record<FacetName, string>> = {
  health: 'Health',
  resource: 'Kind',
  managedBy: 'Managed by',
  release: 'Helm release',
  inventory: 'Inventory',
};

/** The filter in an address; what no filter has is left out. */
export function parseResourceFilter(parameters: URLSearchParams): ResourceFilter {
  const textOf = (key: string): string => (parameters.get(key) ?? '').trim().slice(0, MAX_TEXT_LENGTH);
  const health = RESOURCE_HEALTHS.find((one) => one === parameters.get('health'));
  return {
    ...(health === undefined ? {} : { health }),
    ...Object.fromEntries(TEXT_FILTERS.flatMap((key) => (textOf(key) === '' ? [] : [[key, textOf(key)]]))),
  };
}

/** The filter without a label selector that is none, and what is wrong with it. */
export function checkSelector({ labelSelector, ...filter }: ResourceFilter): { readonly filter: ResourceFilter; readonly wrong: string } {
  if (labelSelector === undefined) return { filter, wrong: '' };
  try {
    parseLabelSelector(labelSelector);
    return { filter: { ...filter, labelSelector }, wrong: '' };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput')) throw error;
    return { filter, wrong: error.faults[0]?.message ?? error.message };
  }
}

/** @param after the cursor of the page before; empty for the first one. */
export function resourcesPage(found: EnvironmentResources, asked: ResourceFilter, after: string): ResourcesPage {
  const { environment, resources, all, missing, unavailable } = found;
  const { filter, wrong } = checkSelector(asked);
  const path = environmentResourcesPath(environment.name);
  const page = pageByKey(resources, worstFirst, { limit: ROWS_A_PAGE, ...(after === '' ? {} : { after }) });
  const filtered = Object.keys(filter).length > 0;
  return {
    environment: environmentRow(environment),
    tabs: environmentTabs(environment.name, 'resources'),
    streamHref: hrefWith(`${path}/stream`, { ...filter, after: after === '' ? undefined : after }),
    search: filter.search ?? '',
    kept: FACETS.flatMap((name) => (filter[name] === undefined ? [] : [{ name, value: filter[name] }])),
    facets: FACETS.map((name) => facet(name, { all, filter, path })).filter(({ options }) => options.length > 0),
    resultLine: filtered ? `${resources.length} of ${countOf(all.length)}` : countOf(all.length),
    rows: page.items.map((one) => resourceRow(one, environment)),
    filtered,
    ...(found.empty === undefined ? {} : { empty: emptyView(found.empty) }),
    labelSelector: asked.labelSelector ?? '',
    selectorError: wrong === '' ? '' : sentence(wrong),
    clearHref: path,
    nextHref: page.next === undefined ? '' : hrefWith(path, { ...filter, after: page.next }),
    jsonHref: `/api/v1${hrefWith(path, { ...filter, limit: '500' })}`,
    missing: missing.map(missingSentence),
    unavailable,
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function countOf(count: number): string {
  return count === 1 ? '1 resource' : `${count} resources`;
}

/** What needs somebody's attention stands on the first page. */
function worstFirst(one: EnvironmentResource): string {
  return `${RESOURCE_HEALTHS.length - rankOf(one)} ${one.kind} ${one.name} ${one.resource} ${one.namespace ?? ''}`;
}

function rankOf(one: EnvironmentResource): number {
  const health = resourceHealthOf(one);
  return health === 'None' ? -1 : RESOURCE_HEALTHS.indexOf(health);
}

function resourceRow(one: EnvironmentResource, { name: environment, namespace }: EnvironmentView): ResourceRow {
  const { kind, apiVersion, name, info, created, owner, instance } = one;
  const href = instance === undefined ? '' : instancePath({ environment, ...instance });
  // What does not exist has no page, nor has what is outside of the environment.
  const own = one.uid === '' || one.namespace !== namespace ? '' : resourcePath(environment, one);
  return {
    kind,
    apiVersion,
    name,
    href: owner === undefined && href !== '' ? href : own,
    place: one.namespace === namespace ? '' : (one.namespace ?? 'cluster-wide'),
    info,
    ...healthOf(one),
    message: messageOf(one),
    ...(owner === undefined ? {} : { owner: { kind: owner.kind, name: owner.name, href } }),
    manager: managerOf(one),
    owned: owner !== undefined || one.managedBy !== undefined,
    created,
  };
}

/** The name stands beside it already. */
function messageOf({ kind, name, health, cause }: EnvironmentResource): string {
  if (health?.status === 'Healthy') return '';
  const subject = `${kind} ${name} `;
  return cause?.startsWith(subject) === true ? cause.slice(subject.length) : (cause ?? health?.message ?? '');
}

function healthOf({ deleting, health }: EnvironmentResource): Pick<ResourceRow, 'health'> {
  if (deleting) return { health: DELETING };
  return health === undefined ? {} : { health: healthBadge(health.status) };
}

const TOOLS: Readonly<Record<ResourceManager['tool'], string>> = {
  Flux: 'Flux',
  ArgoCD: 'Argo CD application',
  Helm: 'Helm release',
  GitLab: 'GitLab project',
  Chandlery: 'Environment',
  FieldManager: 'Field manager',
};

/** Empty where the column has it already: an Environment manages what it owns. */
export function managerOf({ managedBy, owner }: Pick<EnvironmentResource, 'managedBy' | 'owner'>): string {
  if (managedBy === undefined) return '';
  const { tool, name } = managedBy;
  const text = tool === 'FieldManager' && name === OURS.userFieldManager ? BY_PEOPLE : `${TOOLS[tool]} ${name}`;
  return text === `${owner?.kind} ${owner?.name}` ? '' : text;
}

/** What people write through the pages and the REST API. */
const BY_PEOPLE = 'Chandlery pages or REST';

interface FacetInput {
  readonly all: readonly EnvironmentResource[];
  readonly filter: ResourceFilter;
  readonly path: string;
}

function facet(name: FacetName, { all, filter, path }: FacetInput): Facet {
  const { [name]: selected, ...others } = filter;
  const left = filterResources(all, others);
  return facetOf({
    label: LABELS[name],
    values: left.map((one) => valuesOf(name, one)),
    selected,
    hrefOf: (value) => hrefWith(path, { ...others, [name]: value }),
    labelOf: (value) => labelOf(name, value, left),
    order: name === 'health' ? HEALTH_STATUSES.toReversed() : [],
  });
}

function valuesOf(name: FacetName, one: EnvironmentResource): readonly string[] {
  switch (name) {
    case 'health':
      return [resourceHealthOf(one)];
    case 'resource':
      return [one.resource];
    case 'managedBy':
      return [managerKey(one)];
    case 'release':
      return one.release === undefined ? [] : [one.release];
    case 'inventory':
      return one.inventories;
    default:
      return name satisfies never;
  }
}

function labelOf(name: FacetName, value: string, left: readonly EnvironmentResource[]): string {
  if (name === 'health') return value === 'None' ? 'No health' : value;
  if (name === 'resource') return left.find(({ resource }) => resource === value)?.kind ?? value;
  if (name !== 'managedBy') return value;
  if (value === OURS.userFieldManager) return BY_PEOPLE;
  return value === 'ArgoCD' ? 'Argo CD' : value;
}
