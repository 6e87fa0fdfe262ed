import { Router } from 'express';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import { environmentPage, environmentsPage } from './environment-page.ts';
import { checkSelector, parseResourceFilter, resourcesPage } from './resources-page.ts';
import { page, type WebDeps } from '../page/page.ts';

/** The environments that somebody sees, and what is installed in one of them. */
export function environmentRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.get(
    '/environments',
    page(deps, async ({ actor, me }) => {
      const model = environmentsPage(await operations.listEnvironments(actor), me.admin);
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
  return router;
}

/** Only a name comes through, so that an address cannot put words on the page. */
function parseDeleted(query: URLSearchParams): string | undefined {
  const deleted = query.get('deleted');
  return deleted !== null && isDnsSubdomain(deleted) ? deleted : undefined;
}
