import { type RequestHandler, Router } from 'express';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { SourceView } from '../../domain/source/source-view.ts';
import { sourceBadge } from '../page/badges.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { NEW_SOURCE_PATH, sourcePath } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { inventoryFilter, inventoryTab } from './inventory-tab.ts';
import { parseSourceTab, sourceFrame, sourceOverview, type SourceTab } from './source-page.ts';
import { parseSourcesQuery, sourcesLive, sourcesPage, sourcesStatus } from './sources-page.ts';

/** Between two readings of a live page. */
const INTERVAL_MS = 2_000;
const LIST_INTERVAL_MS = 5_000;
const RESOURCES_A_PAGE = 50;
const ROUTE = '/sources/:name';

/** The pages of CatalogSources and their live streams. */
export function sourceRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/sources',
    page(deps, (visit) => showSources(deps, visit)),
  );
  router.get('/sources/stream', listStream(deps));
  router.get(
    ROUTE,
    page(deps, (visit) => showSource(deps, visit)),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  return router;
}

async function showSources({ operations }: WebDeps, { actor, query: parameters }: Visit): Promise<Answer> {
  const query = parseSourcesQuery(parameters);
  const [list, missing] = await Promise.all([operations.listSources(actor, query), operations.missingForNewSource(actor)]);
  const model = { ...sourcesPage(list, query), newHref: missing === undefined ? NEW_SOURCE_PATH : '' };
  return { view: 'sources/index', title: 'Sources', section: 'sources', model };
}

function listStream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const query = parseSourcesQuery(queryOf(request));
    await streams.answer(request, response, {
      key: `/sources?${stringifyJson(query)}`,
      intervalMs: LIST_INTERVAL_MS,
      reader: (actor) => () => operations.listSources(actor, query),
      render: (list) => ({ html: views.render('sources/list', sourcesLive(list, query)), status: sourcesStatus(list) }),
    });
  };
}

async function showSource(deps: WebDeps, { actor, query, param }: Visit): Promise<Answer> {
  const { operations } = deps;
  const name = param('name');
  const tab = parseSourceTab(query.get('tab'));
  const source = await operations.showSource(actor, { name });
  const [permissions, content] = await Promise.all([
    operations.sourcePermissions(actor, { name }),
    readTab(deps, actor, { source, tab, query }),
  ]);
  return {
    view: 'sources/show',
    title: name,
    section: 'sources',
    crumbs: sourceCrumbs(name),
    model: { ...sourceFrame({ source, permissions, tab, query }), content },
  };
}

/** The way to the page of a source. */
function sourceCrumbs(name: string): Crumb[] {
  return [{ label: 'Sources', href: '/sources' }, { label: name }];
}

interface TabInput {
  readonly source: SourceView;
  readonly tab: SourceTab;
  readonly query: URLSearchParams;
}

/** The model of a tab; of the view `sources/tabs/<tab>`. */
type TabDeps = Pick<WebDeps, 'operations' | 'publicUrl'>;

async function readTab({ operations, publicUrl }: TabDeps, actor: Actor, { source, tab, query }: TabInput): Promise<object> {
  if (tab === 'overview') {
    const isReturnable = source.history.some(({ revision }) => revision !== source.revision);
    const needsDecision = source.awaitsApproval !== undefined || source.awaitsConfirmation !== undefined || isReturnable;
    const mayPatch = needsDecision && (await operations.sourcePermissions(actor, { name: source.name })).patch === undefined;
    return sourceOverview(source, { publicUrl, now: Date.now(), mayPatch });
  }
  const { search = '', kind, after } = inventoryFilter(query);
  const inventory = await operations.listSourceInventory(actor, {
    name: source.name,
    search,
    kind: kind === undefined ? [] : [kind],
    limit: RESOURCES_A_PAGE,
    ...(after === undefined ? {} : { after }),
  });
  return inventoryTab(source.name, inventory, query);
}

/** Sends the tab again whenever something in it is different. */
function stream(deps: WebDeps): RequestHandler {
  const { operations, views, streams } = deps;
  return async (request, response) => {
    const name = paramsOf(request).param('name');
    const query = queryOf(request);
    const tab = parseSourceTab(query.get('tab'));
    const read = async (actor: Actor): Promise<{ readonly content: object; readonly status: string }> => {
      const source = await operations.showSource(actor, { name });
      return { content: await readTab(deps, actor, { source, tab, query }), status: sourceBadge(source.state).label };
    };
    await streams.answer(request, response, {
      key: `${sourcePath(name)}?${JSON.stringify({ tab, ...inventoryFilter(query) })}`,
      intervalMs: tab === 'overview' ? INTERVAL_MS : LIST_INTERVAL_MS,
      reader: (actor) => () => read(actor),
      render: ({ content, status }) => ({ html: views.render(`sources/tabs/${tab}`, content), status }),
    });
  };
}
