import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type LogKeys, withRequestId } from '../observe/log.ts';
import type { HttpDeps } from './http-deps.ts';
import { contextOf, startContext } from './request-context.ts';

/** Anybody can make up others, and each would be a label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** Gives the request its id, and tells log and metrics of the answer. Addresses are logged without their query, which may hold a code. */
export function requestLog(deps: Pick<HttpDeps, 'log' | 'observe' | 'newRequestId'>, mounted: readonly Mounted[]): RequestHandler {
  const labelOf = routeLabels(mounted);
  return (req, res, next) => {
    const started = performance.now();
    startContext(res, givenId(req) ?? deps.newRequestId?.() ?? randomUUID());
    res.set('X-Request-Id', contextOf(res).requestId);
    res.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      deps.observe?.({ method: METHODS.has(req.method) ? req.method : 'other', route: labelOf(req), status: res.statusCode, seconds });
      if (!QUIET.has(req.path)) deps.log.info('request', keysOf(req, res, seconds));
    });
    withRequestId(contextOf(res).requestId, next);
  };
}

/** An id from a proxy is kept when it is harmless in a log. */
function givenId(req: Request): string | undefined {
  const id = req.get('X-Request-Id');
  return id !== undefined && /^[\w.-]{8,64}$/.test(id) ? id : undefined;
}

function keysOf(req: Request, res: Response, seconds: number): LogKeys {
  const { requestId, actor } = contextOf(res);
  const path = req.originalUrl.split('?')[0];
  const user = actor === undefined ? {} : { user: actor.user };
  return { requestId, method: req.method, path, status: res.statusCode, ms: Math.round(seconds * 1000), ...user };
}

/** What no route takes has one label, whatever its address. */
const UNMATCHED = 'unmatched';

/** A router of Express, as far as its routes can be read: each layer tells whether it matches the rest of a path. */
interface Layer {
  readonly route?: { readonly path: string | readonly string[] };
  readonly handle?: { readonly stack?: readonly Layer[] };
  match(path: string): boolean;
}

/** A router and the path that it is mounted at. */
export interface Mounted {
  readonly path: string;
  readonly handler: RequestHandler;
}

/**
 * Names the route that a request is for, whoever answers it: what middleware rejects has the same label as what the route answers.
 *
 * @returns the pattern, e.g. `/api/v1/environments/:environment`.
 */
function routeLabels(mounted: readonly Mounted[]): (req: Request) => string {
  return (req) => {
    const path = req.originalUrl.split('?')[0] ?? '/';
    for (const { path: base, handler } of mounted) {
      const rest = restOf(path, base);
      const pattern = rest === undefined ? undefined : patternIn((handler as Layer['handle'])?.stack ?? [], rest);
      if (pattern !== undefined) return base === '/' ? pattern : `${base}${pattern}`;
    }
    return UNMATCHED;
  };
}

function restOf(path: string, base: string): string | undefined {
  if (base === '/') return path;
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

/** Routers within are mounted at `/`, so the path stays what it is. */
function patternIn(stack: readonly Layer[], path: string): string | undefined {
  for (const layer of stack) {
    if (!matches(layer, path)) continue;
    if (layer.route !== undefined) return [layer.route.path].flat()[0];
    const pattern = patternIn(layer.handle?.stack ?? [], path);
    if (pattern !== undefined) return pattern;
  }
  return undefined;
}

function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    // Broken percent-encoding is rejected where the path is read.
    return false;
  }
}
