import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Request, RequestHandler } from 'express';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { SignedIn } from '../domain/core/session.ts';
import type { Cookies } from './cookies.ts';
import type { IdentityPort } from './http-deps.ts';
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
  throw new AppError('Unauthenticated', 'bearer token: the Authorization header must be "Bearer" and a token of the identity provider');
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
