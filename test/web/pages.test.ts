import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { AppError } from '../../src/domain/core/errors.ts';
import type { InstanceView } from '../../src/domain/instance/instance.ts';
import { findings, findingsOf } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';
import { sampleEvents, sampleInstances, sampleLargeTree, sampleTree } from '../support/sample-instances.ts';
import { FIRST_STATES } from '../support/first-states.ts';
import { SAMPLE_PAGES } from '../support/sample-pages.ts';
import { TEST_SET } from '../support/test-set.ts';
import { sampleWorkloads } from '../support/sample-workloads.ts';
import { type SampleWeb, startSampleWeb } from '../support/sample-web.ts';

/** What is folded away must be as good as the rest. */
const OPEN_ALL = 'for (const details of document.querySelectorAll("main details")) details.open = true';
const ORDERS = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders';

let gone = false;
let health: InstanceView['health'] = { status: 'Progressing', message: '1 of 3 servers is ready.' };
let web: SampleWeb;
let browser: Browser;
before(async () => {
  browser = await openBrowser();
  const [sample] = sampleInstances('team-a') as readonly [InstanceView];
  web = await startSampleWeb();
  live = await startSampleWeb({
    readInstance: async () => {
      if (gone) throw new AppError('NotFound', 'orders: it is gone');
      return {
        instance: sample,
        tree: sampleTree({ ...sample, health }),
        workloads: sampleWorkloads(sample),
        events: sampleEvents(sample),
      };
    },
  });
});
after(async () => {
  await browser.close();
  await Promise.all([web.stop(), live.stop()]);
});
let live: SampleWeb;

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

async function visit(
  who: string,
  options: ContextOptions = {},
  url = web.url,
): Promise<{ context: BrowserContext; page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: false, ...options });
  if (who !== '') await context.addCookies([{ name: 'chandlery', value: who, url }]);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  return { context, page, faults };
}

describe('every page', () => {
  // A new window compiles axe and everything else again, so there is one a person, and one for copies of the pages, which axe looks at.
  const windows = new Map<string, ReturnType<typeof visit>>();
  const windowOf = async (who: string): ReturnType<typeof visit> => {
    const known = windows.get(who) ?? visit(who === 'copy' ? '' : who, { reducedMotion: 'reduce' });
    windows.set(who, known);
    return await known;
  };
  before(async () => {
    await (await windowOf('copy')).page.goto(web.url);
  });
  after(async () => {
    for (const { context } of await Promise.all(windows.values())) await context.close();
  });

  for (const { path, who } of TEST_SET === 'all' ? SAMPLE_PAGES : FIRST_STATES) {
    test(`${path} for ${who === '' ? 'nobody' : who} is accessible, fits 320 pixels, and breaks no policy`, async () => {
      const [{ page, faults }, copy] = await Promise.all([windowOf(who), windowOf('copy')]);
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(web.url + path);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.equal(overflow, 0, `${overflow} px too wide`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(OPEN_ALL);
      await copy.page.setContent((await page.content()).replaceAll(/<script\b[^]*?<\/script>/g, ''));
      assert.deepEqual(await findingsOf(copy.page), []);
      assert.deepEqual([faults.splice(0), copy.faults.splice(0)], [[], []]);
    });
  }
});

test('typing into the search filters at once, and the address follows', async () => {
  const { context, page } = await visit('dev-a');
  await page.goto(`${web.url}/`);
  await page.getByLabel('Search the catalogue').pressSequentially('moodle');
  await page.getByText('1 of 4 apps').waitFor();
  assert.equal(new URL(page.url()).search, '?search=moodle');
  assert.equal(await page.getByRole('article').count(), 1);
  assert.equal(await page.getByLabel('Search the catalogue').evaluate((input) => input === input.ownerDocument.activeElement), true);
  await context.close();
});

test('without JavaScript the same search is a button away', async () => {
  const { context, page } = await visit('dev-a', { javaScriptEnabled: false });
  await page.goto(`${web.url}/`);
  await page.getByLabel('Search the catalogue').fill('moodle');
  await page.getByRole('button', { name: 'Search' }).click();
  assert.equal(await page.getByRole('article').count(), 1);
  assert.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0);
  await context.close();
});

