import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { REGISTRATION_PATH } from '../domain/access-token/registration.ts';
import { beyondLimits, tokenWords } from '../domain/kubernetes/access-limits.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { SignedIn } from '../domain/core/session.ts';
import { readForm } from './body/read-form.ts';
import type { Cookies } from './cookies.ts';
import type { HttpDeps, IdentityPort } from './http-deps.ts';
import { localPath } from './local-path.ts';
import { acceptsProblem } from './problem.ts';
import { type Access, contextOf, setSignedIn } from './request-context.ts';
import { AppError } from '../domain/core/errors.ts';

/** Finds out who the request is from. Nobody is an answer too; a session that ended takes its cookie with it. */
export function authenticate(identity: IdentityPort, cookies: Cookies): RequestHandler {
  return async (req, res, next) => {
    const credentials = credentialsOf(req, cookies);
    if (credentials.kind === 'bearer') {
      const { token } = credentials;
      const signedIn = await identity.signedInByToken(token);
      const again = async (): Promise<SignedIn> => await identity.signedInByToken(token);
      setSignedIn(res, signedIn, accessBy(token, signedIn.actor, again));
    }
    if (credentials.kind === 'session') {
      const { session } = credentials;
      const signedIn = await identity.signedInBySession(session);
      const again = async (): Promise<SignedIn | undefined> => await identity.peekSession(session);
      if (signedIn === undefined) cookies.clearSession(res);
      else setSignedIn(res, signedIn, accessBy(session, signedIn.actor, again));
    }
    next();
  };
}

/**
 * Lets personal access tokens with the scope read send no other methods than those that read, and registration tokens nothing but registrations, whatever
 * the route.
 */
export function enforceTokenScope(): RequestHandler {
  return ({ method, path }, res, next) => {
    const limits = contextOf(res).actor?.limits;
    if (limits?.registration !== undefined && !(method === 'POST' && path === REGISTRATION_PATH)) {
      throw beyondLimits(method, `${tokenWords(limits)} is a registration token, which only POST ${REGISTRATION_PATH} takes`);
    }
    if (limits?.scope === 'read' && !['GET', 'HEAD', 'OPTIONS'].includes(method)) {
      throw beyondLimits(method, `${tokenWords(limits)} has the scope read; create one with the scope write`);
    }
    next();
  };
}

function accessBy(secret: string, actor: Actor, again: () => Promise<SignedIn | undefined>): Access {
  return {
    id: createHash('sha256').update(secret).digest('base64url'),
    actor,
    check: async () => {
      const now = await again();
      if (now === undefined) return 'ended';
      return isDeepStrictEqual(now.actor, actor) ? 'same' : 'changed';
    },
  };
}

/** What a request proves who it is from with. */
type Credentials =
  { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'session'; readonly session: string } | { readonly kind: 'none' };

const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Reads the credentials. A bearer token wins over a cookie: a program that sends one means it.
 *
 * @throws AppError `Unauthenticated` for an Authorization header that is not a bearer token.
 */
export function credentialsOf(req: Request, cookies: Cookies): Credentials {
  const header = req.get('Authorization');
  if (header !== undefined) return { kind: 'bearer', token: tokenOf(header) };
  const session = cookies.session(req);
  return session === undefined || session === '' ? { kind: 'none' } : { kind: 'session', session };
}

/** Whether the request says who it is from, be that true or not. */
export function hasCredentials(req: Request, cookies: Cookies): boolean {
  return req.get('Authorization') !== undefined || (cookies.session(req) ?? '') !== '';
}

function tokenOf(header: string): string {
  const token = BEARER.exec(header.trim())?.[1];
  if (token !== undefined) return token;
  throw new AppError(
    'Unauthenticated',
    'bearer token: the Authorization header must be "Bearer" and a token of the identity provider, or a personal access token',
  );
}

/** Lets only somebody signed in through: a browser that opens a page is sent to the sign-in and comes back to the page. */
export function requireSignedIn(): RequestHandler {
  return (req, res, next) => {
    if (contextOf(res).actor !== undefined) {
      next();
      return;
    }
    if (acceptsProblem(req)) throw new AppError('Unauthenticated', 'sign-in: this URL requires a session or a bearer token');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const advice = 'sign in in another tab, then come back to this one and send the form again';
      throw new AppError('Unauthenticated', `sign-in: your session has ended, and nothing was changed: ${advice}`);
    }
    res.redirect(302, `/login?return=${encodeURIComponent(req.originalUrl)}`);
  };
}

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
