import { type RequestHandler, Router } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { readForms } from '../http/body/read-form.ts';
import { contextOf } from '../http/request-context.ts';
import type { MessageView } from '../http/http-deps.ts';
import { requireSignedIn } from '../http/authenticate.ts';
import { accessTokenRoutes, allAccessTokenRoutes } from './access-token/access-token-routes.ts';
import { registrationTokenRoutes } from './access-token/registration-token-routes.ts';
import { appPage, parseAppTab, referenceRoutes } from './app/app-page.ts';
import { catalogPage, parseAppQuery } from './app/catalog-page.ts';
import { adminRoutes } from './operator/admin-routes.ts';
import { pictureOf } from './page/picture-address.ts';
import { copyRoutes, sleepRoutes } from './instance/release-routes.ts';
import { historyRoutes } from './instance/history-page.ts';
import { timelineRoutes } from './timeline/timeline-routes.ts';
import { environmentDeleteRoutes } from './environment/environment-delete-page.ts';
import { environmentFormRoutes } from './environment/environment-form-routes.ts';
import { boardRoutes, environmentRoutes } from './environment/environment-routes.ts';
import { changeRoutes } from './instance/change-routes.ts';
import { installRoutes } from './app/install-routes.ts';
import { instanceRoutes } from './instance/instance-routes.ts';
import { logsRoutes } from './logs/logs-routes.ts';
import { metricsRoutes } from './monitoring/metrics-page.ts';
import { kubectlRoutes } from './kubectl/kubectl-page.ts';
import { membersRoutes, permissionsRoutes } from './permission/permission-routes.ts';
import { messagePage } from './page/message-page.ts';
import { migrationRoutes } from './instance/migration-page.ts';
import { proposalRoutes, PROPOSALS_PATH } from './proposal/proposal-routes.ts';
import { changeRequestRoutes } from './change-request/change-request-routes.ts';
import { meOf, page, type WebDeps } from './page/page.ts';
import { TIER_BOARD_PATH } from './page/paths.ts';
import { type Me, shellOf } from './page/shell.ts';
import { resourceRoutes } from './resource/resource-routes.ts';
import { savedConfigurationCompareRoutes, savedConfigurationRoutes } from './saved-configuration/saved-configuration-routes.ts';
import { savedConfigurationEditRoutes } from './saved-configuration/edit-routes.ts';

/** All pages. Anyone may come: who is not signed in finds the start page at `/` and is sent to the sign-in from everywhere else. */
export function createWebRouter(deps: WebDeps): Router {
  const router = Router();
  router.get('/', (_request, response, next) => {
    if (contextOf(response).actor !== undefined) return next();
    return response.type('html').send(renderStart(deps));
  });
  router.use(OURS, requireSignedIn(), readForms());
  router.use(
    pictureRoutes(deps),
    catalogRoutes(deps),
    installRoutes(deps),
    environmentRoutes(deps),
    environmentFormRoutes(deps),
    environmentDeleteRoutes(deps),
    boardRoutes(deps),
    membersRoutes(deps),
    permissionsRoutes(deps),
    historyRoutes(deps),
    copyRoutes(deps),
    accessTokenRoutes(deps),
    allAccessTokenRoutes(deps),
    registrationTokenRoutes(deps),
    kubectlRoutes(deps),
    timelineRoutes(deps),
    instanceRoutes(deps),
    metricsRoutes(deps),
    logsRoutes(deps),
    resourceRoutes(deps),
    changeRoutes(deps),
    sleepRoutes(deps),
    migrationRoutes(deps),
    changeRequestRoutes(deps),
    proposalRoutes(deps),
    savedConfigurationRoutes(deps),
    savedConfigurationEditRoutes(deps),
    savedConfigurationCompareRoutes(deps),
    adminRoutes(deps),
  );
  return router;
}

/** Below these addresses every page belongs to somebody; an address that is nobody's stays a plain 404. */
const OURS = [
  '/pictures',
  '/apps',
  '/environments',
  '/operators',
  '/sources',
  '/releases',
  '/catalog',
  '/change-requests',
  PROPOSALS_PATH,
  '/admin',
  '/account',
  TIER_BOARD_PATH,
];

function renderStart({ views, signInHint }: WebDeps): string {
  return views.render('start', {
    title: 'Managed apps for your team',
    shell: shellOf(undefined, 'none'),
    ...(signInHint === undefined ? {} : { signInHint }),
  });
}

/** Renders the errors and messages of `src/http` as pages, with the ways of whoever is signed in around them. */
export function createRenderError({ views, ...deps }: RenderDeps): (view: MessageView) => Promise<string> {
  return async (view) => views.render('message', messagePage(view, await readerOf(deps, view)));
}

type RenderDeps = Pick<WebDeps, 'views' | 'controllerStatus'> & {
  readonly operations: Pick<WebDeps['operations'], 'me' | 'countChangeRequests'>;
};

/** The signed-in person of an error page. On a 503 the cluster is not asked again. */
async function readerOf(deps: Omit<RenderDeps, 'views'>, { actor, person, status }: MessageView): Promise<Me | undefined> {
  if (actor === undefined) return undefined;
  const known = person ?? { name: actor.user };
  const plain: Me = { ...actor, name: known.name, admin: false };
  return status === 503 ? plain : await meOf(deps, { actor, person: known }).catch(() => plain);
}

const PATIENCE_MS = 20_000;
const KEPT_SECONDS = 24 * 3600;
/** An SVG is a document: opened by itself it runs nothing, loads nothing and has no origin. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The pictures that charts and the catalogue name; 404 where there is none that we show. */
function pictureRoutes({ pictures }: Pick<WebDeps, 'pictures'>): Router {
  const router = Router();
  router.get('/pictures/:signature/:address', pictureHandler(pictures));
  return router;
}

function pictureHandler(pictures: WebDeps['pictures']): RequestHandler<{ signature: string; address: string }> {
  return async ({ params }, response) => {
    const address = pictureOf(params.signature, params.address);
    const picture = address === undefined ? undefined : await pictures(address, AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined);
    if (picture === undefined) throw new AppError('NotFound', 'picture: there is no image at this URL');
    response.set({
      'Content-Type': picture.type,
      'Content-Disposition': 'attachment',
      'Content-Security-Policy': POLICY,
      'Cache-Control': `private, max-age=${KEPT_SECONDS}`,
    });
    response.send(picture.bytes);
  };
}

/** The catalogue and the pages of its Apps. */
function catalogRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.use(referenceRoutes(deps));
  router.get(
    '/',
    page(deps, async ({ actor, me, query }) => {
      const appQuery = parseAppQuery(query);
      const forAdmin = me.then(async ({ admin }) => ({ admin, drafts: admin ? await operations.countDrafts(actor) : 0 }));
      const [list, shown] = await Promise.all([operations.listApps(actor, appQuery), forAdmin]);
      const model = catalogPage(list, appQuery, shown);
      return { view: 'catalog', title: 'Catalogue', section: 'catalog', model };
    }),
  );
  router.get(
    '/apps/:app',
    page(deps, async ({ actor, me, query, param }) => {
      const [app, { admin }] = await Promise.all([operations.showApp(actor, param('app')), me]);
      const search = (query.get('search') ?? '').trim();
      const model = appPage(app, { tab: parseAppTab(query.get('tab')), search, admin });
      const crumbs = [{ label: 'Catalogue', href: '/' }, { label: app.displayName }];
      return { view: 'apps/show', title: app.displayName, section: 'catalog', crumbs, model };
    }),
  );
  return router;
}
