import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { type SampleWeb, startSampleWeb } from '../support/sample-web.ts';

const INSTALL = '/apps/postgresclusters.samples.chandlery.dev/install';
const TEXT = '# For the shop.\nstorage:\n  size: 20Gi # was 5Gi\n';

let web: SampleWeb;
let browser: Browser;
before(async () => {
  browser = await openBrowser();
  web = await startSampleWeb();
});
after(async () => {
  await browser.close();
  await web.stop();
});

async function openYaml({ javaScriptEnabled }: { readonly javaScriptEnabled: boolean }): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 320, height: 700 } });
  context.setDefaultTimeout(60_000);
  await context.addCookies([{ name: 'chandlery', value: 'dev-a', url: web.url }]);
  const page = await context.newPage();
  await page.goto(web.url + INSTALL);
  await page.getByRole('radio', { name: /Team A/ }).check();
  await page.getByLabel('Name', { exact: true }).fill('shop');
  await page.getByRole('button', { name: 'YAML', exact: true }).click();
  // Its scripts, too: nothing is dropped on a page that does not listen yet.
  await page.locator('[data-drop]').waitFor();
  await page.waitForLoadState();
  return page;
}

test('Without JavaScript a file is loaded into the form, which keeps its name, and is kept as a file again', async () => {
  const page = await openYaml({ javaScriptEnabled: false });
  await page.getByLabel('From a file').setInputFiles({ name: 'shop.yaml', mimeType: 'application/yaml', buffer: Buffer.from(TEXT) });
  await page.getByRole('button', { name: 'Load the file' }).click();
  await page.getByText('3 lines of “shop.yaml” are in the form now.').waitFor();
  assert.equal(await page.locator('textarea[name="y."]').inputValue(), TEXT);
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'shop');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download YAML' }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'postgrescluster-shop.yaml');
  await page.context().close();
});

test('A file that is dropped is loaded as well', async () => {
  const page = await openYaml({ javaScriptEnabled: true });
  const file = `new File([${JSON.stringify(TEXT)}], 'dropped.yaml', { type: 'application/yaml' })`;
  const files = await page.evaluateHandle(`const transfer = new DataTransfer(); transfer.items.add(${file}); transfer`);
  await page.locator('[data-drop]').dispatchEvent('drop', { dataTransfer: files });
  await page.getByText('3 lines of “dropped.yaml” are in the form now.').waitFor();
  assert.equal(await page.locator('textarea[name="y."]').inputValue(), TEXT);
  await page.context().close();
});

test('Without JavaScript the page comes back to the row that was added', async () => {
  const page = await openYaml({ javaScriptEnabled: false });
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.getByText('User 1', { exact: true }).waitFor();
  assert.match(page.url(), /#f-spec-users-0$/);
  const place = await page.getByText('User 1', { exact: true }).boundingBox();
  assert.ok(place !== null && place.y >= 0 && place.y < 700, JSON.stringify(place));
  await page.context().close();
});
