import { Router } from 'express';
import type { HttpDeps } from './http-deps.ts';

/** `/healthz` answers while the process lives, `/readyz` when it can serve, `/metrics` when there are any. */
export function probes(deps: Pick<HttpDeps, 'ready' | 'metrics'>): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const away = await deps.ready();
    const status = away.length === 0 ? 'ready' : 'not ready';
    res
      .status(away.length === 0 ? 200 : 503)
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
