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
