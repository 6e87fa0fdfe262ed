import { Router } from 'express';
import { environmentRow } from '../environment/environment-page.ts';
import { environmentTabs } from '../environment/environment-tabs.ts';
import { page, type WebDeps } from '../page/page.ts';
import { environmentMonitoringPath } from '../page/paths.ts';
import { metricsView, parseRange } from './metrics-page.ts';

/** What the Prometheus of an environment says. */
export function metricsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/monitoring',
    page(deps, async ({ actor, query, param }) => {
      const name = param('environment');
      const found = await deps.operations.showEnvironmentMetrics(actor, { environment: name, range: parseRange(query) });
      const environment = environmentRow(found.environment);
      const { href, displayName: label } = environment;
      const metrics = metricsView(found, (range) => environmentMonitoringPath(name, range));
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Monitoring' }];
      const model = { environment, tabs: environmentTabs(name, 'monitoring'), metrics };
      return { view: 'environments/monitoring', title: `Monitoring of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  return router;
}
