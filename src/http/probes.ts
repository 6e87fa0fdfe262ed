import type { RequestListener, ServerResponse } from 'node:http';
import { type Request, type RequestHandler, Router } from 'express';
import { AppError } from '../domain/core/errors.ts';
import { type ControllerStatus, controllerSummary } from '../domain/kubernetes/controller-status.ts';
import { notFound } from './error-handler.ts';
import type { HttpDeps, MetricsText, ScrapeAccess } from './http-deps.ts';
import { monitoringAccess } from './monitoring-access.ts';

/** How long `/readyz` may wait for what it asks: `timeoutSeconds` of the probe in the chart is longer. */
export const READY_TIMEOUT_MS = 3_000;

type ProbeDeps = Pick<HttpDeps, 'ready' | 'controllerStatus' | 'metrics' | 'publicUrl' | 'scrapeAccess'>;

/**
 * `/healthz` and `/livez` answer while the process lives, `/readyz` when it can serve, `/metrics` unless it has a port of its own. Without the issuer there
 * are no new sign-ins, without the database no sessions of browsers, but programs are served: `unavailable` names it, and readiness stays.
 * `controller` says whether this process runs the controllers, on which readiness does not depend. Every client is told which components are away; why, and the
 * names of other processes, only those who may read the metrics.
 */
export function probes(deps: ProbeDeps): Router {
  const router = Router();
  router.get(['/healthz', '/livez'], (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', readiness(deps));
  const { metrics } = deps;
  router.get('/metrics', metrics === undefined ? notFound() : scraped(metrics, deps));
  return router;
}

function readiness(deps: ProbeDeps): RequestHandler {
  return async (req, res) => {
    const [unavailable, access] = await Promise.all([deps.ready(), accessOf(req, deps)]);
    const ready = unavailable.every(({ component }) => component !== 'cluster');
    const controller = deps.controllerStatus?.();
    res
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({
        status: ready ? 'ready' : 'not ready',
        unavailable: access === 'Allowed' ? unavailable : unavailable.map(({ component }) => ({ component })),
        ...(controller === undefined ? {} : { controller: summaryFor(access, controller) }),
      });
  };
}

/** When the api-server cannot be asked, the answer is no. */
async function accessOf(req: Request, deps: ProbeDeps): Promise<ScrapeAccess | 'Unknown'> {
  try {
    return await monitoringAccess(req, deps);
  } catch (error) {
    if (error instanceof AppError) return 'Unknown';
    throw error;
  }
}

function summaryFor(access: ScrapeAccess | 'Unknown', status: ControllerStatus): string {
  return controllerSummary(access === 'Allowed' || status.kind !== 'Standby' ? status : { kind: 'Standby', holder: '' });
}

const NO_METRICS = {
  Unauthenticated: [
    401,
    'metrics: send the bearer token of an account of the cluster that may get the path /metrics, or use --metrics-port',
  ],
  Forbidden: [403, 'metrics: the account of the token may not get the path /metrics (nonResourceURLs) in the cluster'],
  Unknown: [503, 'metrics: the api-server cannot be asked about the token now; try again'],
} as const;

function scraped(metrics: NonNullable<HttpDeps['metrics']>, deps: ProbeDeps): RequestHandler {
  return async (req, res) => {
    const access = await accessOf(req, deps);
    if (access === 'Allowed') return sendMetrics(res, await metrics());
    const [status, message] = NO_METRICS[access];
    if (access === 'Unauthenticated') res.set('WWW-Authenticate', 'Bearer');
    res.status(status).set('Cache-Control', 'no-store').type('text/plain').send(`${message}\n`);
  };
}

/** Answers `/metrics` on a port of its own, and nothing else there. */
export function metricsListener(read: () => Promise<MetricsText>): RequestListener {
  return async (req, res) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead && req.url?.split('?')[0] === '/metrics') sendMetrics(res, await read());
    else res.writeHead(404).end();
  };
}

function sendMetrics(res: ServerResponse, { contentType, body }: MetricsText): void {
  res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
}
