import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { textAt } from '../domain/core/read.ts';
import type { HttpDeps, HttpLog, MessageView } from './http-deps.ts';
import { acceptsProblem, problemOf } from './problem.ts';
import { contextOf } from './request-context.ts';

/** What is away comes back within seconds, or somebody has to look at it; neither is helped by asking more often. */
const AWAY_SECONDS = 5;

export function notFound(): RequestHandler {
  return (req) => {
    throw new AppError('NotFound', `address: nothing exists at ${JSON.stringify(pathOf(req))}`);
  };
}

/** Answers every error, as problem+json to programs and as a page to people; what is our own fault is logged here, once. */
export function errorHandler(deps: Pick<HttpDeps, 'log' | 'renderError'>): ErrorRequestHandler {
  return async (thrown: unknown, req, res, _next) => {
    const error = asAppError(thrown);
    logFault(deps.log, error, contextOf(res).requestId);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const retryAfter = error.retryAfter ?? (error.status === 503 ? AWAY_SECONDS : undefined);
    if (retryAfter !== undefined) res.set('Retry-After', String(retryAfter));
    if (error.code === 'Unauthenticated') res.set('WWW-Authenticate', challengeOf(req));
    res.status(error.status).set('Cache-Control', 'no-store');
    if (acceptsProblem(req)) {
      const problem = problemOf(error, { path: pathOf(req), requestId: contextOf(res).requestId });
      // An ETag would be taken for that of the resource.
      res.type('application/problem+json; charset=utf-8').end(stringifyJson(problem));
      return;
    }
    res.type('html').send(await page(deps, viewOf(error, req, res)));
  };
}

function logFault(log: HttpLog, error: AppError, requestId: string): void {
  if (error.status < 500) return;
  const keys = { requestId, code: error.code, err: error };
  if (error.status === 500) log.error('request failed', keys);
  else log.warn('request failed', keys);
}

/** RFC 6750, 3: the error is named only when a token was sent. */
function challengeOf(req: Request): string {
  return `Bearer realm="chandlery"${req.get('Authorization') === undefined ? '' : ', error="invalid_token"'}`;
}

/** The page must not fail because the template of the page does. */
async function page(deps: Pick<HttpDeps, 'log' | 'renderError'>, view: MessageView): Promise<string> {
  try {
    return await deps.renderError(view);
  } catch (err) {
    deps.log.error('error page failed', { requestId: view.requestId, err });
    return `<!doctype html><title>Something went wrong</title><h1>Something went wrong</h1><p>Request ${view.requestId}</p>`;
  }
}

function viewOf(error: AppError, req: Request, res: Response): MessageView {
  const { status, code, title, message, faults, missing } = error;
  const action = actionFor(error, req);
  return { status, code, title, message, faults, ...(missing && { missing }), ...(action && { action }), ...contextOf(res) };
}

function actionFor(error: AppError, req: Request): MessageView['action'] {
  const signingIn = req.path.startsWith('/auth/') || req.path === '/login';
  const here = req.method === 'GET' && !req.path.startsWith('/auth/') ? req.originalUrl : '/';
  if (error.code === 'Unauthenticated') {
    return signingIn ? { label: 'Sign in again', href: '/login' } : { label: 'Sign in', href: `/login?return=${encodeURIComponent(here)}` };
  }
  if (error.status === 503) return { label: 'Try again', href: here };
  return { label: 'Go to the catalogue', href: '/' };
}

function pathOf(req: Request): string {
  return req.originalUrl.split('?')[0] ?? '/';
}

/**
 * Anything thrown as an error of the table. What Express and its body readers complain about is the caller's fault and is named;
 * everything unknown becomes `Internal`, whose sentence tells nothing of the inside.
 */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status >= 400 && status < 500) return callersFault(error, status);
  return new AppError('Internal', 'The request failed. Try again; if the error persists, give the request id to an admin.', {
    cause: error,
  });
}

/** The status that Express and its body readers put on what they throw, on the error or on its class. */
function statusOf(error: unknown): number {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : 500;
}

function callersFault(cause: unknown, status: number): AppError {
  if (status === 413) return new AppError('TooLarge', 'request: the body is too large', { cause });
  if (status === 404) return new AppError('NotFound', 'address: nothing exists at this URL', { cause });
  if (status === 405) return new AppError('MethodNotAllowed', 'address: this URL does not support this method', { cause });
  return new AppError('MalformedRequest', sentenceOf(cause), { cause });
}

/** The sentence of the library may quote the body, so we say it in our own words. */
function sentenceOf(error: unknown): string {
  const type = textAt(error, 'type') ?? '';
  if (type === 'entity.parse.failed') return 'request: the body is not valid JSON, or is neither an object nor a list';
  if (type.startsWith('charset.')) return 'request: the body must be UTF-8';
  if (type.startsWith('encoding.')) return 'request: the compression of the body is not supported';
  if (type.startsWith('request.')) return 'request: the body ended before its announced length';
  return error instanceof URIError ? 'address: it is not valid percent-encoding' : 'request: it cannot be parsed';
}

/**
 * Answers what Node cannot read as a request, which therefore never comes to the app, as every other error is answered: problem+json with a code of
 * the table. The connection ends then.
 */
export function answerClientErrors(server: Server): void {
  const answering = new WeakMap<Duplex, Exchange[]>();
  server.on('request', (req, res) => {
    const exchange = { req, res };
    answering.set(req.socket, [...(answering.get(req.socket) ?? []), exchange]);
    res.once('close', () => {
      answering.set(
        req.socket,
        (answering.get(req.socket) ?? []).filter((other) => other !== exchange),
      );
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || !mayAnswer(answering.get(socket) ?? [])) socket.destroy();
    else socket.end(answerTo(error));
  });
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Half of another answer may have gone out already, or another request may be waiting for its own; one whose body has not come waits for this. */
function mayAnswer(exchanges: readonly Exchange[]): boolean {
  return exchanges.length === 0 || (exchanges.length === 1 && exchanges.every(({ req, res }) => !req.complete && !res.headersSent));
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  const error = faultOf(code);
  const requestId = randomUUID();
  const body = stringifyJson(problemOf(error, { path: '', requestId }));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}

function faultOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(
      'HeadersTooLarge',
      'request: its address and headers are too long; use a shorter link, or delete the cookies of this site',
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('RequestTimeout', 'request: it was not complete in time; send it again');
  return new AppError('MalformedRequest', 'request: it is not valid HTTP (RFC 9112); correct the client, or the proxy in between');
}
