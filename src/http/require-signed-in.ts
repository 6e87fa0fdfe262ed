import type { RequestHandler } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { contextOf } from './request-context.ts';
import { acceptsProblem } from './problem.ts';

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
