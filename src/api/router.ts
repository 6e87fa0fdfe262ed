import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { AppError } from '../domain/core/errors.ts';
import type { Asking } from '../domain/audit/audit-log.ts';
import { readJson } from '../http/body/read-json.ts';
import { contextOf } from '../http/request-context.ts';
import type { Ports } from '../operation/ports.ts';
import { openApiOf, placeholders } from './openapi.ts';
import { LARGEST_RESOURCE, type Call, type Reply, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { validatorOf, type Validator } from './validator.ts';

export interface ApiDeps {
  readonly ports: Ports;
  /** Who sent the request; throws `Unauthenticated` when nobody is known. */
  readonly actorOf: (res: Response) => Actor;
}

/** The REST API, to be mounted at `/api/v1`. It reads bodies by itself, of somebody who is known. */
export function createApiRouter({ ports, actorOf }: ApiDeps): Router {
  const router = express.Router();
  const description = openApiOf(ROUTES, ports.publicUrl);
  router.get('/openapi.json', (_req, res) => {
    res.json(description);
  });
  for (const route of ROUTES) {
    const validator = validatorOf(route);
    const read = route.body === undefined ? [] : [readJson(route.largestBody ?? LARGEST_RESOURCE)];
    router[route.method](expressPath(route.path), somebody(actorOf), ...read, async (req, res) => {
      send(
        res,
        await route.handle(
          callOf({ ports, actor: actorOf(res), asking: { via: 'api', requestId: contextOf(res).requestId }, route, validator, req }),
        ),
      );
    });
  }
  refuseOtherMethods(router);
  return router;
}

/** Before anything is read of what is sent. */
function somebody(actorOf: ApiDeps['actorOf']): RequestHandler {
  return (_req, res, next) => {
    actorOf(res);
    next();
  };
}

interface Incoming {
  readonly ports: Ports;
  readonly actor: Actor;
  readonly asking: Asking;
  readonly route: Route;
  readonly validator: Validator;
  readonly req: Request;
}

function callOf({ ports, actor, asking, route, validator, req }: Incoming): Call {
  const params = Object.fromEntries(placeholders(route.path).map((name) => [name, String(req.params[name] ?? '')]));
  return {
    ports,
    actor,
    asking,
    params,
    query: validator.query({ ...req.query }),
    body: validator.body(req.body),
    ifMatch: (req.get('if-match') ?? '').trim().replace(/^(W\/)?"(.*)"$/, '$2'),
  };
}

function send(res: Response, reply: Reply): void {
  res.status(reply.status);
  res.set('Cache-Control', 'private, no-cache');
  if (reply.location !== undefined) res.set('Location', reply.location);
  if (reply.etag !== undefined) res.set('ETag', `"${reply.etag}"`);
  if (reply.body === undefined) res.end();
  else res.json(reply.body);
}

/** OPTIONS is told the methods of an address; every other that has no route is refused with them. */
function refuseOtherMethods(router: Router): void {
  for (const [path, methods] of methodsByPath()) {
    router.all(expressPath(path), (req, res) => {
      res.set('Allow', methods.join(', '));
      if (req.method !== 'OPTIONS') {
        throw new AppError('MethodNotAllowed', `${req.method} ${req.baseUrl}${req.path}: this address answers ${methods.join(', ')}`);
      }
      res.status(204).end();
    });
  }
}

function methodsByPath(): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>([['/openapi.json', ['GET']]]);
  for (const { path, method } of ROUTES) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  return methods;
}

function expressPath(path: string): string {
  return path.replaceAll(/\{([a-z]+)\}/gi, ':$1');
}
