import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { numberAt, textAt } from '../../src/domain/core/read.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const ENVIRONMENT = `handled-${RUN}`;
const RESOURCES = `/environments/${ENVIRONMENT}/resources`;
const SHOP = `${RESOURCES}/deployments.apps/shop`;
const labels = { app: 'shop' };

describe('the page of a resource', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, ENVIRONMENT);
    kube = openKube(product.kubeconfigPath, { userAgent: 'resources' });
    const container = { name: 'shop', image: 'registry.example.com/shop:1', env: [{ name: 'DB_PASSWORD', value: 'correct-horse' }] };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await kube.asController().create(
      { group: 'apps', version: 'v1', resource: 'deployments' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'shop', namespace: ENVIRONMENT },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      },
    );
    await until(async () => textAt(await shown(), 'health', 'status') === 'Healthy', 'the Deployment is healthy', 60_000);
  });
  after(async () => {
    await Promise.all([browser.close(), kube.close()]);
    await product.stop();
  });

  const shown = async (): Promise<unknown> => (await product.api('dev-a', SHOP)).body;

  it('is reached from the list, and restarts and scales a workload without JavaScript', async () => {
    const { page, check, close } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    await page.goto(`${RESOURCES}?resource=deployments.apps`);
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    assert.ok(!(await page.content()).includes('correct-horse'));
    await page.getByRole('link', { name: 'Scale', exact: true }).click();
    await page.getByLabel('Replicas').fill('2');
    await page.getByRole('button', { name: 'Scale shop' }).click();
    await page.getByText('The number of replicas is set.').waitFor();
    assert.equal(numberAt(await shown(), 'replicas'), 2);
    await page.getByRole('link', { name: 'Restart', exact: true }).click();
    await page.getByText('replaces its 2 pods step by step').waitFor();
    await page.getByRole('button', { name: 'Restart shop' }).click();
    await page.getByText('The restart has begun').waitFor();
    await check();
    await close();
  });

  it('asks again when the spec has changed since it was opened', async () => {
    const { page, check, close } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    await page.goto(`${SHOP}/scale`);
    await product.api('dev-a', `${SHOP}/scale`, { method: 'PUT', body: { replicas: 3 } });
    await page.getByRole('button', { name: 'Scale shop' }).click();
    await page.getByRole('heading', { name: 'This did not work' }).waitFor();
    await page.getByRole('link', { name: /changed since you opened the page/ }).waitFor();
    assert.equal(numberAt(await shown(), 'replicas'), 3);
    await check();
    await close();
  });

  it('is accessible with everything open, and links its relations up and down', async () => {
    const { page, check, close } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    await page.goto(SHOP);
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    await check();
    await page.setViewportSize({ width: 320, height: 800 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('region', { name: 'Related resources' }).getByRole('link').first().click();
    await page.getByText('ReplicaSet in').waitFor();
    await page.getByRole('link', { name: 'shop', exact: true }).first().click();
    await page.getByText('Deployment in').waitFor();
    await close();
  });

  it('shows a viewer which permission each action needs', async () => {
    const { page, check, close } = await signIn(browser, product.origin, 'admin', { javaScript: 'on' });
    await page.goto(SHOP);
    await page.getByText(`The permission to patch deployments.apps "shop" in the namespace "${ENVIRONMENT}" is missing.`).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Restart', exact: true }).count(), 0);
    await page.goto(`${SHOP}/restart`);
    await page.getByRole('heading', { name: 'Permission denied' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Restart shop' }).count(), 0);
    await check();
    await close();
  });

  it('changes with the resource, and leads to the list when it is deleted', async () => {
    const { page, close } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    await page.goto(SHOP);
    const deployment = { group: 'apps', version: 'v1', resource: 'deployments', namespace: ENVIRONMENT, name: 'shop' };
    await kube.asController().patch(deployment, { type: 'merge', body: { spec: { paused: true } } });
    await page.getByRole('region', { name: 'Summary' }).getByText('Paused').waitFor();
    await kube.asController().delete(deployment);
    await page.waitForURL(`**${RESOURCES}`);
    await close();
  });
});
