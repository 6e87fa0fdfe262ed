import { type RequestHandler, Router } from 'express';
import { createLongWork } from '../page/long-work.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { releasePath } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { releasePreviewPage } from './release-preview-page.ts';
import { releasePage, releasesPage, releasesStatus } from './releases-page.ts';

const ROUTE = '/releases/:name';

/** The pages of CatalogReleases. */
export function releaseRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  const work = createLongWork();
  router.get(
    '/releases',
    page(deps, async ({ actor, query }) => {
      const model = releasesPage(await operations.listReleases(actor), query.get('after') ?? '');
      return { view: 'releases/index', title: 'Releases', section: 'releases', model };
    }),
  );
  router.get('/releases/stream', listStream(deps));
  router.get(
    ROUTE,
    page(deps, async ({ actor, param }) => {
      const release = await operations.showRelease(actor, { name: param('name') });
      return { view: 'releases/show', title: release.name, section: 'releases', crumbs: crumbs(release.name), model: releasePage(release) };
    }),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  router.get(
    `${ROUTE}/upgrade-preview`,
    page(deps, async (visit) => {
      const [name, target] = [visit.param('name'), targetOf(visit)];
      const path = releasePath(name, 'upgrade-preview');
      const words = {
        title: `Preparing the preview of ${name}`,
        text: 'Chandlery fetches and renders the charts of each Operator, and does a dry run of each object.',
        crumbs: crumbs(name, 'Upgrade preview'),
        section: 'releases',
      } as const;
      const address = target === '' ? path : `${path}?${new URLSearchParams({ target }).toString()}`;
      return await work.join(visit, address, { words, run: async () => await showPreview(deps, visit) });
    }),
  );
  return router;
}

/** Between two readings of a live page. */
const INTERVAL_MS = 5_000;

/** Sends the list again whenever something in it is different. */
function listStream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const after = queryOf(request).get('after') ?? '';
    await streams.answer(request, response, {
      key: `/releases?${after}`,
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => operations.listReleases(actor),
      render: (releases) => ({ html: views.render('releases/list', releasesPage(releases, after)), status: releasesStatus(releases) }),
    });
  };
}

/** Sends a release again whenever something of it is different. */
function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const name = paramsOf(request).param('name');
    await streams.answer(request, response, {
      key: releasePath(name),
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => operations.showRelease(actor, { name }),
      render: (release) => {
        const model = releasePage(release);
        return { html: views.render('releases/release', model), status: model.sentence };
      },
    });
  };
}

async function showPreview({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const [name, target] = [visit.param('name'), targetOf(visit)];
  const [releases, preview] = await Promise.all([
    operations.listReleases(actor),
    operations.previewRelease(actor, { name, ...(target === '' ? {} : { target }) }),
  ]);
  return {
    view: 'releases/upgrade-preview',
    title: `Upgrade to ${name}`,
    section: 'releases',
    crumbs: crumbs(name, 'Upgrade preview'),
    model: releasePreviewPage(preview, { releases, target, user: actor.user }),
  };
}

function targetOf({ query }: Visit): string {
  return (query.get('target') ?? '').trim().slice(0, 300);
}

function crumbs(name: string, below?: string): Crumb[] {
  const root = { label: 'Releases', href: '/releases' };
  return below === undefined ? [root, { label: name }] : [root, { label: name, href: releasePath(name) }, { label: below }];
}
