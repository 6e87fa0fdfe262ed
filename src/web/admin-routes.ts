import { Router } from 'express';
import { faultsPage } from './faults-page.ts';
import { newOperatorRoutes } from './new-operator-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { operatorsRoutes } from './operators-routes.ts';
import { page, type WebDeps } from './page.ts';
import { upgradeRoutes } from './upgrade-routes.ts';

/** The admin's pages. The operations refuse everybody else, with the right that is missing. */
export function adminRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.use(operatorsRoutes(deps), newOperatorRoutes(deps), operatorRoutes(deps), upgradeRoutes(deps));
  router.get(
    '/catalog/faults',
    page(deps, async ({ actor }) => {
      const model = faultsPage(await operations.listFaults(actor));
      return { view: 'faults', title: 'Catalogue faults', section: 'faults', model };
    }),
  );
  return router;
}
