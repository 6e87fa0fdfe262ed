import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import type { Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import express from 'express';
import supertest, { type Test } from 'supertest';
import { apiVersionOf } from '../../src/domain/kubernetes/resource.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, SERVICE_ACCOUNT } from '../../src/domain/kubernetes/resource-types.ts';
import { probes } from '../../src/http/probes.ts';
import { createScrapeAccess } from '../../src/kube/scrape-access.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { openKube } from '../support/open-kube.ts';
import { RUN } from '../support/run-name.ts';

const [SCRAPER, STRANGER, ROLE] = [`scraper-${RUN}`, `stranger-${RUN}`, `metrics-reader-${RUN}`];
const LOCAL = new URL('http://localhost:8080');
const PUBLIC = new URL('https://apps.example.com');

describe('the metrics on the port of the pages', () => {
  let cluster: TestCluster;
  let kube: Kube;
  const servers: Server[] = [];

  before(async () => {
    cluster = await sharedCluster();
    kube = openKube(cluster.kubeconfigPath);
    const controller = kube.asController();
    for (const name of [SCRAPER, STRANGER])
      await controller.create(SERVICE_ACCOUNT, { ...kindOf(SERVICE_ACCOUNT), metadata: { name, namespace: 'default' } });
    const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
    await controller.create(CLUSTER_ROLE, { ...kindOf(CLUSTER_ROLE), metadata: { name: ROLE }, rules });
    await controller.create(CLUSTER_ROLE_BINDING, {
      ...kindOf(CLUSTER_ROLE_BINDING),
      metadata: { name: ROLE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE },
      subjects: [{ kind: 'ServiceAccount', name: SCRAPER, namespace: 'default' }],
    });
  });
  after(async () => {
    for (const server of servers) server.close();
    await kube.asController().delete({ ...CLUSTER_ROLE_BINDING, name: ROLE });
    await kube.asController().delete({ ...CLUSTER_ROLE, name: ROLE });
    await kube.close();
    await cluster.stop();
  });

  const kindOf = (type: typeof CLUSTER_ROLE) => ({ apiVersion: apiVersionOf(type), kind: type.kind });

  const get = (path: string, publicUrl: URL, headers: Readonly<Record<string, string>> = {}): Test => {
    const app = express().use(
      probes({
        ready: () => Promise.resolve([{ component: 'cluster', message: 'https://10.0.0.1 does not answer' }]),
        controllerStatus: () => ({ kind: 'Standby', holder: 'chandlery-7d9f' }),
        metrics: () => Promise.resolve({ contentType: 'text/plain', body: 'up 1\n' }),
        publicUrl,
        scrapeAccess: createScrapeAccess(kube.asController()),
      }),
    );
    const server = app.listen(0, '127.0.0.1');
    servers.push(server);
    return supertest(server).get(path).set(headers);
  };

  const bearer = async (account: string): Promise<Readonly<Record<string, string>>> => {
    const { kubeconfigPath, tools } = cluster;
    const args = ['--kubeconfig', kubeconfigPath, 'create', 'token', account, '--namespace', 'default'];
    const { stdout } = await promisify(execFile)(tools.kubectl ?? 'kubectl', args);
    return { Authorization: `Bearer ${stdout.trim()}` };
  };

  it('are read by a program on this machine', async () => {
    assert.equal((await get('/metrics', LOCAL).expect(200)).text, 'up 1\n');
  });

  for (const [title, publicUrl, headers] of [
    ['what a proxy has passed on', LOCAL, { 'X-Forwarded-For': '127.0.0.1' }],
    ['what a proxy with the standard header has passed on', LOCAL, { Forwarded: 'for=127.0.0.1' }],
    ['what a proxy without headers may have passed on', PUBLIC, {}],
    ['a page whose name leads to this machine', LOCAL, { Host: 'evil.example' }],
    ['a token that the cluster does not know', PUBLIC, { Authorization: 'Bearer e30.e30.e30' }],
  ] as const)
    it(`are not read by ${title}`, async () => {
      const { headers: answered } = await get('/metrics', publicUrl, headers).expect(401);
      assert.equal(answered['www-authenticate'], 'Bearer');
    });

  it('are read by the account that may get them in the cluster, and by no other', async () => {
    const [scraper, stranger] = [await bearer(SCRAPER), await bearer(STRANGER)];
    await get('/metrics', PUBLIC, { ...scraper, 'X-Forwarded-For': '203.0.113.7' }).expect(200, 'up 1\n');
    assert.match((await get('/metrics', PUBLIC, stranger).expect(403)).text, /nonResourceURLs/);
  });

  it('leave the probes open, which name nothing internal to others', async () => {
    for (const path of ['/healthz', '/livez']) await get(path, PUBLIC).expect(200, { status: 'ok' });
    const brief = { status: 'not ready', unavailable: [{ component: 'cluster' }], controller: 'standby' };
    await get('/readyz', PUBLIC).expect(503, brief);
    const { text } = await get('/readyz', PUBLIC, await bearer(SCRAPER)).expect(503);
    assert.match(text, /10\.0\.0\.1.*chandlery-7d9f/);
  });
});
