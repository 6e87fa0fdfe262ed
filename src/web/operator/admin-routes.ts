import { Router } from 'express';
import type { CatalogFault } from '../../domain/operator/operator.ts';
import { auditPage, parseAuditSearch } from '../audit/audit-page.ts';
import { draftsPage, parseDraftsQuery } from './drafts-page.ts';
import { newOperatorRoutes, operatorsRoutes } from './operators-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { page, type WebDeps } from '../page/page.ts';
import { sourceActRoutes } from '../source/source-act-routes.ts';
import { sourceRoutes } from '../source/source-routes.ts';
import { upgradeRoutes } from '../upgrade/upgrade-routes.ts';

const ENTRIES_A_PAGE = 50;

interface FaultRow {
  /** `operators/cache.yaml:12:3`; without a line when the fault is the file's as a whole; the path of a field where no file is at fault. */
  readonly place: string;
  readonly source: string;
  readonly resource: string;
  readonly message: string;
}

/** The admin's pages. The operations reject everybody else, with the permission that is missing. */
export function adminRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.use(
    operatorsRoutes(deps),
    newOperatorRoutes(deps),
    operatorRoutes(deps),
    upgradeRoutes(deps),
    sourceRoutes(deps),
    sourceActRoutes(deps),
  );
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

function faultsPage(faults: readonly CatalogFault[]): { faults: FaultRow[] } {
  return { faults: faults.map(faultRow) };
}

function faultRow({ file, line, column, source, resource, field, message }: CatalogFault): FaultRow {
  const place = [file === '' ? (field ?? '') : file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':');
  return { place, source, resource: resource ?? '', message };
}
