import { type RequestHandler, Router } from 'express';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import type { OperatorList } from '../../domain/operator/operator-list.ts';
import {
  attentionLine,
  type Counts,
  operatorsLive,
  operatorsPage,
  type OperatorsQuery,
  pageOfOperators,
  parseOperatorsQuery,
} from './operators-page.ts';
import { type Answer, page, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import type { Operations } from '../../operation/operations.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { EXAMPLE_OPERATOR, newOperatorPage, type NewOperatorPage, operatorIn } from './new-operator-page.ts';
import { operatorPath } from '../page/paths.ts';

/** A list costs more than one thing, so it is read less often. */
const INTERVAL_MS = 5_000;
/** Instances are counted anew with every sixth reading. */
const READINGS_A_COUNT = 6;

/** The list of Operators and its live stream. */
export function operatorsRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/operators',
    page(deps, (visit) => showOperators(deps, visit)),
  );
  router.get('/operators/stream', stream(deps));
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

function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const query = parseOperatorsQuery(queryOf(request));
    await streams.answer(request, response, {
      key: `/operators?${JSON.stringify(query)}`,
      intervalMs: INTERVAL_MS,
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

const ROUTE = '/operators/new';
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
    ROUTE,
    page(deps, async (visit) =>
      visit.query.has('check') ? await work.find(visit, ROUTE, CHECKING) : show(newOperatorPage(EXAMPLE_OPERATOR)),
    ),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => await work.begin(visit, ROUTE, { words: CHECKING, run: async () => await receive(deps, visit) })),
  );
  return router;
}

/** Checked always; created only when it was asked for and nothing stands against it. */
async function receive({ operations }: WebDeps, { actor, body, requestOrigin }: Visit): Promise<Answer> {
  const text = (body.get('manifest') ?? '').replaceAll('\r\n', '\n');
  const read = operatorIn(await runFormJob('readYaml', text));
  if ('fault' in read) return show(newOperatorPage(text, { fault: read.fault }));
  try {
    const preflight = await operations.preflightOperator(actor, read.operator);
    if (body.get('_do') === 'file')
      return { fileName: `${read.operator.metadata.name}.yaml`, type: 'text/yaml', text: preflight.commands.yaml };
    if (preflight.verdict !== 'Ready' || body.get('_do') !== 'create') return show(newOperatorPage(text, { preflight }));
    return { redirect: operatorPath(await operations.createOperator(actor, { operator: read.operator, ...requestOrigin })) };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'AlreadyExists')) throw error;
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
