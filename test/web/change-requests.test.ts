import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, objectAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { ownPerson } from '../support/own-person.ts';
import { until, type Answer } from '../support/product.ts';
import { addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';
import { readAuditLog } from '../support/read-audit-log.ts';

const CACHES = 'caches.samples.chandlery.dev';
/** Somebody of whom the audit log records each rejection, however many dev-a has had. */
const VIEWER = `viewer-${RUN}`;
const SHOP = `shop-${RUN}`;
const ENVIRONMENT = `apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: {name: ${SHOP}}
spec:
  displayName: Shop
  groups:
    - {name: "oidc:team-a", role: viewer}
    - {name: "oidc:platform", role: maintainer}
`;

describe('a change request without JavaScript', { timeout: 500_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let [asker, approver]: Visitor[] = [];
  const shop = (name: string): string => `/environments/${SHOP}/instances/${CACHES}/${name}`;
  const stored = async (name: string): Promise<Answer> => await product.api('admin', shop(name));
  const visitors = (): { asks: Visitor; may: Visitor } => {
    if (asker === undefined || approver === undefined) throw new Error('nobody has signed in');
    return { asks: asker, may: approver };
  };

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addToCatalog(product, `environments/${SHOP}.yaml`, ENVIRONMENT);
    const draft = { method: 'POST', body: { app: CACHES, name: 'dry', spec: {} } };
    await until(
      async () => {
        const { body } = await product.api('admin', `/environments/${SHOP}/instances?dryRun=All`, draft);
        const seen = await product.api('dev-a', `/environments/${SHOP}`);
        return textAt(body, 'verdict') === 'Ready' && at(seen.body, 'ready') === true;
      },
      'the environment and the app are there',
      180_000,
    );
    asker = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    approver = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  /** Fills the form, meets the rejection and asks; the answer is the id of the change request. */
  const ask = async (name: string, memory: string): Promise<string> => {
    const { page, check } = visitors().asks;
    await page.goto(`/apps/${CACHES}/install?v.spec.memory=${memory}`);
    await page.locator(`input[name="environment"][value="${SHOP}"]`).check();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByText(/The permission to create caches/).waitFor();
    await page.getByLabel('Message to the approver').fill('For the sale');
    await check();
    await page.getByRole('button', { name: 'Request approval to install' }).click();
    await page.getByText('Your request is saved').waitFor();
    await check();
    return new URL(page.url()).pathname.split('/').at(-1) ?? '';
  };

  it('goes from who may not to who may, and leaves exactly what both saw, signed by both', async () => {
    const id = await ask('sale', '64Mi');
    assert.equal((await stored('sale')).status, 404);
    const { page, check } = visitors().may;
    const counted = page.getByRole('link', { name: /Requests [1-9]/ });
    // Where somebody may approve is remembered for some seconds, and a page without JavaScript stays as it is.
    await until(async () => {
      await page.goto('/');
      return (await counted.count()) > 0;
    }, 'the request is counted in the navigation');
    await counted.click();
    const waiting = page.getByRole('region', { name: `Waiting for your approval in ${SHOP}` });
    await waiting.getByRole('link', { name: 'Install sale' }).click();
    await page.getByText('Dry run succeeded').waitFor();
    await check();
    const yaml = (await page.getByRole('region', { name: 'Resource to apply' }).textContent()) ?? '';
    assert.match(yaml, /chandlery.dev\/requested-by: oidc:dev-a/);
    await page.getByRole('button', { name: 'Approve and install sale' }).click();
    await page.getByRole('heading', { level: 1, name: 'sale' }).waitFor();
    const { body } = await stored('sale');
    assert.equal(textAt(body, 'object', 'spec', 'memory'), '64Mi');
    const annotations = { 'requested-by': 'oidc:dev-a', 'approved-by': 'oidc:admin', 'created-by': 'oidc:admin' };
    const signed = Object.fromEntries(Object.entries(annotations).map(([name, user]) => [`chandlery.dev/${name}`, user]));
    assert.deepEqual(objectAt(body, 'object', 'metadata', 'annotations'), signed);
    await visitors().asks.page.goto(`/change-requests/${id}`);
    await visitors()
      .asks.page.getByText(/Approved by oidc:admin/)
      .waitFor();
    await visitors().asks.check();
  });

  it('is nothing to somebody else, and no way round a missing permission', async () => {
    const id = await ask('other', '64Mi');
    const forB = [await product.api('dev-b', `/change-requests/${id}`), await product.api('dev-b', `/change-requests/${'0'.repeat(32)}`)];
    const words = forB.map(({ status, body }) => [status, textAt(body, 'code'), textAt(body, 'detail')]);
    assert.equal(words[0]?.[0], 404);
    assert.deepEqual(words[0], words[1]);
    const waiting = await product.api('dev-b', '/change-requests?awaitingApproval=true');
    assert.equal(waiting.status, 200);
    assert.ok(!stringifyJson(waiting.body).includes(SHOP));
    const { body } = await product.api('dev-a', `/change-requests/${id}`);
    const approval = { method: 'POST', body: { digest: textAt(body, 'digest') ?? '' } };
    assert.equal((await product.api('dev-a', `/change-requests/${id}/approval`, approval)).status, 403);
    assert.equal((await product.api('dev-b', `/change-requests/${id}/approval`, approval)).status, 404);
    assert.equal((await product.api('admin', `/change-requests/${id}/approval`, approval)).status, 409, 'a digest is for one person');
    assert.equal((await stored('other')).status, 404);
  });

  it('is approved by nobody who asked for it', async () => {
    const viewer = await ownPerson(product, VIEWER, ['team-a']);
    const asked = await viewer.api('/change-requests', { method: 'POST', body: { environment: SHOP, app: CACHES, name: 'own', spec: {} } });
    assert.equal(asked.status, 201, stringifyJson(asked.body));
    const path = `/change-requests/${textAt(asked.body, 'id')}`;
    const digest = textAt((await viewer.api(path)).body, 'digest') ?? '';
    assert.equal((await viewer.api(`${path}/approval`, { method: 'POST', body: { digest } })).status, 403);
  });

  it('is declined with a word, and then closed', async () => {
    const id = await ask('large', '2Gi');
    const { page, check } = visitors().may;
    await page.goto(`/change-requests/${id}`);
    await page.getByLabel('Reason').fill('Too large for the shop');
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText(/Declined by oidc:admin/).waitFor();
    await check();
    assert.equal(
      textAt((await product.api('dev-a', `/change-requests/${id}`)).body, 'changeRequest', 'decisionMessage'),
      'Too large for the shop',
    );
    const late = await product.api('admin', `/change-requests/${id}/approval`, { method: 'POST', body: { digest: 'x' } });
    assert.deepEqual([late.status, textAt(late.body, 'code')], [409, 'ChangeRequestClosed']);
  });

  it('asks for a change of what one may only read, and again when that moved', async () => {
    await product.api('admin', `/environments/${SHOP}/instances`, {
      method: 'POST',
      body: { app: CACHES, name: 'moved', spec: { replicas: 1 } },
    });
    const { asks, may } = visitors();
    await asks.page.goto(`${shop('moved')}/edit`);
    await asks.check();
    await asks.page.getByRole('link', { name: 'Request approval' }).click();
    await asks.page.locator('[name="v.spec.replicas"]').fill('3');
    await asks.page.getByRole('button', { name: 'Save the change' }).click();
    await asks.page.getByRole('button', { name: 'Request approval to change' }).click();
    await asks.page.getByText('Your request is saved').waitFor();
    const path = new URL(asks.page.url()).pathname;

    await may.page.goto(path);
    const other = await product.api('admin', shop('moved'), { method: 'PATCH', body: { spec: { memory: '96Mi' } } });
    assert.equal(other.status, 200);
    await may.page.getByRole('button', { name: 'Approve and change moved' }).click();
    await may.page.getByText('Nothing was written: review the request again').waitFor();
    await may.page.getByText('The resource has changed since this request was created').waitFor();
    await may.check();
    assert.equal(at((await stored('moved')).body, 'object', 'spec', 'replicas'), 1);
    await may.page.getByRole('button', { name: 'Approve and change moved' }).click();
    await may.page.getByRole('heading', { level: 1, name: 'moved' }).waitFor();
    const { replicas, memory } = objectAt((await stored('moved')).body, 'object', 'spec');
    assert.deepEqual([replicas, memory], [3, '96Mi']);
  });

  it('has every step in the audit log', async () => {
    const lines = (await readAuditLog(product.stateDir)).trim().split('\n');
    const steps = lines
      .filter((line) => line.includes(SHOP))
      .map((line): unknown => JSON.parse(line))
      .map((line) => `${textAt(line, 'user')} ${textAt(line, 'action')} ${textAt(line, 'outcome')}`);
    for (const step of [
      'oidc:dev-a create change request succeeded',
      'oidc:admin approve change request succeeded',
      'oidc:admin approve change request rejected',
      `oidc:${VIEWER} approve change request rejected`,
      'oidc:admin decline change request succeeded',
    ]) {
      assert.ok(steps.includes(step), `${step} in ${JSON.stringify(steps)}`);
    }
  });
});
