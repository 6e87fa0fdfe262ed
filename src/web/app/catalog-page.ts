import type { Availability } from '../../domain/app/app.ts';
import { appCard, type AppCard } from './app-card.ts';
import type { Facet as FacetView, FacetOption } from '../page/facets.ts';
import { draftsPath, hrefWith } from '../page/paths.ts';
import type { AppList, AppQuery, Facet } from '../../operation/app/list-apps.ts';

export interface CatalogPage {
  readonly search: string;
  /** What a new search keeps of the address: the selected facets. */
  readonly kept: readonly { readonly name: FacetName; readonly value: string }[];
  readonly facets: readonly FacetView[];
  readonly cards: readonly AppCard[];
  /** `3 of 12 apps`. */
  readonly resultLine: string;
  readonly filtered: boolean;
  readonly empty: 'no' | 'no-apps' | 'no-match';
  readonly admin: boolean;
  /** How many kinds no Operator publishes; 0 for developers. */
  readonly drafts: number;
  readonly draftsHref: string;
}

const FACETS = ['category', 'provider', 'availability'] as const;
type FacetName = (typeof FACETS)[number];
const FACET_LABELS: Readonly<Record<FacetName, string>> = { category: 'Category', provider: 'Provider', availability: 'Availability' };

/** The query in an address; unknown availabilities are left out. */
export function parseAppQuery(parameters: URLSearchParams): AppQuery {
  return {
    search: (parameters.get('search') ?? '').trim().slice(0, 200),
    category: parameters.getAll('category'),
    provider: parameters.getAll('provider'),
    availability: parameters.getAll('availability').filter(isAvailability),
  };
}

function isAvailability(text: string): text is Availability {
  return text === 'Available' || text === 'Installing' || text === 'Unavailable';
}

export function catalogPage(list: AppList, query: AppQuery, { admin, drafts }: Pick<CatalogPage, 'admin' | 'drafts'>): CatalogPage {
  const filtered = query.search !== '' || FACETS.some((name) => query[name].length > 0);
  return {
    search: query.search,
    kept: FACETS.flatMap((name) => query[name].map((value) => ({ name, value }))),
    facets: FACETS.map((name) => ({ label: FACET_LABELS[name], options: facetOptions(name, list.facets[name], query) })).filter(
      (facet) => facet.options.length > 0,
    ),
    cards: list.apps.map(appCard),
    resultLine: filtered ? `${list.apps.length} of ${countApps(list.total)}` : countApps(list.total),
    filtered,
    empty: emptyState(list),
    admin,
    drafts,
    draftsHref: draftsPath(),
  };
}

function emptyState({ apps, total }: AppList): CatalogPage['empty'] {
  if (total === 0) return 'no-apps';
  return apps.length === 0 ? 'no-match' : 'no';
}

function countApps(count: number): string {
  return count === 1 ? '1 app' : `${count} apps`;
}

/** A selected value stays visible even when the search leaves nothing of it, so that it can be turned off again. */
function facetOptions(name: FacetName, facets: readonly Facet[], query: AppQuery): FacetOption[] {
  const selected: readonly string[] = query[name];
  const gone = selected.filter((value) => !facets.some((facet) => facet.value === value)).map((value) => ({ value, count: 0 }));
  return [...facets, ...gone].map(({ value, count }) => ({
    label: value,
    count,
    selected: selected.includes(value),
    href: catalogHref(query, name, value),
  }));
}

function catalogHref(query: AppQuery, toggled: FacetName, value: string): string {
  const facets = FACETS.map((name): [string, readonly string[]] => [name, name === toggled ? toggle(query[name], value) : query[name]]);
  return hrefWith('/', { search: query.search, ...Object.fromEntries(facets) });
}

function toggle(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}
