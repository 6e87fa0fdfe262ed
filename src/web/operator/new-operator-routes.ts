import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { EXAMPLE_OPERATOR, type NewOperatorPage, newOperatorPage, operatorIn } from './new-operator-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { operatorPath } from '../page/paths.ts';

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
