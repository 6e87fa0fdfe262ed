import express, { Router, type Request, type Response } from 'express';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import type { DemoPerson } from './demo-people.ts';
import { choosePersonPage, noticePage, type PageAssets, SIGN_OUT_SCRIPT } from './issuer-pages.ts';

export interface InteractionDeps {
  readonly provider: Provider;
  readonly people: readonly DemoPerson[];
  readonly assets: PageAssets;
}

/** The pages on which somebody signs in at the embedded issuer. oidc-provider ties them to the browser by a cookie of its own. */
export function interactionRoutes(deps: InteractionDeps): Router {
  const router = Router();
  router.get('/sign-out.js', (_req, res) => {
    res.type('text/javascript').set('Cache-Control', 'no-cache').send(SIGN_OUT_SCRIPT.text);
  });
  router.get('/interaction/:uid', (req, res) => ask(deps, req, res));
  router.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '4kb' }), (req, res) => answer(deps, req, res));
  return router;
}

async function ask({ provider, people, assets }: InteractionDeps, req: Request, res: Response): Promise<void> {
  try {
    await provider.interactionDetails(req, res);
    res.type('html').send(choosePersonPage(people, req.originalUrl, assets));
  } catch (error) {
    signInIsOver(error, res, assets);
  }
}

async function answer({ provider, people, assets }: InteractionDeps, req: Request, res: Response): Promise<void> {
  const person = people.find((candidate) => candidate.name === req.body?.person);
  const result: InteractionResults =
    person === undefined
      ? { error: 'access_denied', error_description: 'nobody was chosen' }
      : { login: { accountId: person.name, remember: true } };
  try {
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  } catch (error) {
    signInIsOver(error, res, assets);
  }
}

function signInIsOver(error: unknown, res: Response, assets: PageAssets): void {
  if (!(error instanceof errors.SessionNotFound)) throw error;
  const message = 'It was finished already, or begun too long ago or in another browser.';
  res
    .status(400)
    .type('html')
    .send(noticePage('This sign-in is over', message, assets));
}
