import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster/embedded-cluster.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from '../support/cluster.ts';
import { startProduct, until, type Product } from '../support/product.ts';

// Runs in test:all: it stops and starts an api-server.

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });

describe('a cluster that is away when Chandlery starts', { timeout: 180_000 }, () => {
  let stateDir: string;
  let cluster: EmbeddedCluster;
  let product: Product;
  const start = async (): Promise<EmbeddedCluster> =>
    await startEmbeddedCluster({ stateDir, tools: await loadTools(repoRoot), durability: 'throwaway', log });

  before(async () => {
    stateDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-away-'));
    cluster = await start();
    await cluster.stop();
    product = await startProduct(['--kubeconfig', cluster.kubeconfigPath, '--yes'], 'not awaited');
  });
  after(async () => {
    await product.stop();
    await cluster.stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('is used as soon as it comes', async () => {
    cluster = await start();
    await until(async () => (await fetch(`${product.origin}/readyz`)).status === 200, 'the product is ready', 60_000);
    assert.equal((await product.api('dev-a', '/me')).status, 200);
  });

  it('is missed again when it goes, without harm', async () => {
    await cluster.stop();
    assert.equal((await fetch(`${product.origin}/readyz`)).status, 503);
    cluster = await start();
    await until(async () => (await fetch(`${product.origin}/readyz`)).status === 200, 'the product is ready again', 60_000);
  });
});
