import type { MissingPermission } from '../core/errors.ts';
import { jsonPatchBetween } from '../core/merge-patch.ts';
import { type Health, worstActiveHealth } from '../health/health.ts';
import type { UnavailableKind } from '../tree/tree.ts';
import type { BoardEntry } from './board-entries.ts';
import { type EnvironmentView, tierRank } from './environment.ts';
import type { ResourceHealth } from './environment-resources.ts';

/** An environment on the tier board. */
export interface TierColumn extends Pick<EnvironmentView, 'name' | 'displayName' | 'namespace' | 'tier' | 'ready' | 'message'> {
  readonly instances: number;
  /** Workloads that belong to no instance. */
  readonly workloads: number;
  /** The worst of its apps; absent when none reports one. */
  readonly health?: Health;
  /** What may not be listed there: apps of these kinds are not on the board. */
  readonly missing: readonly MissingPermission[];
  readonly unavailable: readonly UnavailableKind[];
}

/** An app in an environment, beside the tier before. */
export interface TierCell extends Omit<BoardEntry, 'key' | 'compared' | 'deleting' | 'suspended'> {
  readonly environment: string;
  /** Absent where no earlier tier has the app. */
  readonly drift?: Drift;
  /** Absent when nothing stands against a change. */
  readonly lock?: Lock;
}

export interface Drift {
  /** The environment of the tier before that is compared. */
  readonly from: string;
  /** Dotted paths that differ, in the `spec` of an instance or among the images of workloads; empty: the same. At most 20. */
  readonly fields: readonly string[];
}

export interface Lock {
  readonly kind: 'Deleting' | 'ChangeRequest' | 'Suspended';
  /** The id of the change request. */
  readonly changeRequest?: string;
}

export interface TierRow extends Pick<BoardEntry, 'key' | 'app' | 'appName' | 'name'> {
  /** In the order of the columns; environments without the app are left out. */
  readonly cells: readonly TierCell[];
}

export interface TierBoardFilter {
  readonly tier?: string;
  /** Must occur in the name of the app, or in that of its kind. */
  readonly app?: string;
  /** Only apps that have this health in one of the environments. */
  readonly health?: ResourceHealth;
  /** `yes`: only apps that differ from the tier before in one of the environments. */
  readonly differs?: 'yes';
}

/** What was read of an environment. */
export interface ColumnReading extends Pick<TierColumn, 'missing' | 'unavailable'> {
  readonly environment: EnvironmentView;
  readonly entries: readonly BoardEntry[];
}

/** An open change request that the reader may know of. */
interface OpenRequest {
  readonly id: string;
  readonly environment: string;
  readonly app: string;
  readonly name: string;
}

/** Environments in the order in which a change goes through them: other tiers, development, testing, staging, production. */
export function byTier(a: Pick<EnvironmentView, 'tier' | 'name'>, b: Pick<EnvironmentView, 'tier' | 'name'>): number {
  return tierRank(a.tier) - tierRank(b.tier) || a.tier.localeCompare(b.tier) || a.name.localeCompare(b.name);
}

export function tierColumn({ environment, entries, missing, unavailable }: ColumnReading): TierColumn {
  const { name, displayName, namespace, tier, ready, message } = environment;
  const health = worstActiveHealth(entries.flatMap((entry) => (entry.health === undefined ? [] : [entry.health])));
  return {
    name,
    displayName,
    namespace,
    tier,
    ready,
    message,
    instances: entries.filter(({ app }) => app !== '').length,
    workloads: entries.filter(({ app }) => app === '').reduce((sum, { workloads }) => sum + workloads.length, 0),
    ...(health === undefined ? {} : { health }),
    missing,
    unavailable,
  };
}

