import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { addSource, type OwnSource, ownEnvironment } from '../support/own-source.ts';
import { until } from '../support/product.ts';
import { RUN } from '../support/run-name.ts';
import { type SharedProduct, sharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';
import { withJavaScript } from '../support/test-set.ts';

/** More than a keyboard user has to pass on the page of a source. */
const MOST_STOPS = 60;

describe('the page of a source whose files are removed', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  for (const javaScript of ['on', 'off'] as const) {
    it(`lets an admin undo, keep or remove by keyboard, with JavaScript ${javaScript}`, withJavaScript(javaScript), async () => {
      const name = `pending-${javaScript}-${RUN}`;
      const kept = `${name}-kept`;
      const source = await addSource(product, name, { pruneDelay: '10m' });
      await source.write(fileOf(kept), ownEnvironment(kept));
      await until(async () => (await uidOf(product, kept)) !== undefined, `${kept} is there`);
      const uid = await uidOf(product, kept);
      const visitor = await signIn(browser, product.origin, 'admin', { javaScript });
      await visitor.page.goto(`/sources/${name}`);

      // A mistake, and its undoing.
      await move(source, fileOf(kept), `${fileOf(kept)}.away`);
      await untilPage(visitor, javaScript, (text) => text.includes('Pending removals') && text.includes(`Environment ${kept}`));
      const condition = visitor.page.getByRole('row').filter({ has: visitor.page.getByRole('rowheader', { name: 'PendingRemoval' }) });
      assert.equal(await condition.locator('.badge--warn').count(), 1, 'the condition is no good sign');
      await visitor.check();
      await move(source, `${fileOf(kept)}.away`, fileOf(kept));
      await untilPage(visitor, javaScript, (text) => !text.includes('Pending removals'));
      assert.equal(await uidOf(product, kept), uid);

      // The file goes for good, and the resource is to stay.
      await rm(join(source.folder, fileOf(kept)));
      await untilPage(visitor, javaScript, (text) => text.includes('Pending removals'));
      await press(visitor.page, `Keep Environment ${kept}`);
      await visitor.page.getByRole('status').getByText('The resource stays').waitFor();
      await untilPage(visitor, javaScript, (text) => !text.includes('Pending removals'));
      assert.equal(await uidOf(product, kept), uid);

      // Both go.
      await rm(join(source.folder, fileOf(name)));
      await source.write(fileOf(`${name}-last`), ownEnvironment(`${name}-last`));
      await untilPage(visitor, javaScript, (text) => text.includes('Pending removals') && text.includes(`Environment ${name}`));
      await press(visitor.page, 'Remove 1 resource now');
      await visitor.page.getByRole('status').getByText('The controller removes the resources now').waitFor();
      await until(async () => (await uidOf(product, name)) === undefined, `${name} is gone`);
      await untilPage(visitor, javaScript, (text) => !text.includes('Pending removals'));
      await visitor.check();
      await visitor.close();
      await product.api('admin', `/environments/${kept}?intent=Cascade`, { method: 'DELETE' });
      await source.remove();
    });
  }
});

function fileOf(environment: string): string {
  return `environments/${environment}.yaml`;
}

async function move({ folder }: OwnSource, from: string, to: string): Promise<void> {
  await rename(join(folder, from), join(folder, to));
}

async function uidOf(product: SharedProduct, environment: string): Promise<string | undefined> {
  return textAt((await product.api('admin', `/environments/${environment}`)).body, 'object', 'metadata', 'uid');
}

/** With JavaScript, the page changes by itself; without, the visitor refreshes it. */
async function untilPage({ page }: Visitor, javaScript: 'on' | 'off', holds: (text: string) => boolean): Promise<void> {
  await eventually(async () => {
    if (javaScript === 'off') await page.getByRole('link', { name: 'Refresh' }).click();
    return holds((await page.locator('main').textContent()) ?? '');
  }, 'the page shows it');
}

/** Goes to a button by the Tab key, and presses it by Enter. */
async function press(page: Page, button: string): Promise<void> {
  const target = page.getByRole('button', { name: button, exact: true });
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    if (!(await target.evaluate((element) => element === element.ownerDocument.activeElement))) continue;
    await page.keyboard.press('Enter');
    return;
  }
  assert.fail(`the Tab key does not come to ${button}`);
}
