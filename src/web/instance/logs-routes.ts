import { type RequestHandler, Router } from 'express';
import type { LogPod } from '../../domain/instance/pod-log.ts';
import type { LogView } from '../../operation/instance/show-logs.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { logLive, logPage, logText, parseLogSearch } from './logs-page.ts';

/** Between two readings of lines that somebody follows. */
const INTERVAL_MS = 2_000;
/** Between two readings of the pods meanwhile, in readings of lines. */
const PODS_EVERY = 10;

const ROUTE = '/environments/:environment/instances/:app/:name/logs';

/** The logs of an Instance: to read, to follow, to download. */
export function logsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, (visit) => showLogs(deps, visit)),
  );
  router.get(
    `${ROUTE}/download`,
    page(deps, (visit) => download(deps, visit)),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  return router;
}

async function showLogs({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const search = parseLogSearch(visit.query);
  const [view, environment] = await Promise.all([
    operations.showLogs(visit.actor, { ...address, ...search }),
    operations.showEnvironment(visit.actor, address.environment),
  ]);
  return {
    view: 'environments/instances/logs',
    title: `Logs of ${address.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(address, environment, 'Logs'),
    model: logPage(address, search, view),
  };
}

async function download({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const view = await operations.showLogs(visit.actor, { ...address, ...parseLogSearch(visit.query) });
  return { fileName: `${address.name}.log`, type: 'text/plain', text: logText(view) };
}

function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const address = addressOf({ param: (name) => [request.params[name] ?? ''].flat().join('/') });
    const search = { ...parseLogSearch(new URL(request.originalUrl, 'http://local.invalid').searchParams), follow: true };
    await streams.answer<LogView>(request, response, {
      key: `${instancePath(address)} logs ${JSON.stringify(search)}`,
      intervalMs: INTERVAL_MS,
      reader: (actor) => {
        let pods: readonly LogPod[] | undefined;
        let readings = 0;
        return async () => {
          if (readings % PODS_EVERY === 0) pods = undefined;
          readings += 1;
          const view = await operations.showLogs(actor, { ...address, ...search, ...(pods === undefined ? {} : { pods }) });
          pods = view.pods;
          return view;
        };
      },
      render: (view) => ({ html: views.render('environments/instances/log-lines', logLive(search, view)), status: '' }),
    });
  };
}
