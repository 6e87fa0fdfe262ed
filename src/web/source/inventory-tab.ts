import { CATALOG_SOURCE, ENVIRONMENT, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import type { OwnedResource, SourceInventory } from '../../operation/source/list-source-inventory.ts';
import { type Badge, healthBadge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { environmentPath, operatorPath, resourcePath, sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import type { SelectOption } from '../page/facets.ts';

/** A view of `sources/tabs/inventory`. */
export interface InventoryTab {
  readonly action: string;
  readonly search: string;
  readonly kinds: readonly SelectOption[];
  readonly resultLine: string;
  readonly filtered: boolean;
  readonly clearHref: string;
  readonly nextHref: string;
  readonly rows: readonly InventoryRow[];
  readonly missing: readonly string[];
  /** Why there are no rows. */
  readonly empty: string;
}

interface InventoryRow {
  readonly kind: string;
  readonly name: string;
  readonly place: string;
  /** Empty where there is no page of it. */
  readonly href: string;
  readonly file: string;
  /** Absent where its kind has no health. */
  readonly badge?: Badge;
  readonly message: string;
}

/** What the inventory is filtered by, of an address. */
export function inventoryFilter(query: URLSearchParams): Readonly<Partial<Record<'search' | 'kind' | 'after', string>>> {
  const filter: Partial<Record<'search' | 'kind' | 'after', string>> = {};
  for (const key of ['search', 'kind', 'after'] as const) {
    const value = (query.get(key) ?? '').trim().slice(0, 1000);
    if (value !== '') filter[key] = value;
  }
  return filter;
}

export function inventoryTab(name: string, inventory: SourceInventory, query: URLSearchParams): InventoryTab {
  const { search = '', kind = '' } = inventoryFilter(query);
  const { total, matches, next } = inventory;
  const filtered = search !== '' || kind !== '';
  const all = plural(total, 'resource', 'resources');
  const following = new URLSearchParams({ tab: 'inventory', ...inventoryFilter(query), after: next ?? '' });
  return {
    action: sourcePath(name),
    search,
    kinds: [
      { value: '', label: 'Every kind', selected: kind === '' },
      ...inventory.kinds.map((one) => ({ value: one.kind, label: `${kindName(one.kind)} (${one.count})`, selected: one.kind === kind })),
    ],
    resultLine: filtered ? `${matches} of ${all}` : all,
    filtered,
    clearHref: `${sourcePath(name)}?tab=inventory`,
    nextHref: next === undefined ? '' : `${sourcePath(name)}?${following.toString()}`,
    rows: inventory.items.map(inventoryRow),
    missing: [...new Set(inventory.items.flatMap(({ missing }) => (missing === undefined ? [] : [missingSentence(missing)])))],
    empty: total === 0 ? 'The source owns nothing yet.' : 'Nothing matches. Try fewer words, or another kind.',
  };
}

function kindName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function inventoryRow(item: OwnedResource): InventoryRow {
  const { kind, name, namespace = '', file, state, health } = item;
  const special = STATES[state];
  const badge = special?.badge ?? (health === undefined ? undefined : healthBadge(health.status));
  return {
    kind,
    name,
    place: namespace,
    href: state === 'Exists' || state === 'Replaced' ? hrefOf(item) : '',
    file,
    ...(badge === undefined ? {} : { badge }),
    message: special?.message ?? health?.message ?? '',
  };
}

const STATES: Readonly<Partial<Record<OwnedResource['state'], { readonly badge: Badge; readonly message: string }>>> = {
  NotFound: {
    badge: { label: 'Missing', tone: 'warn', symbol: 'missing' },
    message: 'Somebody has deleted it. The next sync creates it again.',
  },
  Replaced: {
    badge: { label: 'Not owned', tone: 'warn', symbol: 'warn' },
    message: 'Somebody has deleted it and created it again. The source does not delete it.',
  },
  Unknown: {
    badge: { label: 'Unknown', tone: 'idle', symbol: 'unknown' },
    message: 'You may not read it, or the cluster does not serve its kind.',
  },
};

function hrefOf({ name, namespace, resource = '', environment }: OwnedResource): string {
  if (resource === resourceKey(OPERATOR) && namespace !== undefined) return operatorPath({ namespace, name });
  if (resource === resourceKey(CATALOG_SOURCE)) return sourcePath(name);
  if (resource === resourceKey(ENVIRONMENT)) return environmentPath(name);
  return environment === undefined ? '' : resourcePath(environment, { resource, name });
}
