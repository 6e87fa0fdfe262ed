import { type RequestHandler, Router } from 'express';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import type { OperatorList } from '../../domain/operator/operator-list.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { OPERATOR_ACTIONS } from '../../operation/operator/request-operator-action.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { EXAMPLE_OPERATOR, newOperatorPage, type NewOperatorPage, operatorIn } from './new-operator-page.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { resourceOf } from '../../domain/proposal/proposal.ts';
import { missingSentence } from '../page/message-page.ts';
import { needsName, operatorDeletePage } from './operator-deletion.ts';
import { operatorFrame, type OperatorTab, parseOperatorTab, tabPath } from './operator-frame.ts';
import { overviewTab } from './operator-overview.ts';
import { eventsTab, instancesTab, notesTab, resourcesTab, valuesTab } from './operator-tabs.ts';
import { metricsView, parseRange } from '../monitoring/metrics-page.ts';
import {
  attentionLine,
  type Counts,
  displayNameOf,
  operatorsLive,
  operatorsPage,
  type OperatorsQuery,
  pageOfOperators,
  parseOperatorsQuery,
} from './operators-page.ts';
import { PROPOSAL_FAULTS, proposed, proposePart } from '../proposal/proposal-routes.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { operatorPath } from '../page/paths.ts';
import type { Operations } from '../../operation/operations.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import type { Crumb } from '../page/shell.ts';

/** Between two readings of a live page. */
const INTERVAL_MS = 2_000;

const ROUTE = '/operators/:namespace/:name';

/** The pages of one Operator, its live stream, what an admin asks of it, and its end. */
export function operatorRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, (visit) => showOperator(deps, visit)),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  router.get(
    `${ROUTE}/delete`,
    page(deps, (visit) => confirmDelete(deps, visit)),
  );
  router.post(
    `${ROUTE}/delete`,
    page(deps, (visit) => doDelete(deps, visit)),
  );
  for (const step of OPERATOR_ACTIONS) {
    router.post(
      `${ROUTE}/${step}`,
      page(deps, async (visit) => {
        const address = addressOf(visit);
        await deps.operations.requestOperatorAction(visit.actor, {
          ...address,
          step,
          at: new Date().toISOString(),
          ...visit.requestOrigin,
        });
        return { redirect: `${operatorPath(address)}?asked=${step}` };
      }),
    );
  }
  return router;
}

/** The way to an Operator's page, and below it. */
export function operatorCrumbs(operator: Pick<OperatorView, 'namespace' | 'name' | 'displayName'>, below?: string): Crumb[] {
  const label = displayNameOf(operator);
  const crumbs = [{ label: 'Operators', href: '/operators' }];
  return below === undefined ? [...crumbs, { label }] : [...crumbs, { label, href: operatorPath(operator) }, { label: below }];
}

function addressOf({ param }: Pick<Visit, 'param'>): OperatorAddress {
  return { namespace: param('namespace'), name: param('name') };
}

async function showOperator({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, query } = visit;
  const address = addressOf(visit);
  const tab = parseOperatorTab(query.get('tab'));
  const operator = await operations.showOperator(actor, address);
  const [permissions, content] = await Promise.all([
    operations.operatorPermissions(actor, address),
    readTab(operations, actor, { operator, tab, query }),
  ]);
  const frame = operatorFrame({ operator, permissions, tab, asked: query.get('asked') });
  return {
    view: 'operators/show',
    title: frame.displayName,
    section: 'operators',
    crumbs: operatorCrumbs(operator),
    model: { ...frame, content },
  };
}

interface TabInput {
  readonly operator: OperatorView;
  readonly tab: OperatorTab;
  readonly query: URLSearchParams;
}

