import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { at, textAt } from '../../src/domain/core/read.ts';
import { startProduct, type Product } from '../support/product.ts';

/** Nothing listens on port 1 of the loopback, and nothing that starts meanwhile is given it. */
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: away
clusters: [{name: away, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: away, context: {cluster: away, user: away}}]
users: [{name: away, user: {token: none}}]
`;

describe('a cluster that is away when Chandlery starts', { timeout: 60_000 }, () => {
  let folder: string;
  let product: Product;

  before(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-unreachable-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, KUBECONFIG);
    product = await startProduct(['--kubeconfig', kubeconfig], 'not awaited');
  });
  after(async () => {
    await product?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves the process alive, and says at /readyz and in the API what is away', async () => {
    assert.equal((await fetch(`${product.origin}/healthz`)).status, 200);
    const ready = await fetch(`${product.origin}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(at(await ready.json(), 'unavailable', 0, 'component'), 'cluster');
    for (const path of ['/me', '/apps', '/apps/caches.samples.chandlery.dev', '/environments']) {
      const answer = await product.api('dev-a', path);
      assert.equal(answer.status, 503, path);
      assert.equal(textAt(answer.body, 'code'), 'ClusterUnavailable', path);
    }
  });
});
