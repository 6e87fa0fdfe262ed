import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import {
  cellDiffers,
  cellHealth,
  filterRows,
  type TierBoardFilter,
  type TierCell,
  type TierColumn,
  type TierRow,
} from '../../domain/environment/tier-board.ts';
import type { TierBoard } from '../../operation/environment/show-tier-board.ts';
import { type Badge, healthBadge, tierBadge } from '../page/badges.ts';
import { type Facet, facetOf, hrefWith } from '../page/facets.ts';
import { missingSentence } from '../page/message-page.ts';
import {
  changeRequestPath,
  environmentPath,
  environmentWorkloadsPath,
  instancePath,
  resourcePath,
  TIER_BOARD_PATH,
} from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import { type EnvironmentTab, environmentListTabs } from './environment-tabs.ts';

interface ColumnHead {
  readonly name: string;
  readonly href: string;
  readonly note: string;
}

interface CellView {
  /** The name of the environment, for narrow pages. */
  readonly label: string;
  /** Absent where the app is not in the environment. */
  readonly app?: {
    readonly href: string;
    readonly version: string;
    readonly canary: string;
    readonly health?: Badge;
    readonly message: string;
    /** Empty for one that is complete. */
    readonly rollout: string;
    /** Empty for no difference. */
    readonly drift: string;
    readonly fields: string;
    readonly lock?: Badge;
    readonly lockHref: string;
  };
}

/** A view of `tier-board`. */
export interface TierBoardPage {
  readonly tabs: readonly EnvironmentTab[];
  readonly app: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly facets: readonly Facet[];
  readonly filtered: boolean;
  readonly resultLine: string;
  readonly tiers: readonly { readonly badge: Badge; readonly span: number }[];
  readonly columns: readonly ColumnHead[];
  readonly rows: readonly { readonly name: string; readonly kind: string; readonly cells: readonly CellView[] }[];
  /** Rows that are not drawn. */
  readonly hidden: number;
  readonly empty: 'no' | 'no-environments' | 'nothing' | 'no-match';
  readonly clearHref: string;
  readonly jsonHref: string;
  readonly csvHref: string;
  /** What is not on the board, and why. */
  readonly limits: readonly { readonly environment: string; readonly reasons: readonly string[] }[];
}

const MAX_CELLS = 500;
const MAX_TEXT_LENGTH = 200;

export function parseTierBoardFilter(parameters: URLSearchParams): TierBoardFilter {
  const textOf = (key: string): string => (parameters.get(key) ?? '').trim().slice(0, MAX_TEXT_LENGTH);
  const health = RESOURCE_HEALTHS.find((one) => one === parameters.get('health'));
  return {
    ...(textOf('tier') === '' ? {} : { tier: textOf('tier') }),
    ...(textOf('app') === '' ? {} : { app: textOf('app') }),
    ...(health === undefined ? {} : { health }),
    ...(parameters.get('differs') === 'yes' ? { differs: 'yes' } : {}),
  };
}

export function tierBoardPage(board: TierBoard, filter: TierBoardFilter): TierBoardPage {
  const { columns, rows, allRows } = board;
  const { app = '', ...kept } = filter;
  const drawn = rows.slice(0, Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns.length))));
  const names = new Map(board.allColumns.map(({ name, displayName }) => [name, displayName]));
  const apps = plural(allRows.length, 'app', 'apps');
  const filtered = Object.keys(filter).length > 0;
  return {
    tabs: environmentListTabs('board'),
    app,
    kept: Object.entries(kept).map(([name, value]) => ({ name, value })),
    facets: facetsOf(board, filter).filter(({ options }) => options.length > 0),
    filtered,
    resultLine: `${filtered ? `${rows.length} of ${apps}` : apps} in ${plural(columns.length, 'environment', 'environments')}`,
    tiers: [...Map.groupBy(columns, ({ tier }) => tier)].map(([tier, same]) => ({ badge: tierBadge(tier), span: same.length })),
    columns: columns.map(columnHead),
    rows: drawn.map((row) => ({
      name: row.name,
      kind: row.app === '' ? 'Workloads' : row.appName,
      cells: columns.map((column) => cellView(row, column, names)),
    })),
    hidden: rows.length - drawn.length,
    empty: emptiness(board),
    clearHref: TIER_BOARD_PATH,
    jsonHref: `/api/v1${hrefWith(TIER_BOARD_PATH, { ...filter, limit: '500' })}`,
    csvHref: `/api/v1${hrefWith(TIER_BOARD_PATH, { ...filter, format: 'csv' })}`,
    limits: columns.flatMap(limitsOf),
  };
}

