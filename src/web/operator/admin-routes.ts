import { Router } from 'express';
import { draftsPage, parseDraftsQuery } from './drafts-page.ts';
import { faultsPage } from './faults-page.ts';
import { auditPage, parseAuditSearch } from '../audit/audit-page.ts';
import { newOperatorRoutes } from './new-operator-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { operatorsRoutes } from './operators-routes.ts';
import { page, type WebDeps } from '../page/page.ts';
import { upgradeRoutes } from '../upgrade/upgrade-routes.ts';

const ENTRIES_A_PAGE = 50;

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
  router.get(
    '/catalog/drafts',
    page(deps, async ({ actor, query }) => {
      const search = parseDraftsQuery(query);
      const model = draftsPage(await operations.listDrafts(actor, search.operator), search);
      return { view: 'drafts', title: 'Drafts', section: 'drafts', model };
    }),
  );
  router.get(
    '/admin/audit-log',
    page(deps, async ({ actor, query }) => {
      const search = parseAuditSearch(query);
      const found = await operations.listAuditEvents(actor, { ...search, limit: ENTRIES_A_PAGE });
      return { view: 'admin/audit-log', title: 'Audit log', section: 'auditLog', model: auditPage(found, search) };
    }),
  );
  return router;
}
