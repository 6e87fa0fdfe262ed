import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { reply, startTinyApiServer } from '../../support/api-server.ts';
import { repoRoot } from '../../support/cluster.ts';

const EMPTY = { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] };

test('a sample operator that is asked to stop while it watches ends well', { timeout: 30_000 }, async ({ signal }) => {
  const watched = Promise.withResolvers<void>();
  await using server = await startTinyApiServer(({ url = '' }, response) => {
    if (!/[?&]watch=/.test(url)) return reply(response, 200, EMPTY);
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    if (url.includes('/caches')) watched.resolve();
  });
  const program = join(repoRoot, 'charts', 'cache-operator', 'controller', 'main.ts');
  const env = { KUBECONFIG: server.kubeconfigPath, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
  const child = spawn(process.execPath, [program], { env, signal, stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = once(child, 'exit');
  assert.equal(await Promise.race([watched.promise, exit]), undefined, 'it ended by itself');
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});