function emptiness({ allColumns, allRows, rows }: TierBoard): TierBoardPage['empty'] {
  if (allColumns.length === 0) return 'no-environments';
  if (allRows.length === 0) return 'nothing';
  return rows.length === 0 ? 'no-match' : 'no';
}

function columnHead({ name, displayName, ready, message, missing }: TierColumn): ColumnHead {
  const note = ready ? '' : message;
  return { name: displayName, href: environmentPath(name), note: missing.length === 0 ? note : 'partly unreadable' };
}

function limitsOf({ displayName, missing, unavailable }: TierColumn): TierBoardPage['limits'] {
  const reasons = [...missing.map(missingSentence), ...unavailable.map(({ kind, message }) => `${kind} cannot be listed now: ${message}`)];
  return reasons.length === 0 ? [] : [{ environment: displayName, reasons }];
}

/** @param names the display names of environments. */
function cellView({ app, cells }: TierRow, { name, displayName }: TierColumn, names: ReadonlyMap<string, string>): CellView {
  const cell = cells.find(({ environment }) => environment === name);
  if (cell === undefined) return { label: displayName };
  const { health, rollout, drift, lock, version, canaryVersion } = cell;
  const fields = drift?.fields ?? [];
  return {
    label: displayName,
    app: {
      href: hrefOf(cell, app),
      version: version === '' ? 'no version' : version,
      canary: canaryVersion,
      ...(health === undefined ? {} : { health: healthBadge(health.status) }),
      message: health === undefined || health.status === 'Healthy' ? '' : shortened(health.message),
      rollout:
        rollout === undefined || rollout.state === 'Complete' ? '' : `Rollout ${rollout.state.toLowerCase()}, ${rollout.percentage}\u00a0%`,
      drift:
        fields.length === 0 ? '' : `${plural(fields.length, 'field differs', 'fields differ')} from ${names.get(drift?.from ?? '') ?? ''}`,
      fields: fields.join(', '),
      ...(lock === undefined ? {} : { lock: LOCKS[lock.kind] }),
      lockHref: lock?.changeRequest === undefined ? '' : changeRequestPath(lock.changeRequest),
    },
  };
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

function hrefOf({ environment, name, workloads }: TierCell, app: string): string {
  if (app !== '') return instancePath({ environment, app, name });
  const [only, ...others] = workloads;
  return only !== undefined && others.length === 0 ? resourcePath(environment, only) : environmentWorkloadsPath(environment);
}

const LOCKS: Readonly<Record<NonNullable<TierCell['lock']>['kind'], Badge>> = {
  Deleting: { label: 'Deleting', tone: 'warn', symbol: 'trash' },
  ChangeRequest: { label: 'Change request open', tone: 'accent', symbol: 'lock' },
  Suspended: { label: 'Suspended', tone: 'idle', symbol: 'pause' },
};

function facetsOf({ allRows, allColumns }: TierBoard, filter: TierBoardFilter): Facet[] {
  const tierOf = new Map(allColumns.map(({ name, tier }) => [name, tier]));
  const rowsWithout = (key: keyof TierBoardFilter): TierRow[] => filterRows(allRows, allColumns, without(filter, key));
  const hrefFor = (key: keyof TierBoardFilter) => (value: string | undefined) => hrefWith(TIER_BOARD_PATH, { ...filter, [key]: value });
  return [
    facetOf({
      label: 'Tier',
      values: rowsWithout('tier').map(({ cells }) => cells.map(({ environment }) => tierOf.get(environment) ?? '')),
      selected: filter.tier,
      hrefOf: hrefFor('tier'),
      order: [...new Set(allColumns.map(({ tier }) => tier))],
    }),
    facetOf({
      label: 'Health',
      values: rowsWithout('health').map(({ cells }) => cells.map(cellHealth)),
      selected: filter.health,
      hrefOf: hrefFor('health'),
      labelOf: (value) => (value === 'None' ? 'No health' : value),
      order: RESOURCE_HEALTHS.toReversed().filter((one) => one !== 'None'),
    }),
    facetOf({
      label: 'Drift',
      values: rowsWithout('differs').map(({ cells }) => (cells.some(cellDiffers) ? ['yes'] : [])),
      selected: filter.differs,
      hrefOf: hrefFor('differs'),
      labelOf: () => 'Differs from the tier before',
    }),
  ];
}

function without(filter: TierBoardFilter, key: keyof TierBoardFilter): TierBoardFilter {
  const { [key]: _dropped, ...rest } = filter;
  return rest;
}
