import { type RequestHandler, Router } from 'express';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { OPERATOR_ACTIONS } from '../../operation/operator/request-operator-action.ts';
import { missingSentence } from '../page/message-page.ts';
import { needsName, operatorDeletePage } from './operator-deletion.ts';
import { operatorFrame, type OperatorTab, parseOperatorTab, tabPath } from './operator-frame.ts';
import { overviewTab } from './operator-overview.ts';
import { eventsTab, instancesTab, notesTab, resourcesTab, valuesTab } from './operator-tabs.ts';
import { metricsView, parseRange } from '../monitoring/metrics-page.ts';
import { displayNameOf } from './operators-page.ts';
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
