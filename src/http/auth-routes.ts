import { Router, type Request, type Response } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { readForm } from './body/read-form.ts';
import type { Cookies } from './cookies.ts';
import type { HttpDeps } from './http-deps.ts';
import { localPath } from './local-path.ts';
import { contextOf } from './request-context.ts';

type AuthDeps = Pick<HttpDeps, 'publicUrl' | 'identity' | 'renderError'> & { readonly cookies: Cookies };

/** A form with one token, which anyone may send. */
const MAX_LOGOUT_BYTES = 64 * 1024;

/** Signing in and out. */
export function authRoutes(deps: AuthDeps): Router {
  const router = Router();
  router.get('/login', (req, res) => login(deps, req, res));
  router.get('/auth/callback', (req, res) => callback(deps, req, res));
  router.post('/logout', (req, res) => logout(deps, req, res));
  router.get('/signed-out', (req, res) => signedOut(deps, req, res));
  router.post('/auth/backchannel-logout', readForm(MAX_LOGOUT_BYTES), (req, res) => backchannelLogout(deps, req, res));
  router.all(['/login', '/auth/callback', '/logout', '/signed-out', '/auth/backchannel-logout'], (req) => {
    throw new AppError('MethodNotAllowed', `address: ${req.path} does not answer ${req.method}`);
  });
  return router;
}

async function login(deps: AuthDeps, req: Request, res: Response): Promise<void> {
  const returnTo = returnPath(req.query['return']);
  // Cookies belong to one host, so the sign-in begins on the one that the issuer sends people back to. Behind a proxy that rewrites
  // the Host header both always differ; the mark ends the circle.
  if (req.host !== deps.publicUrl.host && req.query['canonical'] === undefined) {
    res.redirect(302, `${deps.publicUrl.origin}/login?return=${encodeURIComponent(returnTo)}&canonical=1`);
    return;
  }
  const start = await deps.identity.beginLogin(returnTo);
  deps.cookies.setLogin(req, res, start);
  res.redirect(302, start.redirect.href);
}

/** Coming back to the sign-in itself would only go round. */
function returnPath(text: unknown): string {
  const path = localPath(text) ?? '/';
  return /^\/(login|logout|auth|signed-out|issuer)\b/.test(path) ? '/' : path;
}

async function callback({ identity, cookies }: AuthDeps, req: Request, res: Response): Promise<void> {
  const parameters = new URL(req.originalUrl, 'http://local.invalid').searchParams;
  const state = parameters.get('state') ?? '';
  cookies.clearLogin(res, state);
  const previousSession = cookies.session(req);
  const end = await identity.finishLogin({ parameters, sealed: cookies.login(req, state), previousSession });
  cookies.setSession(res, end.session, end.maxAgeSeconds);
  res.redirect(303, localPath(end.returnTo) ?? '/');
}

async function logout({ identity, cookies }: AuthDeps, req: Request, res: Response): Promise<void> {
  const session = cookies.session(req);
  cookies.clearSession(res);
  const atIssuer = session === undefined ? undefined : await identity.logout(session);
  res.redirect(303, atIssuer?.href ?? '/signed-out?only=here');
}

async function signedOut(deps: AuthDeps, req: Request, res: Response): Promise<void> {
  const message =
    req.query['only'] === 'here'
      ? 'Your session here has ended. The sign-out at the identity provider failed, so it may sign you in again without asking.'
      : 'Your session has ended, here and at the identity provider.';
  const action = { label: 'Sign in again', href: '/login' };
  const { requestId } = contextOf(res);
  res.type('html').send(await deps.renderError({ status: 200, title: 'You are signed out', message, faults: [], action, requestId }));
}

async function backchannelLogout({ identity }: AuthDeps, req: Request, res: Response): Promise<void> {
  const token = req.body instanceof URLSearchParams ? req.body.get('logout_token') : null;
  if (token === null) throw new AppError('MalformedRequest', 'logout: the form has no logout_token');
  await identity.backchannelLogout(token);
  res.status(200).end();
}
