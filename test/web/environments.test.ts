import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const CACHES = 'caches.samples.chandlery.dev';
const NAME = `by-form-${RUN}`;

describe('the pages of an environment', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  it('let an admin create one without JavaScript, in which a developer of its group installs an app', async () => {
    const admin = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = admin;
    await page.goto('/environments');
    await page.getByRole('link', { name: 'New environment' }).click();
    await page.getByRole('heading', { level: 1, name: 'New environment' }).waitFor();
    await page.locator('#name').fill('Not a name');
    await page.locator('[name="v.spec.tier"]').fill('Not a tier');
    await page.getByRole('button', { name: 'Create the environment' }).click();
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    assert.equal(await page.locator('a[href="#name"]').count(), 1);
    await page.locator('#name').fill(NAME);
    await page.locator('[name="v.spec.tier"]').fill('staging');
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.locator('[name="v.spec.groups[0].name"]').fill('oidc:team-a');
    await page.locator('[name="v.spec.groups[0].role"][value="developer"]').check();
    await page.getByRole('button', { name: 'Review first' }).click();
    await page.getByRole('heading', { level: 1, name: `Review the environment ${NAME}` }).waitFor();
    await page.getByText(`The namespace ${NAME}`).waitFor();
    await page.getByText('kubectl apply --server-side').waitFor();
    await page.getByRole('button', { name: 'Create the environment' }).click();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    await page.getByText('oidc:admin', { exact: true }).and(page.locator('dd')).waitFor();
    await admin.check();

    const developer = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    await until(async () => (await product.api('dev-a', `/environments/${NAME}`)).status === 200, 'dev-a sees it');
    await until(async () => {
      await developer.page.goto(`/apps/${CACHES}/install?environment=${NAME}`);
      return await developer.page.locator(`input[name="environment"][value="${NAME}"]`).isEnabled();
    }, 'it can be chosen');
    await developer.page.getByLabel('Name', { exact: true }).fill('orders');
    await developer.page.getByRole('button', { name: 'Install', exact: true }).click();
    await developer.page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    await developer.page.getByText(/^Created .* by oidc:dev-a$/).waitFor();
    await developer.page.goto(`/environments/${NAME}`);
    assert.equal(await developer.page.getByRole('link', { name: 'Delete' }).count(), 0);
    await developer.page.goto(`/environments/${NAME}/edit`);
    await developer.page.getByText(`The permission to update environments.chandlery.dev "${NAME}"`).waitFor();
    await developer.close();
    await admin.close();
  });

  it('show an admin the live values to change, and what goes and stays before it is deleted', async () => {
    const admin = await signIn(browser, product.origin, 'admin', { javaScript: 'on' });
    const { page } = admin;
    await page.goto(`/environments/${NAME}`);
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `Change ${NAME}` }).waitFor();
    await admin.check();
    assert.equal(await page.locator('[name="v.spec.groups[0].name"]').inputValue(), 'oidc:team-a');
    await product.api('admin', `/environments/${NAME}`, { method: 'PATCH', body: { spec: { contact: 'a@example.com' } } });
    await page.locator('[name="v.spec.tier"]').fill('testing');
    await page.getByRole('button', { name: 'Save the change' }).click();
    await page.getByRole('heading', { name: 'Somebody else changed the resource meanwhile' }).waitFor();
    await page.getByRole('button', { name: 'Save the change' }).click();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    const { body } = await product.api('admin', `/environments/${NAME}`);
    assert.deepEqual([textAt(body, 'tier'), textAt(body, 'object', 'spec', 'contact')], ['testing', 'a@example.com']);

    await page.getByRole('link', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `Delete ${NAME}?` }).waitFor();
    await page.getByText('The namespace stays with').waitFor();
    assert.equal(await page.getByRole('row', { name: 'Cache 1 orders' }).count(), 1);
    await admin.check();
    await page.getByLabel(`Type ${NAME}`).fill('something else');
    await page.getByRole('button', { name: `Delete ${NAME}` }).click();
    await page.getByRole('heading', { name: 'Deletion failed' }).waitFor();
    await page.getByLabel(`Type ${NAME}`).fill(NAME);
    await page.getByRole('button', { name: `Delete ${NAME}` }).click();
    await page.getByText(`The environment ${NAME} is being deleted.`).waitFor();
    await until(async () => (await product.api('admin', `/environments/${NAME}`)).status === 404, 'it is gone');
    await admin.close();
  });
});
