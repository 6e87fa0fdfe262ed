import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { LogKeys } from '../observe/log.ts';
import { withRequestId } from '../observe/request-id.ts';
import type { HttpDeps } from './http-deps.ts';
import { contextOf, startContext } from './request-context.ts';

const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** Gives the request its id, and tells log and metrics of the answer. Addresses are logged without their query, which may hold a code. */
export function requestLog(deps: Pick<HttpDeps, 'log' | 'observe' | 'newRequestId'>): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    startContext(res, givenId(req) ?? deps.newRequestId?.() ?? randomUUID());
    res.set('X-Request-Id', contextOf(res).requestId);
    res.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      deps.observe?.({ method: req.method, route: routeOf(req), status: res.statusCode, seconds });
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

/** Express leaves the pattern that matched; for a request that no route took there is none. */
function routeOf(req: Request): string {
  const pattern: unknown = req.route?.path;
  return typeof pattern === 'string' ? `${req.baseUrl}${pattern}` : 'none';
}
