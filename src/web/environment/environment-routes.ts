import { type RequestHandler, Router } from 'express';
import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { deletedRows } from './deleted-instances-view.ts';
import {
  cellDiffers,
  cellHealth,
  filterRows,
  type TierBoardFilter,
  type TierCell,
  type TierColumn,
  type TierRow,
} from '../../domain/environment/tier-board.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import type { TierBoard } from '../../operation/environment/show-tier-board.ts';
import { environmentPage, environmentsPage } from './environment-page.ts';
import { environmentListTabs, type EnvironmentTab } from './environment-parts.ts';
import { checkSelector, parseResourceFilter, resourcesPage } from './resources-page.ts';
import { parseBoardFilter, workloadsLive, workloadsPage } from './workloads-page.ts';
import { type Badge, healthBadge, tierBadge } from '../page/badges.ts';
import { type Facet, facetOf } from '../page/facets.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import {
  changeRequestPath,
  environmentPath,
  environmentWorkloadsPath,
  hrefWith,
  instancePath,
  resourcePath,
  TIER_BOARD_PATH,
} from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

const WORKLOADS = '/environments/:environment/workloads';

/** The deploy board of an environment with its live stream, and the tier board. */
export function boardRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    WORKLOADS,
    page(deps, async ({ actor, query, param }) => {
      const filter = parseBoardFilter(query);
      const environment = param('environment');
      const [workloads, deployments] = await Promise.all([
        operations.listEnvironmentWorkloads(actor, { environment, extent: 'Expected', ...filter }),
        operations.listDeployments(actor, environment),
      ]);
      const model = workloadsPage(workloads, filter, deployments);
      const { href, displayName: label } = model.environment;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Workloads' }];
      return { view: 'environments/workloads', title: `Workloads of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  router.get(`${WORKLOADS}/stream`, workloadsStream(deps));
  router.get(
    TIER_BOARD_PATH,
    page(deps, async ({ actor, query }) => {
      const filter = parseTierBoardFilter(query);
      const model = tierBoardPage(await operations.showTierBoard(actor, filter), filter);
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label: 'Tier board' }];
      return { view: 'tier-board', title: 'Tier board', section: 'environments', crumbs, model };
    }),
  );
  return router;
}

function workloadsStream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const environment = paramsOf(request).param('environment');
    const filter = parseBoardFilter(queryOf(request));
    await streams.answer(request, response, {
      key: hrefWith(environmentWorkloadsPath(environment), { ...filter }),
      intervalMs: INTERVAL_MS,
      reader: (actor, series) => {
        const followed = operations.follow(actor, series);
        return () => followed.listEnvironmentWorkloads(actor, { environment, extent: 'Expected', ...filter });
      },
      render: (reading) => {
        const live = workloadsLive(reading, filter);
        return { html: views.render('environments/workloads-live', live), status: live.resultLine };
      },
    });
  };
}

/** Between two readings of live resources if no watch reports a change. */
const INTERVAL_MS = 8_000;

/** The environments that somebody sees, and what is installed in one of them. */
export function environmentRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    '/environments',
    page(deps, async (visit) => await showEnvironments(deps, visit)),
  );
  router.get(
    '/environments/:environment',
    page(deps, async ({ actor, query, param }) => {
      const [status, permissions, deleted] = await Promise.all([
        operations.showEnvironmentStatus(actor, { environment: param('environment'), extent: 'Expected' }),
        operations.environmentPermissions(actor, param('environment')),
        operations.listDeletedInstances(actor, { environment: param('environment') }),
      ]);
      const overview = environmentPage(status, { ...actor, permissions, deleted: parseDeleted(query) });
      const model = { ...overview, deletedInstances: deletedRows(deleted) };
      const title = model.environment.displayName;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label: title }];
      return { view: 'environments/show', title, section: 'environments', crumbs, model };
    }),
  );
  router.get(
    '/environments/:environment/resources',
    page(deps, async ({ actor, query, param }) => {
      const filter = parseResourceFilter(query);
      const usable = checkSelector(filter).filter;
      const found = await operations.listEnvironmentResources(actor, { environment: param('environment'), extent: 'Expected', ...usable });
      const model = resourcesPage(found, filter, query.get('after') ?? '');
      const { href, displayName: label } = model.environment;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Resources' }];
      return { view: 'environments/resources', title: `Resources of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  router.get('/environments/:environment/resources/stream', streamResources(deps));
  return router;
}

async function showEnvironments({ operations }: WebDeps, { actor, query }: Visit): Promise<Answer> {
  const [environments, { allColumns }, permissions] = await Promise.all([
    operations.listEnvironments(actor),
    operations.showTierBoard(actor, {}),
    operations.environmentPermissions(actor),
  ]);
  const model = environmentsPage(environments, allColumns, { ...actor, permissions, deleted: parseDeleted(query) });
  return { view: 'environments/index', title: 'Environments', section: 'environments', model };
}

/** Sends the rows again whenever one of them is different. */
function streamResources({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const environment = paramsOf(request).param('environment');
    const query = queryOf(request);
    const filter = parseResourceFilter(query);
    await streams.answer(request, response, {
      key: request.originalUrl,
      intervalMs: INTERVAL_MS,
      reader: (actor, series) => {
        const followed = operations.follow(actor, series);
        const usable = checkSelector(filter).filter;
        return async () =>
          resourcesPage(
            await followed.listEnvironmentResources(actor, { environment, extent: 'Expected', ...usable }),
            filter,
            query.get('after') ?? '',
          );
      },
      render: (model) => ({ html: views.render('environments/resources-live', model), status: model.resultLine }),
    });
  };
}

/** Only a name comes through, so that an address cannot put words on the page. */
function parseDeleted(query: URLSearchParams): string | undefined {
  const deleted = query.get('deleted');
  return deleted !== null && isDnsSubdomain(deleted) ? deleted : undefined;
}

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

function parseTierBoardFilter(parameters: URLSearchParams): TierBoardFilter {
  const textOf = (key: string): string => (parameters.get(key) ?? '').trim().slice(0, MAX_TEXT_LENGTH);
  const health = RESOURCE_HEALTHS.find((one) => one === parameters.get('health'));
  return {
    ...(textOf('tier') === '' ? {} : { tier: textOf('tier') }),
    ...(textOf('app') === '' ? {} : { app: textOf('app') }),
    ...(health === undefined ? {} : { health }),
    ...(parameters.get('differs') === 'yes' ? { differs: 'yes' } : {}),
  };
}

function tierBoardPage(board: TierBoard, filter: TierBoardFilter): TierBoardPage {
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
