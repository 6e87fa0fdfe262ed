import { createHash } from 'node:crypto';
import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import { stringifyJson } from '../domain/core/exact-json.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { AppError } from '../domain/core/errors.ts';
import { yieldToEventLoop } from '../domain/core/yield-to-event-loop.ts';
import { checkPreconditions, names, parsePreconditions, type Preconditions } from '../domain/kubernetes/etag.ts';
import type { RequestOrigin } from '../domain/audit/audit-log.ts';
import { isObject, textAt } from '../domain/core/read.ts';
import { readJson } from '../http/body/read-json.ts';
import { contextOf } from '../http/request-context.ts';
import type { Operations } from '../operation/operations.ts';
import { openApiOf, placeholders } from './openapi.ts';
import { MAX_RESOURCE_BYTES, mediaTypesOf, type Call, type CsvFile, type Reply, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { validatorOf, type Validator } from './validator.ts';

export interface ApiDeps {
  readonly operations: Operations;
  /** Where people reach Chandlery, e.g. `https://catalogue.example.com`. */
  readonly publicUrl: string;
  /** Who sent the request; throws `Unauthenticated` when nobody is known. */
  readonly actorOf: (res: Response) => Actor;
}

/** The REST API, to be mounted at `/api/v1`. It reads bodies by itself, of somebody who is known. */
export function createApiRouter({ operations, publicUrl, actorOf }: ApiDeps): Router {
  const router = express.Router();
  const description = openApiOf(ROUTES, publicUrl);
  router.get('/openapi.json', (_req, res) => {
    res.json(description);
  });
  for (const route of ROUTES) {
    const validator = validatorOf(route);
    const read = route.body === undefined ? [] : [readJson(route.largestBody ?? MAX_RESOURCE_BYTES, mediaTypesOf(route))];
    router[route.method](expressPath(route.path), somebody(actorOf), ...read, async (req, res) => {
      const { requestId, person, subject, ciJob } = contextOf(res);
      const sender = { ...(person === undefined ? {} : { person }), ...(subject === undefined ? {} : { subject }) };
      const requestOrigin = { via: 'api', requestId, ...sender, ...(ciJob === undefined ? {} : { ciJob }) } as const;
      const call = callOf({ operations, actor: actorOf(res), requestOrigin, route, validator, req });
      const { preconditions } = call;
      if (route.csv !== undefined || route.text !== undefined) res.vary('Accept');
      if (route.csv !== undefined && wants(req, 'csv'))
        return await send(res, route, { status: 200, csv: await route.csv(call), preconditions });
      if (route.text !== undefined && wants(req, 'text'))
        return await send(res, route, { status: 200, plain: await route.text(call), preconditions });
      return await send(res, route, { ...(await route.handle(call)), preconditions });
    });
  }
  rejectOtherMethods(router);
  return router;
}

/** The parameter decides, because a link cannot send a header. */
function wants(req: Request, other: 'csv' | 'text'): boolean {
  const { format } = req.query;
  return format === undefined ? req.accepts(['json', other]) === other : format === other;
}

/** Before anything is read of what is sent. */
function somebody(actorOf: ApiDeps['actorOf']): RequestHandler {
  return (_req, res, next) => {
    actorOf(res);
    next();
  };
}

interface Incoming {
  readonly operations: Operations;
  readonly actor: Actor;
  readonly requestOrigin: RequestOrigin;
  readonly route: Route;
  readonly validator: Validator;
  readonly req: Request;
}

function callOf({ operations, actor, requestOrigin, route, validator, req }: Incoming): Call {
  const params = Object.fromEntries(placeholders(route.path).map((name) => [name, String(req.params[name] ?? '')]));
  return {
    operations,
    actor,
    requestOrigin,
    params,
    query: validator.query({ ...req.query }),
    body: validator.body(req.body),
    preconditions: preconditionsOf(route, req),
  };
}

/** Where the operation has no ETag to hold them against, they are checked here: none is ever ignored. */
function preconditionsOf({ etag, method }: Route, req: Request): Preconditions {
  const wanted = parsePreconditions({ ifMatch: req.get('If-Match'), ifNoneMatch: req.get('If-None-Match') });
  if (etag === undefined && method !== 'get') checkPreconditions('request', undefined, wanted);
  return wanted;
}

/** What a GET answers has an ETag, where nothing strong is known of it a weak one; who has it already gets 304 (RFC 9110, 13.2.2). */
async function send(res: Response, { method }: Route, { preconditions, csv, plain, ...reply }: Sent): Promise<void> {
  const text = csv?.text ?? plain ?? (reply.body === undefined ? undefined : await jsonInTurns(reply.body));
  const strong = reply.etag ?? textAt(reply.body, 'etag');
  const etag = strong ?? (method === 'get' ? weakTag(text ?? '') : undefined);
  // The answer to a POST may be a value that somebody has just revealed.
  res.set('Cache-Control', method === 'get' ? 'private, no-cache' : 'no-store');
  if (reply.location !== undefined) res.set('Location', reply.location);
  if (etag !== undefined) res.set('ETag', etag);
  if (method === 'get' && preconditions.ifMatch !== undefined) checkPreconditions('request', strong, { ifMatch: preconditions.ifMatch });
  if (method === 'get' && etag !== undefined && names(preconditions.ifNoneMatch, etag)) {
    res.status(304).end();
    return;
  }
  res.status(reply.status);
  if (text === undefined) res.end();
  else if (plain !== undefined) res.type('text/plain').end(text);
  else if (csv === undefined) res.type('json').end(text);
  else res.attachment(`${csv.name}.csv`).set('Content-Type', 'text/csv; charset=utf-8; header=present').end(text);
}

interface Sent extends Reply, Pick<Call, 'preconditions'> {
  readonly csv?: CsvFile;
  readonly plain?: string;
}

/** Characters of an answer that are written in one turn of the event loop. */
const A_TURN = 256 * 1024;

/** What JSON.stringify writes; between the members of a large answer, and before it is sent, others are served. */
async function jsonInTurns(body: unknown): Promise<string> {
  if (!isObject(body) || Array.isArray(body) || 'toJSON' in body) return stringifyJson(body);
  const members: string[] = [];
  let written = 0;
  for (const [key, value] of Object.entries(body)) {
    const text = stringifyJson(value) as string | undefined;
    if (text === undefined) continue;
    members.push(`${JSON.stringify(key)}:${text}`);
    written += text.length;
    if (written < A_TURN) continue;
    written = 0;
    await yieldToEventLoop();
  }
  return `{${members.join(',')}}`;
}

function weakTag(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Answers OPTIONS with the methods of the path in `Allow`, and any other method without a route with 405 and the same header. */
function rejectOtherMethods(router: Router): void {
  for (const [path, methods] of methodsByPath()) {
    router.all(expressPath(path), (req, res) => {
      res.set('Allow', methods.join(', '));
      if (methods.includes('PATCH')) res.set('Accept-Patch', mediaTypesOf({ method: 'patch' }).join(', '));
      if (req.method !== 'OPTIONS') {
        throw new AppError('MethodNotAllowed', `${req.method} ${req.baseUrl}${req.path}: this URL supports ${methods.join(', ')}`);
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
