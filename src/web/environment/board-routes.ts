import { type RequestHandler, Router } from 'express';
import { hrefWith } from '../page/facets.ts';
import { page, paramsOf, queryOf, type WebDeps } from '../page/page.ts';
import { environmentWorkloadsPath, TIER_BOARD_PATH } from '../page/paths.ts';
import { parseTierBoardFilter, tierBoardPage } from './tier-board-page.ts';
import { parseBoardFilter, workloadsLive, workloadsPage } from './workloads-page.ts';

const WORKLOADS = '/environments/:environment/workloads';
/** Between two readings of a live page; watches ask for others, and permissions are checked again as often. */
const INTERVAL_MS = 8_000;

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
