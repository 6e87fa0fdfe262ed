import { Router } from 'express';
import { environmentRow } from '../environment/environment-page.ts';
import { environmentTabs } from '../environment/environment-tabs.ts';
import { instanceFrame, instanceTabPath } from '../instance/instance-frame.ts';
import { addressOf, instanceCrumbs } from '../instance/instance-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { environmentTimelinePath } from '../page/paths.ts';
import { filterOf, parseTimelineQuery, timelineView } from './timeline-page.ts';

/** What happened in an environment, and to one instance. */
export function timelineRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/timeline',
    page(deps, (visit) => showEnvironment(deps, visit)),
  );
  router.get(
    '/environments/:environment/instances/:app/:name/timeline',
    page(deps, (visit) => showInstance(deps, visit)),
  );
  return router;
}

async function showEnvironment({ operations }: WebDeps, { actor, query: parameters, param }: Visit): Promise<Answer> {
  const name = param('environment');
  const query = parseTimelineQuery(parameters);
  const timeline = await operations.showTimeline(actor, { environment: name, ...filterOf(query) });
  const environment = environmentRow(timeline.environment);
  const { href, displayName: label } = environment;
  const path = environmentTimelinePath(name);
  return {
    view: 'environments/timeline',
    title: `Timeline of ${label}`,
    section: 'environments',
    crumbs: [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Timeline' }],
    model: {
      environment,
      tabs: environmentTabs(name, 'timeline'),
      timeline: timelineView({ timeline, query, after: parameters.get('after') ?? '', path }),
    },
  };
}

async function showInstance({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, query: parameters } = visit;
  const address = addressOf(visit);
  const query = parseTimelineQuery(parameters);
  const { environment: name, ...instance } = address;
  const [timeline, shown, environment, permissions] = await Promise.all([
    operations.showTimeline(actor, { environment: name, instance, ...filterOf(query) }),
    operations.showInstance(actor, address),
    operations.showEnvironment(actor, name),
    operations.instancePermissions(actor, address),
  ]);
  const frame = instanceFrame({ instance: shown, environment, permissions }, 'timeline');
  const path = instanceTabPath(address, 'timeline');
  return {
    view: 'environments/instances/timeline',
    title: `Timeline of ${address.name} in ${frame.environment.displayName}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Timeline'),
    model: { ...frame, timeline: timelineView({ timeline, query, after: parameters.get('after') ?? '', path }) },
  };
}
