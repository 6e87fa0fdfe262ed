import type { RequestListener, ServerResponse } from 'node:http';
import { Router } from 'express';
import { controllerSummary } from '../domain/kubernetes/controller-status.ts';
import { notFound } from './error-handler.ts';
import type { HttpDeps, MetricsText } from './http-deps.ts';

/** How long `/readyz` may wait for what it asks: `timeoutSeconds` of the probe in the chart is longer. */
export const READY_TIMEOUT_MS = 3_000;

/**
 * `/healthz` answers while the process lives, `/readyz` when it can serve, `/metrics` unless it has a port of its own. Without the issuer nobody new can sign in,
 * without the database nobody with a browser is known, but programs are served: `unavailable` names it, and readiness stays.
 * `controller` says whether this process runs the controllers, on which readiness does not depend.
 */
export function probes(deps: Pick<HttpDeps, 'ready' | 'controllerStatus' | 'metrics'>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const unavailable = await deps.ready();
    const ready = unavailable.every(({ component }) => component !== 'cluster');
    const status = ready ? 'ready' : 'not ready';
    const controller = deps.controllerStatus?.();
    res
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status, unavailable, ...(controller === undefined ? {} : { controller: controllerSummary(controller) }) });
  });
  const { metrics } = deps;
  router.get('/metrics', metrics === undefined ? notFound() : async (_req, res) => sendMetrics(res, await metrics()));
  return router;
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
