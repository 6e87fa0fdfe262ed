import type { Request, RequestHandler } from 'express';
import { rateLimit as expressRateLimit, ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';
import { AppError } from '../domain/core/errors.ts';
import { contextOf } from './request-context.ts';

const WINDOW_SECONDS = 60;

/** The limits of those who are signed in and of those who only say so, which takes work to find out. */
export interface CredentialLimits {
  /** Before anybody is known: counts requests with credentials by address, and rejects more than the limit of those that turned out bad. */
  readonly unproven: RequestHandler;
  /** Once somebody is known: takes that back, and counts by person instead, whichever session, token or address they use. */
  readonly proven: RequestHandler;
}

/** Lets so many requests a minute through from one address; the rest is answered `TooManyRequests`. */
export function limitAddresses(requestsPerMinute: number, isCounted: (req: Request) => boolean): RequestHandler {
  return limitOf({ limit: requestsPerMinute, keyGenerator: addressOf, skip: (req) => !isCounted(req) }, 'from your address');
}

/** Limits requests with credentials; see `CredentialLimits`. */
export function limitCredentials(requestsPerMinute: number, isCounted: (req: Request) => boolean): CredentialLimits {
  const store = new MemoryStore();
  const unproven = limitOf(
    { limit: requestsPerMinute, store, keyGenerator: addressOf, skip: (req) => !isCounted(req) },
    'from your address with credentials that are not valid',
  );
  const people = limitOf(
    {
      limit: requestsPerMinute,
      standardHeaders: 'draft-8',
      keyGenerator: (_req, res) => contextOf(res).actor?.user ?? '',
      skip: (_req, res) => contextOf(res).actor === undefined,
    },
    'of yours',
  );
  return {
    unproven,
    proven: async (req, res, next) => {
      if (contextOf(res).actor !== undefined && isCounted(req)) await store.decrement(addressOf(req));
      await people(req, res, next);
    },
  };
}

function limitOf(options: Partial<Options> & { readonly limit: number }, whose: string): RequestHandler {
  return expressRateLimit({
    windowMs: WINDOW_SECONDS * 1000,
    standardHeaders: false,
    legacyHeaders: false,
    // Without a trusted proxy these headers are ignored; that somebody sends them is no reason to complain.
    validate: { xForwardedForHeader: false, forwardedHeader: false },
    handler: (req, _res, next) => {
      const retryAfter = secondsLeft((req as LimitedRequest).rateLimit?.resetTime);
      const message = `requests: more than ${options.limit} in a minute ${whose}: wait ${retryAfter} s and try again`;
      next(new AppError('TooManyRequests', message, { retryAfter }));
    },
    ...options,
  });
}

/** A network of IPv6 addresses is one address: whoever has one has all of them. */
function addressOf({ ip = '' }: Request): string {
  return ipKeyGenerator(ip);
}

/** What express-rate-limit leaves on the request. */
interface LimitedRequest extends Request {
  readonly rateLimit?: { readonly resetTime?: Date };
}

function secondsLeft(end: Date | undefined): number {
  return end === undefined ? WINDOW_SECONDS : Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1000));
}