/** The model of a tab; of the view `operators/tabs/<tab>`. */
async function readTab(operations: Operations, actor: Actor, { operator, tab, query }: TabInput): Promise<object> {
  switch (tab) {
    case 'overview':
      return await readOverview(operations, actor, operator);
    case 'resources':
      return resourcesTab(operator, await operations.showOperatorTree(actor, operator));
    case 'events':
      return eventsTab(operator, await operations.listOperatorEvents(actor, operator));
    case 'values':
      return valuesTab(operator);
    case 'instances':
      return instancesTab({ operator, found: await operations.listOperatorInstances(actor, operator), query });
    case 'monitoring':
      return metricsView(
        await operations.showOperatorMetrics(actor, { ...operator, range: parseRange(query) }),
        (range) => `${tabPath(operator, tab)}&range=${range}`,
      );
    case 'notes':
      return notesTab(await operations.showReleaseNotes(actor, operator));
    default:
      return tab satisfies never;
  }
}

async function readOverview(operations: Operations, actor: Actor, operator: OperatorView): Promise<object> {
  const names = operator.crds.map(({ name }) => name);
  const [problems, counts, drafts] = await Promise.all([
    operations.listOperatorProblems(actor, { operator }),
    operations.countInstances(actor, names),
    operations.listOperatorDrafts(actor, operator),
  ]);
  return overviewTab({ operator, problems, counts: Object.fromEntries(counts), drafts });
}

/** Sends the tab again whenever something in it is different. */
function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const address = addressOf(paramsOf(request));
    const tab = parseOperatorTab(queryOf(request).get('tab'));
    const read = async (actor: Actor): Promise<{ readonly content: object; readonly status: string }> => {
      const operator = await operations.showOperator(actor, address);
      return { content: await readTab(operations, actor, { operator, tab, query: new URLSearchParams() }), status: operator.status };
    };
    await streams.answer(request, response, {
      key: `${operatorPath(address)}?tab=${tab}`,
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => read(actor),
      render: ({ content, status }) => ({ html: views.render(`operators/tabs/${tab}`, content), status: statusWord(status) }),
    });
  };
}

function statusWord(status: string): string {
  return `${status.charAt(0)}${status.slice(1).toLowerCase()}`;
}

async function confirmDelete({ operations }: WebDeps, visit: Visit, fault?: string): Promise<Answer> {
  const { actor } = visit;
  const address = addressOf(visit);
  const [operator, deletion, permissions] = await Promise.all([
    operations.showOperator(actor, address),
    operations.previewOperatorDeletion(actor, address),
    operations.operatorPermissions(actor, address),
  ]);
  const rejected = permissions.delete === undefined ? '' : missingSentence(permissions.delete);
  return {
    view: 'operators/delete',
    title: `${fault === undefined ? '' : 'Error: '}Delete ${displayNameOf(operator)}`,
    section: 'operators',
    crumbs: operatorCrumbs(operator, 'Delete'),
    model: operatorDeletePage({ operator, deletion, rejected, ...(fault === undefined ? {} : { fault }) }),
    ...(fault === undefined ? {} : { status: 422 }),
  };
}

async function doDelete(deps: WebDeps, visit: Visit): Promise<Answer> {
  const address = addressOf(visit);
  const deletion = await deps.operations.previewOperatorDeletion(visit.actor, address);
  if (deletion.policy !== visit.body.get('policy')) {
    throw new AppError(
      'Conflict',
      `operator ${JSON.stringify(address.name)}: its deletion policy is ${deletion.policy} now; read the deletion preview again`,
    );
  }
  if (needsName(deletion) && visit.body.get('name')?.trim() !== address.name) {
    return confirmDelete(deps, visit, `Type ${address.name} to delete it with everything`);
  }
  await deps.operations.deleteOperator(visit.actor, { ...address, ...visit.requestOrigin });
  return { redirect: `${operatorPath(address)}?asked=delete` };
}

/** A list costs more than one thing, so it is read less often. */
const LIST_INTERVAL_MS = 5_000;
/** Instances are counted anew with every sixth reading. */
const READINGS_A_COUNT = 6;

/** The list of Operators and its live stream. */
export function operatorsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/operators',
    page(deps, (visit) => showOperators(deps, visit)),
  );
  router.get('/operators/stream', listStream(deps));
  return router;
}

async function showOperators({ operations }: WebDeps, { actor, query: parameters }: Visit): Promise<Answer> {
  const query = parseOperatorsQuery(parameters);
  const list = await operations.listOperators(actor, query);
  const model = { ...operatorsPage(list, await countOn(operations, actor, { list, query }), query), gone: goneOf(parameters) };
  return { view: 'operators/index', title: 'Operators', section: 'operators', model };
}

