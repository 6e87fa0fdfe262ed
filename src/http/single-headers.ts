import type { RequestHandler } from 'express';
import { AppError } from '../domain/core/errors.ts';

/**
 * Headers of which the first and the last one could be read by different programs on the way here. Node keeps the first of most and joins the
 * cookies, and says nothing of it.
 */
const ONCE = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
]);

/** Rejects a request that says twice who sends it, where it comes from or what it holds. */
export function singleHeaders(): RequestHandler {
  return (req, _res, next) => {
    const seen = new Set<string>();
    for (let index = 0; index < req.rawHeaders.length; index += 2) {
      const name = req.rawHeaders[index]?.toLowerCase() ?? '';
      if (!ONCE.has(name)) continue;
      if (seen.has(name)) throw new AppError('MalformedRequest', `request: it has two headers ${JSON.stringify(name)}: send one`);
      seen.add(name);
    }
    next();
  };
}
