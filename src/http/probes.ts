import { Router } from 'express';
import type { HttpDeps } from './http-deps.ts';

/** How long `/readyz` may wait for what it asks: `timeoutSeconds` of the probe in the chart is longer. */
export const READY_PATIENCE_MS = 3_000;

/**
 * `/healthz` answers while the process lives, `/readyz` when it can serve, `/metrics` when there are any. Without the issuer nobody new can sign in, but
 * everybody else is served: it is told in `away`, and no reason to send people elsewhere.
 */
export function probes(deps: Pick<HttpDeps, 'ready' | 'metrics'>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const away = await deps.ready();
    const ready = away.every(({ part }) => part === 'issuer');
    const status = ready ? 'ready' : 'not ready';
    res
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status, away });
  });
  router.get('/metrics', async (_req, res, next) => {
    if (deps.metrics === undefined) {
      next();
      return;
    }
    const { contentType, body } = await deps.metrics();
    res.set('Content-Type', contentType).set('Cache-Control', 'no-store').send(body);
  });
  return router;
}
