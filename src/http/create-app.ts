import { randomUUID } from 'node:crypto';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, type Options, rateLimit as expressRateLimit } from 'express-rate-limit';
import { withoutTokens } from '../domain/access-token/token-text.ts';
import { AppError } from '../domain/core/errors.ts';
import { authenticate, authRoutes, enforceTokenScope, hasCredentials, requireSignedIn } from './authenticate.ts';
import { contentLength, dropForeignIdentity, knownHost, noStore, sameSiteOnly, securityHeaders, singleHeaders } from './headers.ts';
import { dropUnread } from './body/receive.ts';
import { type Cookies, cookiesOf } from './cookies.ts';
import { errorHandler, notFound } from './error-handler.ts';
import type { HttpDeps, MountedRouter } from './http-deps.ts';
import { probes } from './probes.ts';
import { contextOf, startContext } from './request-context.ts';
import { type LogKeys, withRequestId } from '../observe/log.ts';

const DEFAULT_LIMITS = { all: 3000, signIn: 300 };
/** A form of the issuer: tokens and addresses, which anyone may send. */
const MAX_SIGN_IN_BYTES = 56 * 1024;
/** Webhooks from one address. */
const HOOKS_PER_MINUTE = 120;
const SIGN_IN_PATHS = ['/login', '/auth', '/issuer/interaction', '/issuer/device'];

/**
 * The whole HTTP side: the middleware, in the order a request flows. It listens nowhere yet. Bodies are read by the routes that take one, once it is
 * known who sends it.
 */
export function createApp(deps: HttpDeps): express.Express {
  const app = express();
  const cookies = cookiesOf(deps.publicUrl);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.trustedProxies ?? 0);

  const [probing, signing] = [probes(deps), authRoutes({ ...deps, cookies })];
  const own = [probing, signing].map((handler) => ({ path: '/', handler }));
  app.use(requestLog(deps, [...own, ...deps.assets, ...issuerRoutes(deps), ...deps.routers]));
  app.use(dropUnread());
  app.use(securityHeaders(deps));
  app.use(dropForeignIdentity());
  app.use(probing);
  app.use(singleHeaders());
  app.use(knownHost(deps.publicUrl, deps.otherHosts));
  for (const { path, handler } of deps.assets) app.use(path, handler);
  app.use(noStore());
  const countPeople = limitRates(app, deps, cookies);
  if (deps.issuer !== undefined) app.use('/issuer', contentLength(MAX_SIGN_IN_BYTES), deps.issuer);
  app.use(sameSiteOnly(deps.publicUrl, cookies));
  app.use(signing);
  app.use(authenticate(deps.identity, cookies));
  app.use(countPeople);
  app.use(enforceTokenScope());
  for (const router of deps.routers) mount(app, router);
  app.use(notFound());
  app.use(errorHandler(deps));
  return app;
}

/** Counts requests by address; the answer counts them by person, once somebody is known. */
function limitRates(app: express.Express, deps: HttpDeps, cookies: Cookies): express.RequestHandler {
  const limits = deps.rateLimits ?? DEFAULT_LIMITS;
  const isOwn = ownCalls(deps.ownCalls);
  const credentials = limitCredentials(limits.all, (req) => hasCredentials(req, cookies) && !isOwn(req));
  app.use(limitAddresses(limits.all, (req) => !hasCredentials(req, cookies) && !isOwn(req)));
  app.use(credentials.unproven);
  app.use(
    SIGN_IN_PATHS,
    limitAddresses(limits.signIn, () => true),
  );
  app.use(
    '/hooks',
    limitAddresses(HOOKS_PER_MINUTE, () => true),
  );
  return credentials.proven;
}

/** Calls of our own to the embedded issuer, which come from this machine like those of its people. */
function ownCalls(mark: HttpDeps['ownCalls']): (req: express.Request) => boolean {
  return (req) => mark !== undefined && req.get(mark.header) === mark.value;
}

/** The routes of the issuer are the library's, and are not distinguished. */
function issuerRoutes({ issuer }: HttpDeps): readonly Mounted[] {
  return issuer === undefined ? [] : [{ path: '/issuer', handler: express.Router().all('/*rest', issuer) }];
}

function mount(app: express.Express, { path, handler, access }: MountedRouter): void {
  if (access === 'anyone') app.use(path, handler);
  else app.use(path, requireSignedIn(), handler);
}

const WINDOW_SECONDS = 60;

/** The limits of those who are signed in and of those who only say so, which takes work to find out. */
export interface CredentialLimits {
  /** Before anybody is known: counts requests with credentials by address, and rejects more than the limit of those that turned out bad. */
  readonly unproven: RequestHandler;
  /** Once somebody is known: takes that back, and counts by person instead, whichever session, token or address they use. */
  readonly proven: RequestHandler;
}

/** Lets so many requests a minute through from one address; the rest is answered `TooManyRequests`. */
function limitAddresses(requestsPerMinute: number, isCounted: (req: Request) => boolean): RequestHandler {
  return limitOf({ limit: requestsPerMinute, keyGenerator: addressOf, skip: (req) => !isCounted(req) }, 'from your address');
}

/** Limits requests with credentials; see `CredentialLimits`. */
function limitCredentials(requestsPerMinute: number, isCounted: (req: Request) => boolean): CredentialLimits {
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

/** Anybody can make up others, and each would be a label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const QUIET = new Set(['/healthz', '/livez', '/readyz', '/metrics']);

/** Gives the request its id, and tells log and metrics of the answer. Addresses are logged without their query, which may hold a code. */
function requestLog(deps: Pick<HttpDeps, 'log' | 'observe' | 'newRequestId'>, mounted: readonly Mounted[]): RequestHandler {
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
  const path = withoutTokens(req.originalUrl.split('?')[0] ?? '');
  const user = actor === undefined ? {} : { user: actor.user, ...(actor.limits === undefined ? {} : { token: actor.limits.id }) };
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
interface Mounted {
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
