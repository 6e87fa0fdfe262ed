import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import pMap from 'p-map';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { ServedKind } from '../../src/domain/kubernetes/resource.ts';
import { CRD } from '../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { namespacedKinds } from '../../src/operation/instance/read-objects.ts';
import { callsOfRequest, openWatches, resourcesListedFor } from '../support/audit.ts';
import { openBrowser } from '../support/browser.ts';
import { openKube } from '../support/open-kube.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';

// Runs in test:all: it adds 400 kinds to the cluster.

// Runs alone: it adds 400 kinds, which every other page would read and every list of drafts would have.

const KINDS = 400;
const GROUP = `calls-${RUN}.example.com`;
const CACHES = { group: 'samples.chandlery.dev', version: 'v1alpha1', resource: 'caches' };
const APP = `${CACHES.resource}.${CACHES.group}`;
const SPACE = `calls-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;
const PATH = `${INSTANCES}/${APP}/sessions`;
const IN_NAMESPACE = new RegExp(`/namespaces/${SPACE}/(?!changerequests)`);
const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the page of an instance on a cluster with hundreds of kinds', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;
  let browser: Browser;
  let visitor: Visitor;

  before(async () => {
    product = await sharedProduct();
    kube = openKube(product.kubeconfigPath, { userAgent: 'test' });
    await pMap(
      Array.from({ length: KINDS }, (_, index) => index),
      define,
      { concurrency: 16 },
    );
    await until(async () => (await ownKinds()).length === KINDS, 'all kinds are served', 120_000);
    // The product reads the kinds anew after a change of a CRD, and now finds all of them.
    const complete = { metadata: { annotations: { 'example.com/complete': 'yes' } } };
    await kube.asController().patch({ ...CRD, name: `k0s.${GROUP}` }, { type: 'merge', body: complete });
    await addEnvironment(product, SPACE);
    const made = await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: APP, name: 'sessions', spec: {} } });
    assert.equal(made.status, 201, stringifyJson(made.body));
    const health = async (): Promise<unknown> => textAt((await product.api('admin', `${PATH}/tree`)).body, 'health', 'status');
    await until(async () => (await health()) === 'Healthy', 'the cache is healthy', 90_000);
    browser = await openBrowser();
    visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
  });
  after(async () => {
    await browser.close();
    await product.api('dev-a', PATH, { method: 'DELETE' });
    await pMap(
      Array.from({ length: KINDS }, (_, index) => index),
      async (index) => await kube.asController().delete({ ...CRD, name: `k${index}s.${GROUP}` }),
      { concurrency: 16 },
    );
    await until(async () => (await ownKinds()).length === 0, 'no kind is served any more', 60_000);
    await kube.close();
    await product.stop();
  });

  it('takes at most 60 calls at first, and 20 once it was read', async (context) => {
    const cold = await callsOf(PATH);
    assert.ok(cold > 0 && cold <= 60, `${cold} calls before the answer`);
    await until(allAreLookedFor, 'all kinds are looked for after the first answer', 60_000);
    // What was found then is listed once.
    await callsOf(PATH);
    const warm = await callsOf(PATH);
    // After a change, as after four seconds, what usually appears below an instance is listed again.
    const touched = { metadata: { annotations: { 'example.com/touched': 'yes' } } };
    await kube.asController().patch({ ...CACHES, namespace: SPACE, name: 'sessions' }, { type: 'merge', body: touched });
    const later = await callsOf(PATH);
    context.diagnostic(`api-server calls: cold ${cold}, warm ${warm}, after a change ${later}`);
    assert.ok(warm > 0 && warm <= 20 && later > 0 && later <= 20, `warm ${warm}, later ${later}`);
  });

  it('is followed by one watch a kind, no matter how many look, and by none when nobody does', async (context) => {
    const people = ['dev-a', 'admin', 'dev-a', 'admin'];
    const streams = await Promise.all([...people, ...people, ...people, ...people, ...people].map((person) => openStream(person, PATH)));
    const watched = async (): Promise<readonly string[]> => await openWatches(product.auditLogPath, SPACE);
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

  async function ownKinds(): Promise<readonly ServedKind[]> {
    kube.invalidate();
    return (await kube.kinds()).filter(({ group }) => group === GROUP);
  }

  /** Whether the page has asked for each kind of the namespace by now, before its answer or after it. */
  async function allAreLookedFor(): Promise<boolean> {
    const listed = await resourcesListedFor(product.auditLogPath, { user: 'oidc:dev-a', namespace: SPACE });
    return namespacedKinds(await kube.kinds()).every(({ resource, group }) => listed.has(`${resource}.${group}`));
  }

  /** How many calls were for the instance, not for who looks at it. */
  async function callsOf(path: string): Promise<number> {
    const response = await visitor.page.goto(path);
    assert.equal(response?.status(), 200);
    const id = (await response?.allHeaders())?.['x-request-id'] ?? '';
    // The api-server ends an answer only when the call is in its audit log.
    return (await callsOfRequest(product.auditLogPath, id)).filter((uri) => IN_NAMESPACE.test(uri)).length;
  }
});
