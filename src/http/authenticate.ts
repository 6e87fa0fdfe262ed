import type { RequestHandler } from 'express';
import type { Cookies } from './cookies.ts';
import { credentialsOf } from './credentials.ts';
import type { IdentityPort } from './identity-port.ts';
import { setSignedIn } from './request-context.ts';

/** Finds out who the request is from. Nobody is an answer too; a session that ended takes its cookie with it. */
export function authenticate(identity: IdentityPort, cookies: Cookies): RequestHandler {
  return async (req, res, next) => {
    const credentials = credentialsOf(req, cookies);
    if (credentials.kind === 'bearer') setSignedIn(res, await identity.signedInByToken(credentials.token));
    if (credentials.kind === 'session') {
      const signedIn = await identity.signedInBySession(credentials.session);
      if (signedIn === undefined) cookies.clearSession(res);
      else setSignedIn(res, signedIn);
    }
    next();
  };
}
