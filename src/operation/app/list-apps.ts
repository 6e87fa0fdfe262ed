import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { AppSummary, Availability } from '../../domain/app/app.ts';
import { appSummaries, entriesFor } from './find-app.ts';
import type { Ports } from '../ports.ts';

/** What the catalogue is narrowed by. An empty search and an empty list leave everything. */
export interface AppQuery {
  readonly search: string;
  readonly category: readonly string[];
  readonly provider: readonly string[];
  readonly availability: readonly Availability[];
}

/** A value that the catalogue can be narrowed by, with the number of apps that have it among those the search finds. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

export interface AppList {
  readonly apps: readonly AppSummary[];
  readonly facets: { readonly category: readonly Facet[]; readonly provider: readonly Facet[]; readonly availability: readonly Facet[] };
  /** Apps of the whole catalogue, whatever the query. */
  readonly total: number;
}

/** The catalogue as the actor sees it, narrowed by a query. */
export async function listApps(ports: Pick<Ports, 'catalog' | 'chart'>, actor: Actor, query: AppQuery): Promise<AppList> {
  const all = await appSummaries(ports, entriesFor(ports, actor));
  const found = all.filter((app) => matches(app, query.search));
  return {
    apps: found.filter(
      (app) => chosen(query.category, app.category) && chosen(query.provider, app.provider) && chosen(query.availability, app.availability),
    ),
    facets: {
      category: facet(found.map((app) => app.category)),
      provider: facet(found.map((app) => app.provider)),
      availability: facet(found.map((app) => app.availability)),
    },
    total: all.length,
  };
}

/** Every word must occur somewhere in what the card says. */
function matches(app: AppSummary, search: string): boolean {
  const text = [app.displayName, app.kind, app.summary, app.category, app.provider, app.id, ...app.tags].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function chosen(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function facet(values: readonly string[]): Facet[] {
  const counts = new Map<string, number>();
  for (const value of values.filter((text) => text !== '')) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value.localeCompare(b.value));
}