/** Only a name comes through, so that an address cannot put words on the page. */
function goneOf(parameters: URLSearchParams): string {
  const gone = parameters.get('gone') ?? '';
  return isDnsSubdomain(gone) ? gone : '';
}

interface Reading {
  readonly list: OperatorList;
  readonly counts: Counts;
}

async function countOn(
  operations: Operations,
  actor: Actor,
  { list, query }: { list: OperatorList; query: OperatorsQuery },
): Promise<Counts> {
  const names = pageOfOperators(list, query).items.flatMap(({ crds }) => crds.map(({ name }) => name));
  return Object.fromEntries(await operations.countInstances(actor, names));
}

function listStream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const query = parseOperatorsQuery(queryOf(request));
    await streams.answer(request, response, {
      key: `/operators?${stringifyJson(query)}`,
      intervalMs: LIST_INTERVAL_MS,
      reader: (actor) => listReader(operations, actor, query),
      render: (reading) => ({
        html: views.render('operators/list', operatorsLive(reading.list, reading.counts, query)),
        status: attentionLine(reading.list),
      }),
    });
  };
}

function listReader(operations: Operations, actor: Actor, query: OperatorsQuery): () => Promise<Reading> {
  let readings = 0;
  let counts: Counts = {};
  return async () => {
    const list = await operations.listOperators(actor, query);
    if (readings % READINGS_A_COUNT === 0) counts = await countOn(operations, actor, { list, query });
    readings += 1;
    return { list, counts };
  };
}

const NEW_ROUTE = '/operators/new';
const CRUMBS = [{ label: 'Operators', href: '/operators' }, { label: 'New' }];
const CHECKING: WorkWords = {
  title: 'Checking the new Operator',
  text: 'Chandlery fetches and renders the chart, and does a dry run of each object.',
  crumbs: CRUMBS,
};

/** Creating an Operator from its resource: what its chart would bring, and doing it. What was written comes back with every answer. */
export function newOperatorRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.get(
    NEW_ROUTE,
    page(deps, async (visit) =>
      visit.query.has('check') ? await work.find(visit, NEW_ROUTE, CHECKING) : show(newOperatorPage(EXAMPLE_OPERATOR)),
    ),
  );
  router.post(
    NEW_ROUTE,
    page(deps, async (visit) => await work.begin(visit, NEW_ROUTE, { words: CHECKING, run: async () => await receive(deps, visit) })),
  );
  return router;
}

/** Checked always; created only when it was asked for and nothing stands against it. */
async function receive({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, requestOrigin } = visit;
  const text = (body.get('manifest') ?? '').replaceAll('\r\n', '\n');
  const read = operatorIn(await runFormJob('readYaml', text));
  if ('fault' in read) return show(newOperatorPage(text, { fault: read.fault }));
  const { operator } = read;
  try {
    if (body.get('_do') === 'propose')
      return await proposed(visit, async (wish) => await operations.proposeOperator(actor, { operator, ...wish }));
    const preflight = await operations.preflightOperator(actor, operator);
    if (body.get('_do') === 'file') return { fileName: `${operator.metadata.name}.yaml`, type: 'text/yaml', text: preflight.commands.yaml };
    if (preflight.verdict !== 'Ready' || body.get('_do') !== 'create') {
      const sources = await operations.listProposalTargets(actor, resourceOf(preflight.object));
      return show(newOperatorPage(text, { preflight, ...proposePart({ sources }, body) }));
    }
    return { redirect: operatorPath(await operations.createOperator(actor, { operator, ...requestOrigin })) };
  } catch (error) {
    if (!isAppError(error, ...PROPOSAL_FAULTS, 'AlreadyExists')) throw error;
    return show(newOperatorPage(text, { fault: error.message }));
  }
}

function show(model: NewOperatorPage): Answer {
  const wrong = model.fault !== '';
  return {
    view: 'operators/new',
    title: `${wrong ? 'Error: ' : ''}New Operator`,
    section: 'operators',
    crumbs: CRUMBS,
    model,
    ...(wrong ? { status: 422 } : {}),
  };
}
