import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import pMap from 'p-map';
import { CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { callsOfRequest, openWatches } from '../support/audit.ts';
import { openBrowser } from '../support/browser.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { until } from '../support/product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';

const KINDS = 400;
const GROUP = `calls${process.pid}.example.com`;
const APP = 'caches.samples.chandlery.dev';
const NAME = `calls-${process.pid}`;
const INSTANCES = '/environments/team-a/instances';
const IN_NAMESPACE = /\/namespaces\/team-a\/(?!changerequests)/;
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the page of an instance on a cluster with hundreds of kinds', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;
  let browser: Browser;
  let visitor: Visitor;

  before(async () => {
    product = await sharedProduct();
    kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'test' });
    await pMap(
      Array.from({ length: KINDS }, (_, index) => index),
      define,
      { concurrency: 16 },
    );
    const listed = async (): Promise<boolean> => (await kube.kinds()).filter(({ group }) => group === GROUP).length === KINDS;
    await until(async () => (kube.invalidate(), await listed()), 'all kinds are served', 120_000);
    await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: APP, name: NAME, spec: {} } });
    const health = async (): Promise<unknown> =>
      textAt((await product.api('admin', `${INSTANCES}/${APP}/${NAME}/tree`)).body, 'health', 'status');
    await until(async () => (await health()) === 'Healthy', 'the cache is healthy', 90_000);
    browser = await openBrowser();
    visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
  });
  after(async () => {
    await browser.close();
    await product.api('dev-a', `${INSTANCES}/${APP}/${NAME}`, { method: 'DELETE' });
    await pMap(
      Array.from({ length: KINDS }, (_, index) => index),
      async (index) => await kube.asController().delete({ ...CRD, name: `k${index}s.${GROUP}` }),
      { concurrency: 16 },
    );
    await kube.close();
    await product.stop();
  });

  it('takes at most 60 calls at first, and 20 once it was read', async (context) => {
    const path = `${INSTANCES}/${APP}/${NAME}`;
    const cold = await callsOf(path);
    assert.ok(cold <= 60, `${cold} calls before the answer`);
    const warm = await callsOf(path);
    await sleep(4_500);
    // What was found after the first answer is listed once.
    await callsOf(path);
    await sleep(4_500);
    const later = await callsOf(path);
    context.diagnostic(`api-server calls: cold ${cold}, warm ${warm}, after 4.5 s ${later}`);
    assert.ok(warm <= 20 && later <= 20, `warm ${warm}, later ${later}`);
  });

  it('is followed by one watch a kind, no matter how many look, and by none when nobody does', async (context) => {
    const path = `${INSTANCES}/${APP}/${NAME}`;
    const since = (await stat(product.auditLogPath)).size;
    const people = ['dev-a', 'admin', 'dev-a', 'admin'];
    const streams = await Promise.all([...people, ...people, ...people, ...people, ...people].map((person) => openStream(person, path)));
    const watched = async (): Promise<readonly string[]> => await openWatches(product.auditLogPath, 'team-a', since);
    await until(async () => (await watched()).some((resource) => resource === 'deployments'), 'Deployments are watched');
    await until(async () => streams.every(({ changes }) => changes() > 0), 'all of them get the page');
    const open = await watched();
    context.diagnostic(`20 streams: ${open.length} watches of ${open.toSorted().join(', ')}`);
    assert.deepEqual(open.toSorted(), [...new Set(open)].toSorted(), 'no kind is watched twice');
    for (const { leave } of streams) leave();
    await until(async () => (await watched()).length === 0, 'all watches have ended');
  });

  /** A stream, and how many fragments have come. */
  async function openStream(person: string, path: string): Promise<{ changes(): number; leave(): void }> {
    const ending = new AbortController();
    const headers = { Authorization: `Bearer ${await product.token(person)}`, Accept: 'text/event-stream' };
    const response = await fetch(`${product.origin}${path}/stream`, { headers, signal: ending.signal });
    assert.equal(response.status, 200);
    let text = '';
    const drain = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    };
    void drain().catch(() => undefined);
    return { changes: () => text.split('event: change').length - 1, leave: () => ending.abort() };
  }

  async function define(index: number): Promise<void> {
    const names = { kind: `K${index}`, plural: `k${index}s` };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: any } }];
    const spec = { group: GROUP, names, scope: 'Namespaced', versions };
    await kube.asController().create(CRD, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${names.plural}.${GROUP}` },
      spec,
    });
  }

  /** How many calls were for the instance, not for who looks at it. */
  async function callsOf(path: string): Promise<number> {
    const response = await visitor.page.goto(path);
    assert.equal(response?.status(), 200);
    const id = (await response?.allHeaders())?.['x-request-id'] ?? '';
    await sleep(500);
    return (await callsOfRequest(product.auditLogPath, id)).filter((uri) => IN_NAMESPACE.test(uri)).length;
  }
});
