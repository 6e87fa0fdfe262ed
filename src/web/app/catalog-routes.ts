import { Router } from 'express';
import { appPage, parseAppTab } from './app-page.ts';
import { catalogPage, parseAppQuery } from './catalog-page.ts';
import { page, type WebDeps } from '../page/page.ts';

/** The catalogue and the pages of its Apps. */
export function catalogRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    '/',
    page(deps, async ({ actor, me, query }) => {
      const appQuery = parseAppQuery(query);
      const [list, drafts] = await Promise.all([operations.listApps(actor, appQuery), me.admin ? operations.countDrafts(actor) : 0]);
      const model = catalogPage(list, appQuery, { admin: me.admin, drafts });
      return { view: 'catalog', title: 'Catalogue', section: 'catalog', model };
    }),
  );
  router.get(
    '/apps/:app',
    page(deps, async ({ actor, me, query, param }) => {
      const app = await operations.showApp(actor, param('app'));
      const search = (query.get('search') ?? '').trim();
      const model = appPage(app, { tab: parseAppTab(query.get('tab')), search, admin: me.admin });
      const crumbs = [{ label: 'Catalogue', href: '/' }, { label: app.displayName }];
      return { view: 'apps/show', title: app.displayName, section: 'catalog', crumbs, model };
    }),
  );
  return router;
}
