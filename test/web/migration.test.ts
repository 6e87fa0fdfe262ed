import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { at, textAt } from '../../src/domain/core/read.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { OPERATOR as OPERATORS } from '../../src/domain/kubernetes/resource-types.ts';
import { openBrowser } from '../support/browser.ts';
import { gadgetOperator, GADGET_SPEC, offerGadgets } from '../support/gadgets.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const GADGET = `gadget${RUN}`;
const OPERATOR = `/operators/chandlery-system/${GADGET}`;
const { plural, group } = kindsOf(GADGET);
const APP = `${plural}.${group}`;
const SPACE = `gadgets-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;
const INSTANCE = `${INSTANCES}/${APP}/orders`;
const MAX_MS = 120_000;

describe('an app whose operator is upgraded to another version of its kind, through the pages', { timeout: 500_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await offerGadgets(product.chartsDir, GADGET);
    await addEnvironment(product, SPACE);
    kube = openKube(product.kubeconfigPath);
    await kube.asController().create(OPERATORS, gadgetOperator(GADGET));
    await until(async () => (await version()) === '1.0.0', '1.0.0 is installed', MAX_MS);
    const body = { app: APP, name: 'orders', spec: GADGET_SPEC };
    const dryRun = async (): Promise<unknown> => (await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body })).body;
    await until(async () => textAt(await dryRun(), 'verdict') === 'Ready', 'an instance can be made', MAX_MS);
    assert.equal((await product.api('dev-a', INSTANCES, { method: 'POST', body })).status, 201);
  });
  after(async () => {
    await browser.close();
    await kube.close();
    await product.stop();
  });

  async function version(): Promise<string | undefined> {
    const { body } = await product.api('admin', OPERATOR);
    return textAt(body, 'status') === 'READY' ? textAt(body, 'chart', 'version') : undefined;
  }

  it('shows the admin what it touches, asks about values, and writes both by one approval without JavaScript', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(`${OPERATOR}/upgrade?version=2.0.0`);
    await page.getByRole('heading', { level: 1, name: 'Upgrade Gadgets to 2.0.0' }).waitFor();
    await page.getByText('Decisions are needed about fields of 1 instance.').waitFor();
    await page.locator('summary', { hasText: '1 affected instance' }).click();
    assert.equal(await page.getByRole('link', { name: `${SPACE}/orders` }).getAttribute('href'), INSTANCE);
    await page.getByRole('button', { name: 'Approve 2.0.0' }).click();
    await page.getByRole('heading', { name: 'Decisions needed' }).waitFor();
    await row(page, 'values.colour').getByLabel('Remove the value').check();
    assert.equal(await row(page, 'values.logLevel').getByLabel('Move the value to values.loggingLevel').isChecked(), true);
    await page.getByRole('button', { name: 'Update preview' }).click();
    await page.getByText('All decisions are made').waitFor();
    await page.getByText('loggingLevel: debug').waitFor();
    await page.getByText(new RegExp(`kubectl patch kop ${GADGET} .*"loggingLevel":"debug"`)).waitFor();
    assert.equal(await row(page, 'values.colour').getByLabel('Remove the value').isChecked(), true);
    await page.getByRole('button', { name: 'Approve 2.0.0' }).click();
    await page.getByText('2.0.0 is approved').waitFor();
    await visitor.close();
    const operator = await kube.asController().get({ ...OPERATORS, namespace: 'chandlery-system', name: GADGET });
    assert.deepEqual(at(operator.spec, 'values'), { loggingLevel: 'debug' });
    await until(async () => (await version()) === '2.0.0', '2.0.0 is installed', MAX_MS);
  });

  it('warns on the page of the instance and leads to the rows, which are accessible', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on', colorScheme: 'dark' });
    const { page } = visitor;
    await page.goto(INSTANCE);
    await page.getByText('Some values are no longer valid').waitFor();
    await visitor.check();
    await page.getByRole('link', { name: 'Decide about 5 values' }).click();
    await page.getByRole('heading', { level: 1, name: 'Move orders to v2' }).waitFor();
    await visitor.check();
    await visitor.close();
  });

  it('has each sort of row decided, reviewed and saved without JavaScript, and stores exactly that', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(INSTANCE);
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByRole('link', { name: 'Decide about 5 values' }).click();
    await page.getByRole('button', { name: 'Move to v2' }).click();
    await page.getByRole('heading', { name: 'Decisions needed' }).waitFor();
    assert.equal(await row(page, 'spec.storageSize').getByLabel('Move the value to spec.storageCapacity').isChecked(), true);
    await row(page, 'spec.colour').getByLabel('Remove the value').check();
    await set(row(page, 'spec.level'), '4');
    await set(row(page, 'spec.size'), '"3"');
    await row(page, 'spec.team').getByRole('textbox').fill('a');
    await page.getByRole('button', { name: 'Review first' }).click();
    await page.getByText('Resource to apply').first().waitFor();
    assert.deepEqual(await stored('v1'), GADGET_SPEC);
    await page.getByRole('button', { name: 'Move to v2' }).click();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    assert.equal(await page.getByText('Some values are no longer valid').count(), 0);
    await visitor.check();
    await visitor.close();
    assert.deepEqual(await stored('v2'), { storageCapacity: '1Gi', level: 4, size: '3', team: 'a' });
  });

  async function stored(in_: 'v1' | 'v2'): Promise<unknown> {
    return (await kube.asController().get({ group, version: in_, resource: plural, namespace: SPACE, name: 'orders' })).spec;
  }
});

function row(page: Page, path: string): Locator {
  return page.getByRole('group', { name: path, exact: true });
}

async function set(decided: Locator, yaml: string): Promise<void> {
  await decided.getByLabel('Set another value').check();
  await decided.getByRole('textbox').fill(yaml);
}
