import { type RequestHandler, Router } from 'express';
import type { LogPod } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { LogQuery, LogView } from '../../operation/instance/show-logs.ts';
import { instanceTabs } from '../instance/instance-frame.ts';
import { addressOf, instanceCrumbs } from '../instance/instance-routes.ts';
import { operatorCrumbs } from '../operator/operator-routes.ts';
import { displayNameOf } from '../operator/operators-page.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, operatorPath, resourcePath } from '../page/paths.ts';
import { RESOURCE_ROUTE, resourceAddressOf, resourceCrumbs } from '../resource/resource-routes.ts';
import type { Crumb, Section } from '../page/shell.ts';
import { logLive, logPage, logText, parseLogSearch, type LogSubject } from './logs-page.ts';

/** Between two readings of lines that somebody follows. */
const INTERVAL_MS = 2_000;
/** Between two readings of the pods meanwhile, in readings of lines. */
const PODS_EVERY = 10;

type Parameters = Pick<Visit, 'param'>;

/** Something that has logs. */
interface Logged {
  /** The route of its page. */
  readonly route: string;
  readonly section: Section;
  path(of: Parameters): string;
  read(actor: Actor, of: Parameters, query: LogQuery & { readonly pods?: readonly LogPod[] }): Promise<LogView>;
  /** What the page says around the lines. */
  frame(actor: Actor, of: Parameters): Promise<Pick<LogSubject, 'name' | 'subject' | 'tabs'> & { readonly crumbs: readonly Crumb[] }>;
}

/** The logs of Instances, Operators, pods and workloads: to read, to follow, to download. */
export function logsRoutes(deps: WebDeps): Router {
  const router = Router();
  for (const logged of [instances(deps), operators(deps), resources(deps)]) {
    router.get(
      `${logged.route}/logs`,
      page(deps, (visit) => showLogs(logged, visit)),
    );
    router.get(
      `${logged.route}/logs/download`,
      page(deps, (visit) => download(logged, visit)),
    );
    router.get(`${logged.route}/logs/stream`, stream(deps, logged));
  }
  return router;
}

function instances({ operations }: WebDeps): Logged {
  return {
    route: '/environments/:environment/instances/:app/:name',
    section: 'environments',
    path: (of) => instancePath(addressOf(of)),
    read: (actor, of, query) => operations.showLogs(actor, { ...addressOf(of), ...query }),
    frame: async (actor, of) => {
      const address = addressOf(of);
      const environment = await operations.showEnvironment(actor, address.environment);
      const crumbs = instanceCrumbs(address, environment, 'Logs');
      return { name: address.name, subject: 'this instance', tabs: instanceTabs(address, 'logs'), crumbs };
    },
  };
}

function operators({ operations }: WebDeps): Logged {
  const addressIn = ({ param }: Parameters) => ({ namespace: param('namespace'), name: param('name') });
  return {
    route: '/operators/:namespace/:name',
    section: 'operators',
    path: (of) => operatorPath(addressIn(of)),
    read: (actor, of, query) => operations.showOperatorLogs(actor, { ...addressIn(of), ...query }),
    frame: async (actor, of) => {
      const operator = await operations.showOperator(actor, addressIn(of));
      return { name: displayNameOf(operator), subject: 'this Operator', tabs: [], crumbs: operatorCrumbs(operator, 'Logs') };
    },
  };
}

function resources({ operations }: WebDeps): Logged {
  return {
    route: RESOURCE_ROUTE,
    section: 'environments',
    path: (of) => resourcePath(of.param('environment'), resourceAddressOf(of)),
    read: (actor, of, query) => operations.showResourceLogs(actor, { ...resourceAddressOf(of), ...query }),
    frame: async (actor, of) => {
      const address = resourceAddressOf(of);
      const environment = await operations.showEnvironment(actor, address.environment);
      return { name: address.name, subject: 'this resource', tabs: [], crumbs: resourceCrumbs(address, environment, 'Logs') };
    },
  };
}

async function showLogs(logged: Logged, visit: Visit): Promise<Answer> {
  const search = parseLogSearch(visit.query);
  const [view, { crumbs, ...frame }] = await Promise.all([logged.read(visit.actor, visit, search), logged.frame(visit.actor, visit)]);
  return {
    view: 'logs/show',
    title: `Logs of ${frame.name}`,
    section: logged.section,
    crumbs,
    model: logPage({ ...frame, path: logged.path(visit) }, search, view),
  };
}

async function download(logged: Logged, visit: Visit): Promise<Answer> {
  const view = await logged.read(visit.actor, visit, parseLogSearch(visit.query));
  return { fileName: `${visit.param('name')}.log`, type: 'text/plain', text: logText(view) };
}

function stream({ views, streams }: WebDeps, logged: Logged): RequestHandler {
  return async (request, response) => {
    const of = paramsOf(request);
    const search = { ...parseLogSearch(queryOf(request)), follow: true };
    await streams.answer<LogView>(request, response, {
      key: `${logged.path(of)} logs ${JSON.stringify(search)}`,
      intervalMs: INTERVAL_MS,
      reader: (actor) => rememberingPods(async (known) => await logged.read(actor, of, { ...search, ...known })),
      render: (view) => ({ html: views.render('logs/lines', logLive(search, view)), status: '' }),
    });
  };
}

/** Which pods there are is asked seldom, because it takes many more calls than the lines. */
function rememberingPods(read: (known: { readonly pods?: readonly LogPod[] }) => Promise<LogView>): () => Promise<LogView> {
  let pods: readonly LogPod[] | undefined;
  let readings = 0;
  return async () => {
    if (readings % PODS_EVERY === 0) pods = undefined;
    readings += 1;
    const view = await read(pods === undefined ? {} : { pods });
    pods = view.pods;
    return view;
  };
}
