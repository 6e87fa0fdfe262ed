import { Router } from 'express';
import { contextOf } from '../http/request-context.ts';
import type { MessageView } from '../http/message-view.ts';
import { requireSignedIn } from '../http/require-signed-in.ts';
import { adminRoutes } from './admin-routes.ts';
import { catalogRoutes } from './catalog-routes.ts';
import { changeRoutes } from './change-routes.ts';
import { environmentRoutes } from './environment-routes.ts';
import { installRoutes } from './install-routes.ts';
import { instanceRoutes } from './instance-routes.ts';
import { messagePage } from './message-page.ts';
import { migrationRoutes } from './migration-routes.ts';
import { planRoutes } from './plan-routes.ts';
import type { WebDeps } from './page.ts';
import { recipeRoutes } from './recipe-routes.ts';
import { shellOf } from './shell.ts';
import type { Views } from './view-engine.ts';

/** All pages. Anyone may come: who is not signed in finds the start page at `/` and is sent to the sign-in from everywhere else. */
export function createWebRouter(deps: WebDeps): Router {
  const router = Router();
  router.get('/', (_request, response, next) => {
    if (contextOf(response).actor !== undefined) return next();
    return response.type('html').send(renderStart(deps));
  });
  router.use(OURS, requireSignedIn());
  router.use(
    catalogRoutes(deps),
    installRoutes(deps),
    environmentRoutes(deps),
    instanceRoutes(deps),
    changeRoutes(deps),
    migrationRoutes(deps),
    planRoutes(deps),
    recipeRoutes(deps),
    adminRoutes(deps),
  );
  return router;
}

/** Below these addresses every page belongs to somebody; an address that is nobody's stays a plain 404. */
const OURS = ['/apps', '/environments', '/operators', '/catalog', '/plans'];

function renderStart({ views, signInHint }: WebDeps): string {
  return views.render('start', {
    title: 'Managed apps for your team',
    shell: shellOf(undefined, 'none'),
    ...(signInHint === undefined ? {} : { signInHint }),
  });
}

/** Renders the errors and messages of `src/http` as pages. */
export function createRenderError(views: Views): (view: MessageView) => string {
  return (view) => views.render('message', messagePage(view));
}
