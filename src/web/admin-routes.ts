import { Router } from 'express';
import { faultsPage, operatorPage, operatorsPage } from './operator-page.ts';
import { page, type WebDeps } from './page.ts';

/** The admin's pages. The operations refuse everybody else, with the right that is missing. */
export function adminRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    '/operators',
    page(deps, async ({ actor }) => {
      const model = operatorsPage(await operations.listOperators(actor));
      return { view: 'operators/index', title: 'Operators', section: 'operators', model };
    }),
  );
  router.get(
    '/operators/:namespace/:name',
    page(deps, async ({ actor, param }) => {
      const model = operatorPage(await operations.showOperator(actor, { namespace: param('namespace'), name: param('name') }));
      const crumbs = [{ label: 'Operators', href: '/operators' }, { label: model.displayName }];
      return { view: 'operators/show', title: model.displayName, section: 'operators', crumbs, model };
    }),
  );
  router.get(
    '/catalog/faults',
    page(deps, async ({ actor }) => {
      const model = faultsPage(await operations.listFaults(actor));
      return { view: 'faults', title: 'Catalogue faults', section: 'faults', model };
    }),
  );
  return router;
}
