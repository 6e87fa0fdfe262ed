import { type RequestHandler, Router } from 'express';
import type { LogLine, LogPod } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type LogQuery, type LogView, MAX_LINES } from '../../operation/instance/show-logs.ts';
import { instanceTabs } from '../instance/instance-frame.ts';
import { addressOf, instanceCrumbs } from '../instance/instance-routes.ts';
import { operatorCrumbs } from '../operator/operator-routes.ts';
import { displayNameOf } from '../operator/operators-page.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { hrefWith, instancePath, operatorPath, resourcePath } from '../page/paths.ts';
import { RESOURCE_ROUTE, resourceAddressOf, resourceCrumbs } from '../resource/resource-routes.ts';
import type { Crumb, Section } from '../page/shell.ts';
import { type SelectOption, selectOption } from '../page/facets.ts';

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

/** What an address of the log page asks for. */
export interface LogSearch extends LogQuery {
  /** New lines come by themselves. */
  readonly follow: boolean;
}

/** What changes while somebody follows: a view of `logs/lines`. */
export interface LogLive {
  readonly lines: readonly { readonly time: string; readonly clock: string; readonly source: string; readonly text: string }[];
  readonly notices: LogView['notices'];
  readonly more: number;
  /** Why there are no lines. */
  readonly empty: string;
}

export interface LogPage {
  readonly name: string;
  /** `this instance` */
  readonly subject: string;
  /** Those of the page that it belongs to; empty when it is no tab. */
  readonly tabs: LogSubject['tabs'];
  readonly action: string;
  readonly pods: readonly SelectOption[];
  readonly containers: readonly SelectOption[];
  readonly amounts: readonly SelectOption[];
  readonly previous: boolean;
  readonly follow: boolean;
  readonly search: string;
  readonly live: LogLive;
  readonly streamHref: string;
  readonly goneHref: string;
  /** The same with new lines, or without. */
  readonly followHref: string;
  readonly refreshHref: string;
  readonly downloadHref: string;
  readonly commands: string;
}

const AMOUNTS = [100, 200, 500, 1000, MAX_LINES];
const DEFAULT_AMOUNT = 200;
/** More lines would have to be read and sent again every two seconds. */
const MAX_FOLLOWED_LINES = 500;
const MAX_WORD_LENGTH = 200;
const MAX_NAME_LENGTH = 253;

/** The query in an address; what is no such value counts as none. */
function parseLogSearch(parameters: URLSearchParams): LogSearch {
  const word = (name: string, most: number): string => (parameters.get(name) ?? '').trim().slice(0, most);
  const lines = AMOUNTS.find((amount) => String(amount) === parameters.get('lines')) ?? DEFAULT_AMOUNT;
  const follow = parameters.get('follow') === 'on';
  return {
    pod: word('pod', MAX_NAME_LENGTH),
    container: word('container', MAX_NAME_LENGTH),
    search: word('search', MAX_WORD_LENGTH),
    previous: parameters.get('previous') === 'on',
    lines: follow ? Math.min(lines, MAX_FOLLOWED_LINES) : lines,
    follow,
  };
}

/** Whose logs a page shows. */
interface LogSubject {
  readonly name: string;
  /** `this instance` */
  readonly subject: string;
  /** The address of its page. */
  readonly path: string;
  /** A view of `parts/tabs`; may be empty. */
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
}

function logPage({ name, subject, path, tabs }: LogSubject, search: LogSearch, view: LogView): LogPage {
  const action = `${path}/logs`;
  const { pod, container, lines, previous, follow } = search;
  const names = [...new Set(view.pods.flatMap(({ containers }) => containers.map((one) => one.name)))];
  return {
    name,
    subject,
    tabs,
    action,
    pods: [selectOption('', 'All pods', pod), ...view.pods.map((one) => selectOption(one.name, labelOf(one), pod))],
    containers: [selectOption('', 'All containers', container), ...names.map((name) => selectOption(name, name, container))],
    amounts: AMOUNTS.map((amount) => selectOption(String(amount), `Last ${amount} lines`, String(lines))),
    previous,
    follow,
    search: search.search,
    live: logLive(search, view),
    streamHref: hrefOf(`${action}/stream`, search),
    goneHref: path,
    followHref: hrefOf(action, { ...search, follow: !follow }),
    refreshHref: hrefOf(action, search),
    downloadHref: hrefOf(`${action}/download`, { ...search, follow: false }),
    commands: commandsOf(search, view),
  };
}

function logLive({ search }: LogSearch, { pods, lines, notices, more }: LogView): LogLive {
  const sources = new Set(lines.map(sourceOf));
  return {
    lines: lines.map((line) => ({
      time: line.time,
      clock: line.time.slice(11, 19),
      source: sources.size > 1 ? sourceOf(line) : '',
      text: line.text,
    })),
    notices,
    more,
    empty: notices.length > 0 && lines.length === 0 && search === '' ? 'None of these logs can be read now.' : emptyReason(pods, search),
  };
}

/** The lines as a file. */
function logText({ lines }: LogView): string {
  return lines.map((line) => `${line.time} ${sourceOf(line)} ${line.text}\n`).join('');
}

function emptyReason(pods: readonly LogPod[], search: string): string {
  if (pods.length === 0) return 'There are no pods yet.';
  return search === '' ? 'These containers have written nothing yet.' : `None of the lines read contains “${search}”.`;
}

function sourceOf({ pod, container }: LogLine): string {
  return `${pod} ${container}`;
}

function labelOf({ name, phase, containers }: LogPod): string {
  const restarts = containers.reduce((sum, one) => sum + one.restarts, 0);
  const facts = [...(phase === 'Running' ? [] : [phase]), ...(restarts === 0 ? [] : [`${restarts} restarts`])];
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}

function hrefOf(path: string, { pod, container, search, previous, lines, follow }: LogSearch): string {
  return hrefWith(path, {
    pod,
    container,
    search,
    previous: previous ? 'on' : '',
    lines: lines === DEFAULT_AMOUNT ? '' : String(lines),
    follow: follow ? 'on' : '',
  });
}

/** A line for each pod, as kubectl has no name for all pods of an instance. */
function commandsOf({ pod, container, lines, previous, follow }: LogSearch, { namespace, pods }: LogView): string {
  const chosen = pods.filter(({ name }) => pod === '' || name === pod);
  const options = [
    container === '' ? '--all-containers' : `--container ${container}`,
    `--tail ${lines}`,
    '--timestamps',
    ...(previous ? ['--previous'] : []),
    ...(follow ? ['--follow'] : []),
  ].join(' ');
  return chosen.map(({ name }) => `kubectl logs ${name} --namespace ${namespace} ${options}`).join('\n');
}
