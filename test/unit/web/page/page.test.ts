import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import request from 'supertest';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { setSignedIn, startContext } from '../../../../src/http/request-context.ts';
import { page, type WebDeps } from '../../../../src/web/page/page.ts';

test('inputs that cannot be read fail a request alone, though the cluster does not tell who looks either', async () => {
  const unhandled: unknown[] = [];
  const hear = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', hear);
  const seal = {
    unseal: () => {
      throw new AppError('InvalidInput', 'the inputs cannot be read');
    },
  };
  const away = async (): Promise<never> => await Promise.reject(new AppError('ClusterUnavailable', 'the cluster is away'));
  const operations = { me: away, countChangeRequests: away };
  const app = express();
  app.use((req, res, next) => {
    startContext(res, 'request');
    setSignedIn(res, { actor: { user: 'dev', groups: [] }, person: { name: 'Dev' } }, {} as never);
    req.body = new URLSearchParams();
    next();
  });
  app.post('/', page({ operations, seal } as unknown as WebDeps, away));
  app.use(((error, _req, res, _next) => void res.status(500).send(String(error))) satisfies express.ErrorRequestHandler);
  const { text } = await request(app).post('/');
  await nextTurn();
  process.off('unhandledRejection', hear);
  assert.match(text, /the inputs cannot be read/);
  assert.deepEqual(unhandled, []);
});
