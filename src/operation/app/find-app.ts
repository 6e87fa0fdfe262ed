import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { AppSummary } from '../../domain/app/app.ts';
import { buildCatalog, withChartDescription, type CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { AppError } from '../../domain/core/errors.ts';
import { textAt, textsAt } from '../../domain/core/read.ts';
import type { ChartDescription, Ports } from '../ports.ts';

/** The entries of the catalogue that are meant for the actor. */
export function entriesFor({ catalog }: Pick<Ports, 'catalog'>, actor: Actor): CatalogEntry[] {
  return catalogEntries({ catalog }).filter(
    ({ audience }) => audience.length === 0 || audience.some((group) => actor.groups.includes(group)),
  );
}

/** The entries for whomever they are meant. */
export function catalogEntries({ catalog }: Pick<Ports, 'catalog'>): readonly CatalogEntry[] {
  return catalogOf(catalog.operators(), { crds: catalog.customResourceDefinitions(), definitions: catalog.appDefinitions() });
}

interface Others {
  readonly crds: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
}

/** By the list of Operators, which is the same one until an Operator changes, and so are those of CRDs and AppDefinitions. */
const built = new WeakMap<readonly KubeObject[], Others & { readonly entries: readonly CatalogEntry[] }>();

/** The catalogue, which is built anew only when something in it has changed. */
function catalogOf(operators: readonly KubeObject[], { crds, definitions }: Others): readonly CatalogEntry[] {
  const known = built.get(operators);
  if (known?.crds === crds && known.definitions === definitions) return known.entries;
  const entries = buildCatalog(operators, crds, definitions);
  built.set(operators, { crds, definitions, entries });
  return entries;
}

/**
 * One entry by its id.
 *
 * @throws AppError `NotFound`, in the same words whether there is no such App or it is not meant for the actor.
 */
export function findApp(ports: Pick<Ports, 'catalog'>, actor: Actor, id: string): CatalogEntry {
  const entry = entriesFor(ports, actor).find(({ summary }) => summary.id === id);
  if (entry === undefined) throw new AppError('NotFound', `app ${JSON.stringify(id)}: the catalogue has no such app`);
  return entry;
}

/** An App as people name it: by its kind, plural, singular, a short name or its id, in any case. */
export interface KindQuery {
  readonly kind: string;
  /** Its API group; empty: any. */
  readonly group: string;
}

/**
 * The one App of a kind.
 *
 * @throws AppError `NotFound`; `AmbiguousKind` with a fault for each App that it can be.
 */
export function appOfKind(ports: Pick<Ports, 'catalog'>, actor: Actor, { kind, group }: KindQuery): CatalogEntry {
  const wanted = kind.toLowerCase();
  const entries = entriesFor(ports, actor).filter(({ summary }) => group === '' || summary.group === group);
  const exact = entries.find(({ summary }) => summary.id === wanted);
  const found = exact === undefined ? entries.filter((entry) => namesOf(entry).includes(wanted)) : [exact];
  const [first, ...others] = found;
  const what = `kind ${JSON.stringify(kind)}${group === '' ? '' : ` of the group ${JSON.stringify(group)}`}`;
  if (first === undefined) throw new AppError('NotFound', `${what}: the catalogue has no such app`);
  if (others.length === 0) return first;
  const faults = found.map(({ summary }) => ({ message: summary.id }));
  throw new AppError('AmbiguousKind', `${what}: ${faults.map(({ message }) => message).join(', ')} have this name; add the group`, {
    faults,
  });
}

function namesOf({ summary, crd }: CatalogEntry): readonly string[] {
  const names = [summary.kind, summary.plural, textAt(crd.spec, 'names', 'singular') ?? '', ...textsAt(crd.spec, 'names', 'shortNames')];
  return names.map((name) => name.toLowerCase());
}

/** What the chart of an entry says about itself. */
export async function chartDescription(ports: Pick<Ports, 'chart'>, { operator }: CatalogEntry): Promise<ChartDescription | undefined> {
  const digest = textAt(operator.status, 'chart', 'digest');
  return digest === undefined ? undefined : await ports.chart(digest);
}

/** The cards of entries, with the chart's own words where the catalogue says nothing. */
export async function appSummaries(ports: Pick<Ports, 'chart'>, entries: readonly CatalogEntry[]): Promise<AppSummary[]> {
  return await Promise.all(entries.map(async (entry) => withChartDescription(entry.summary, await chartDescription(ports, entry))));
}
