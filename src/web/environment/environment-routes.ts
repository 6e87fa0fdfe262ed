import { type RequestHandler, Router } from 'express';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import { environmentPage, environmentsPage } from './environment-page.ts';
import { checkSelector, parseResourceFilter, resourcesPage } from './resources-page.ts';
import { parseTierBoardFilter, tierBoardPage } from './tier-board-page.ts';
import { parseBoardFilter, workloadsLive, workloadsPage } from './workloads-page.ts';
import { hrefWith } from '../page/facets.ts';
import { page, paramsOf, queryOf, type WebDeps } from '../page/page.ts';
import { environmentWorkloadsPath, TIER_BOARD_PATH } from '../page/paths.ts';

const WORKLOADS = '/environments/:environment/workloads';

/** The deploy board of an environment with its live stream, and the tier board. */
export function boardRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    WORKLOADS,
    page(deps, async ({ actor, query, param }) => {
      const filter = parseBoardFilter(query);
      const model = workloadsPage(
        await operations.listEnvironmentWorkloads(actor, { environment: param('environment'), ...filter }),
        filter,
      );
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
        return () => followed.listEnvironmentWorkloads(actor, { environment, ...filter });
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
    page(deps, async ({ actor, me }) => {
      const [environments, { allColumns }] = await Promise.all([operations.listEnvironments(actor), operations.showTierBoard(actor, {})]);
      const model = environmentsPage(environments, allColumns, me.admin);
      return { view: 'environments/index', title: 'Environments', section: 'environments', model };
    }),
  );
  router.get(
    '/environments/:environment',
    page(deps, async ({ actor, query, param }) => {
      const status = await operations.showEnvironmentStatus(actor, param('environment'));
      const model = environmentPage(status, { ...actor, deleted: parseDeleted(query) });
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
      const found = await operations.listEnvironmentResources(actor, { environment: param('environment'), ...usable });
      const model = resourcesPage(found, filter, query.get('after') ?? '');
      const { href, displayName: label } = model.environment;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Resources' }];
      return { view: 'environments/resources', title: `Resources of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  router.get('/environments/:environment/resources/stream', streamResources(deps));
  return router;
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
          resourcesPage(await followed.listEnvironmentResources(actor, { environment, ...usable }), filter, query.get('after') ?? '');
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
