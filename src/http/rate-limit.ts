import type { RequestHandler } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import { AppError } from '../domain/errors.ts';

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
    handler: (_req, _res, next) => {
      const message = `requests: more than ${requestsPerMinute} in a minute from your address: wait a minute and try again`;
      next(new AppError('TooManyRequests', message, { retryAfter: WINDOW_SECONDS }));
    },
  });
}