/** The apps of some environments, by name. @param readings in the order of `byTier`. */
export function tierRows(readings: readonly ColumnReading[], requests: readonly OpenRequest[]): TierRow[] {
  const placed = readings.flatMap(({ environment, entries }) => entries.map((entry) => ({ environment, entry })));
  const locks = new Map(requests.map((request) => [`${request.environment} ${request.app}/${request.name}`, request.id]));
  return [...Map.groupBy(placed, ({ entry }) => entry.key).values()]
    .flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const { key, app, appName, name } = first.entry;
      return [{ key, app, appName, name, cells: same.map((one) => cellOf(one, same, locks)) }];
    })
    .sort((a, b) => a.name.localeCompare(b.name) || a.key.localeCompare(b.key));
}

interface PlacedEntry {
  readonly environment: EnvironmentView;
  readonly entry: BoardEntry;
}

function cellOf(one: PlacedEntry, same: readonly PlacedEntry[], locks: ReadonlyMap<string, string>): TierCell {
  const { key, compared: _compared, deleting, suspended, ...shown } = one.entry;
  const drift = driftOf(one, same);
  const lock = lockOf({ deleting, suspended, changeRequest: locks.get(`${one.environment.name} ${key}`) });
  return {
    environment: one.environment.name,
    ...shown,
    ...(drift === undefined ? {} : { drift }),
    ...(lock === undefined ? {} : { lock }),
  };
}

const MAX_FIELDS = 20;

/** Beside the nearest earlier tier that has the app; where that has it several times, beside the one that is most alike. */
function driftOf({ environment, entry }: PlacedEntry, same: readonly PlacedEntry[]): Drift | undefined {
  const earlier = same.filter((other) => tierRank(other.environment.tier) < tierRank(environment.tier));
  const nearest = Math.max(...earlier.map((other) => tierRank(other.environment.tier)));
  const drifts = earlier
    .filter((other) => tierRank(other.environment.tier) === nearest)
    .map((other) => ({ from: other.environment.name, fields: differences(other.entry.compared, entry.compared) }));
  return drifts.sort((a, b) => a.fields.length - b.fields.length)[0];
}

function differences(from: unknown, to: unknown): string[] {
  const paths = jsonPatchBetween(from, to, '').map(({ path }) => path.split('/').slice(1).join('.'));
  return paths.map((path) => path.replaceAll('~1', '/').replaceAll('~0', '~')).slice(0, MAX_FIELDS);
}

interface LockInput {
  readonly deleting: boolean;
  readonly suspended: boolean;
  readonly changeRequest: string | undefined;
}

function lockOf({ deleting, suspended, changeRequest }: LockInput): Lock | undefined {
  if (deleting) return { kind: 'Deleting' };
  if (changeRequest !== undefined) return { kind: 'ChangeRequest', changeRequest };
  return suspended ? { kind: 'Suspended' } : undefined;
}

export function cellHealth({ health }: Pick<TierCell, 'health'>): ResourceHealth {
  return health?.status ?? 'None';
}

export function cellDiffers({ drift }: Pick<TierCell, 'drift'>): boolean {
  return drift !== undefined && drift.fields.length > 0;
}

/** The rows that a filter leaves, each with the cells of the tier. */
export function filterRows(
  rows: readonly TierRow[],
  columns: readonly Pick<TierColumn, 'name' | 'tier'>[],
  { tier, app = '', health, differs }: TierBoardFilter,
): TierRow[] {
  const shown = new Set(columns.filter((column) => tier === undefined || column.tier === tier).map(({ name }) => name));
  const words = app.trim().toLowerCase();
  return rows
    .map((row) => ({ ...row, cells: row.cells.filter(({ environment }) => shown.has(environment)) }))
    .filter(
      ({ cells, name, appName, app: id }) =>
        cells.length > 0 &&
        [name, appName, id].some((text) => text.toLowerCase().includes(words)) &&
        (health === undefined || cells.some((cell) => cellHealth(cell) === health)) &&
        (differs === undefined || cells.some(cellDiffers)),
    );
}