test('a command is copied by its button', async () => {
  const { context, page } = await visit('dev-a', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${web.url}${ORDERS}/delete`);
  await page.getByRole('button', { name: 'Copy With kubectl' }).click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  assert.equal(copied, 'kubectl delete postgresclusters.samples.chandlery.dev orders --namespace team-a');
  await context.close();
});

test('the page of a broken instance says why in its first sentence, and names what that affects', async () => {
  const { context, page } = await visit('dev-a', { javaScriptEnabled: false });
  await page.goto(`${web.url}${ORDERS.replace(/orders$/, 'archive')}`);
  const banner = await page.getByRole('region', { name: 'Health' }).textContent();
  assert.match(banner ?? '', /Degraded\s+Pod archive-0 cannot be scheduled: insufficient memory/);
  const why = page.getByRole('region', { name: 'Why' });
  assert.match((await why.textContent()) ?? '', /Pod\s+archive-0 cannot be scheduled: insufficient memory for \d+ \w+/);
  assert.match((await why.getByRole('listitem').first().textContent()) ?? '', /StatefulSet\s+archive 2 of 3 pods are ready/);
  assert.equal(await why.locator('time').getAttribute('datetime'), '2026-11-18T09:30:00Z');
  await context.close();
});

test('the account menu opens and closes by keyboard', async () => {
  const { context, page } = await visit('admin');
  await page.goto(`${web.url}/`);
  const menu = page.locator('summary', { hasText: 'Ada Min' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
  assert.equal(await menu.evaluate((summary) => summary === summary.ownerDocument.activeElement), true);
  await context.close();
});

test('the first Tab leads past the navigation', async () => {
  const { context, page } = await visit('dev-a');
  await page.goto(`${web.url}/environments`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.id'), 'main');
  await context.close();
});

test('the page of an instance follows what happens until it is gone, and says so to a screen reader', async () => {
  const { context, page } = await visit('dev-a', {}, live.url);
  health = { status: 'Progressing', message: '1 of 3 servers is ready.' };
  await page.goto(live.url + ORDERS);
  await page.getByLabel('Health').getByText('1 of 3 servers is ready.').waitFor();
  health = { status: 'Healthy', message: '' };
  await page.getByLabel('Health').getByText('All of its resources are healthy.').waitFor({ timeout: 10_000 });
  assert.equal(await page.locator('#live-status').textContent(), 'Healthy');
  gone = true;
  await page.getByRole('status').getByText('orders is being deleted').waitFor({ timeout: 10_000 });
  assert.equal(new URL(page.url()).pathname, '/environments/team-a');
  await context.close();
});

test('the summary of what is wrong has the focus, and its links lead to the fields', async () => {
  const { context, page } = await visit('dev-a');
  await page.goto(`${web.url}/apps/postgresclusters.samples.chandlery.dev/install`);
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'error-summary');
  await page.getByRole('link', { name: 'Enter a name' }).click();
  assert.equal(await page.evaluate('document.activeElement.id'), 'name');
  assert.deepEqual(await findings(page), []);
  await context.close();
});

test('of a tree of ten thousand resources at most 600 are on the page, as a list and as a graph', async (context) => {
  const [sample] = sampleInstances('team-a') as readonly [InstanceView];
  const tree = sampleLargeTree(sample, 2_000);
  const large = await startSampleWeb({
    readInstance: async () => ({ instance: sample, tree, workloads: [], events: [] }),
  });
  context.after(async () => await large.stop());
  const { context: browserContext, page } = await visit('dev-a', {}, large.url);
  context.after(async () => await browserContext.close());
  for (const query of ['', '?view=graph', `?view=graph&expanded=${encodeURIComponent(tree.root.uid)}`]) {
    await page.goto(`${large.url}${ORDERS}/resources${query}`);
    const shown = await page.locator('.tree__row, .graph__box').count();
    assert.ok(shown > 0 && shown <= 600, `${query}: ${shown}`);
  }
});
