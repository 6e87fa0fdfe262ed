import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { filterOperators } from '../../src/domain/operator/operator-list.ts';
import type { OperatorView } from '../../src/domain/operator/operator.ts';
import { openBrowser } from '../support/browser.ts';
import { sampleOperations } from '../support/sample-operations.ts';
import { manyOperators, sampleOperatorTree } from '../support/sample-operators.ts';
import { type SampleWeb, startSampleWeb } from '../support/sample-web.ts';
import { checkAccessibility } from '../support/visitor.ts';

const POSTGRES = '/operators/chandlery-system/postgres-operator';
const BROKEN_ICON = 'data:image/png;base64,AAAA';
let operators: readonly OperatorView[] = manyOperators(200);
let asked: string[] = [];
let browser: Browser;
let web: SampleWeb;

before(async () => {
  browser = await openBrowser();
  const samples = sampleOperations();
  web = await startSampleWeb({
    listOperators: async (_actor, filter) => filterOperators(operators, filter),
    showOperatorTree: async () => sampleOperatorTree(170, 'sick'),
    requestOperatorAction: async (actor, input) => {
      asked.push(`${input.step} ${input.name}`);
      return await samples.showOperator(actor, input);
    },
    deleteOperator: async (_actor, { name }) => {
      asked.push(`delete ${name}`);
    },
    listApps: async (actor, query) => {
      const list = await samples.listApps(actor, query);
      return { ...list, apps: list.apps.map((app) => ({ ...app, icon: BROKEN_ICON })) };
    },
  });
});
after(async () => {
  await browser.close();
  await web.stop();
});

async function open(path: string, options: { readonly javaScript: 'on' | 'off' }): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: options.javaScript === 'on', viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(60_000);
  await context.addCookies([{ name: 'chandlery', value: 'admin', url: web.url }]);
  const page = await context.newPage();
  await page.goto(web.url + path);
  return page;
}

describe('two hundred Operators', () => {
  it('are paged, filtered and searched without JavaScript, and the address keeps all of it', async () => {
    const page = await open('/operators', { javaScript: 'off' });
    assert.equal(await page.locator('tbody tr').count(), 50);
    await page.getByRole('link', { name: 'Next page' }).click();
    assert.equal(await page.locator('tbody tr').count(), 50);
    await page.getByRole('link', { name: /^Error/ }).click();
    assert.equal(await page.locator('tbody tr').count(), 5);
    await page.getByLabel('Search the Operators').fill('loki');
    await page.getByLabel('Category').selectOption('Messaging');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 of 200 Operators').waitFor();
    assert.deepEqual([...new URL(page.url()).searchParams.keys()].sort(), ['category', 'search', 'state']);
    await page.context().close();
  });

  it('show a change by themselves, and say it to a screen reader', async () => {
    operators = manyOperators(200);
    const page = await open('/operators?state=Error', { javaScript: 'on' });
    await page.getByText('5 of 200 Operators ·').waitFor();
    operators = operators.map((one) => ({ ...one, status: 'READY', message: '' }));
    await page.getByText('0 of 200 Operators ·').waitFor();
    assert.equal(await page.locator('#live-status').textContent(), '200 Operators, none with an error');
    await checkAccessibility(page);
    operators = manyOperators(200);
    await page.context().close();
  });
});

describe('one Operator', () => {
  for (const javaScript of ['on', 'off'] as const) {
    it(`is asked to reconcile, and deleted only after its name was typed, with JavaScript ${javaScript}`, async () => {
      asked = [];
      const page = await open(POSTGRES, { javaScript });
      await page.getByRole('button', { name: 'Reconcile now' }).click();
      await page.getByRole('status').getByText('Reconcile requested.').waitFor();
      await page.goto(`${web.url}/operators/monitoring/metrics-operator/delete`);
      const field = page.getByLabel('Type metrics-operator to delete it', { exact: false });
      await field.fill('metrics');
      await page.getByRole('button', { name: 'Delete Metrics' }).click();
      await page.getByRole('alert').waitFor();
      assert.deepEqual(asked, ['reconcile postgres-operator']);
      await field.fill('metrics-operator');
      await page.getByRole('button', { name: 'Delete Metrics' }).click();
      await page.getByText('Deletion requested.').waitFor();
      assert.deepEqual(asked, ['reconcile postgres-operator', 'delete metrics-operator']);
      await page.context().close();
    });
  }

  it('is not deleted by a form that was opened under another policy', async () => {
    asked = [];
    const page = await open('/operators/monitoring/metrics-operator/delete', { javaScript: 'on' });
    await page.evaluate('document.querySelector("input[name=policy]").value = "Orphan"');
    await page.getByLabel('Type metrics-operator to delete it', { exact: false }).fill('metrics-operator');
    await page.getByRole('button', { name: 'Delete Metrics' }).click();
    await page.getByText('its deletion policy is Cascade now', { exact: false }).waitFor();
    assert.deepEqual(asked, []);
    await page.context().close();
  });

  it('with five hundred resources shows the first ones, and says how many are left out', async () => {
    const page = await open(`${POSTGRES}?tab=resources`, { javaScript: 'on' });
    assert.equal(await page.locator('.tree__row').count(), 500);
    await page.getByText('15 more resources not shown here', { exact: false }).waitFor();
    await page.context().close();
  });
});

it('an app whose icon does not load shows its initial in the place of it', async () => {
  const page = await open('/', { javaScript: 'off' });
  const tile = page.locator('.app-icon > img').first();
  const shown = await tile.evaluate((img) => {
    const { content, display } = img.ownerDocument.defaultView.getComputedStyle(img, '::before');
    return { content, display, loaded: img.naturalWidth > 0 };
  });
  assert.deepEqual(shown, { content: '"P"', display: 'grid', loaded: false });
  await page.context().close();
});
