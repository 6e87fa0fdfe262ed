import type { Request, RequestHandler } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import { AppError } from '../domain/core/errors.ts';

const WINDOW_SECONDS = 60;

/** Lets so many requests a minute through from one address; the rest is answered `TooManyRequests`. */
export function rateLimit(requestsPerMinute: number): RequestHandler {
  return expressRateLimit({
    windowMs: WINDOW_SECONDS * 1000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Without a trusted proxy these headers are ignored; that somebody sends them is no reason to complain.
    validate: { xForwardedForHeader: false, forwardedHeader: false },
    handler: (req, _res, next) => {
      const retryAfter = secondsLeft((req as LimitedRequest).rateLimit?.resetTime);
      const message = `requests: more than ${requestsPerMinute} in a minute from your address: wait ${retryAfter} s and try again`;
      next(new AppError('TooManyRequests', message, { retryAfter }));
    },
  });
}

/** What express-rate-limit leaves on the request. */
interface LimitedRequest extends Request {
  readonly rateLimit?: { readonly resetTime?: Date };
}

function secondsLeft(end: Date | undefined): number {
  return end === undefined ? WINDOW_SECONDS : Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1000));
}
