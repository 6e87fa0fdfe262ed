import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RequestHandler } from 'express';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { SignedIn } from '../domain/core/session.ts';
import type { Cookies } from './cookies.ts';
import { credentialsOf } from './credentials.ts';
import type { IdentityPort } from './identity-port.ts';
import { type Access, setSignedIn } from './request-context.ts';

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
