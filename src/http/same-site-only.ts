import type { Request, RequestHandler } from 'express';
import { AppError } from '../domain/core/errors.ts';
import type { Cookies } from './cookies.ts';
import { credentialsOf } from './credentials.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Rejects what another site makes a browser send with our cookie. Requests that carry no cookie of ours cannot be abused that way. */
export function sameSiteOnly(publicUrl: URL, cookies: Cookies): RequestHandler {
  return (req, _res, next) => {
    const abusable = !SAFE.has(req.method) && credentialsOf(req, cookies).kind === 'session';
    if (abusable && !isOurs(req, publicUrl)) {
      const from = JSON.stringify(req.get('Origin') ?? req.get('Sec-Fetch-Site') ?? 'an unknown place');
      throw new AppError('CrossSiteRequest', `request: it came from ${from}, not from ${publicUrl.origin}: open that URL and try again`);
    }
    next();
  };
}

/**
 * `Sec-Fetch-Site` is the browser's own word (https://www.w3.org/TR/fetch-metadata/); `none` means the person, not a page, and then,
 * as with browsers that send no such header, the Origin decides.
 */
function isOurs(req: Request, publicUrl: URL): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site === 'same-origin') return true;
  if (site !== undefined && site !== 'none') return false;
  return req.get('Origin') === publicUrl.origin;
}
