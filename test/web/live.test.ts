import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { type SampleWeb, startSampleWeb } from '../support/sample-web.ts';

const ORDERS = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders';

describe('a page that keeps itself up to date', () => {
  let browser: Browser;
  let web: SampleWeb;
  before(async () => {
    browser = await openBrowser();
    web = await startSampleWeb();
  });
  after(async () => {
    await browser.close();
    await web.stop();
  });

  const visit = async (
    prepare: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ viewport: { width: 400, height: 800 } });
    await context.addCookies([{ name: 'chandlery', value: 'dev-a', url: web.url }]);
    const page = await context.newPage();
    await prepare(page);
    await page.goto(`${web.url}${ORDERS}`);
    return { context, page };
  };

  it('says for all to see that it is not, when the session has too many streams, and works all the same', async () => {
    const leave = new AbortController();
    const headers = { cookie: 'chandlery=dev-a' };
    const streams = Array.from({ length: 10 }, async () => await fetch(`${web.url}${ORDERS}/stream`, { headers, signal: leave.signal }));
    for (const { status } of await Promise.all(streams)) assert.equal(status, 200);
    const { context, page } = await visit();
    const notice = page.getByRole('status').filter({ hasText: 'Live updates have stopped. Refresh the page to see changes.' });
    await notice.waitFor();
    const { width = 0 } = (await notice.boundingBox()) ?? {};
    assert.ok(width > 100, `the notice is ${width} px wide`);
    if (process.env.SHOTS !== undefined) await page.screenshot({ path: `${process.env.SHOTS}/live-stopped.png` });
    await page.getByRole('link', { name: 'Refresh' }).click();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    leave.abort();
    await context.close();
  });

  it('lets its ages grow, whatever the clock of the browser says', async () => {
    const { context, page } = await visit(async (fresh) => {
      await fresh.route('**/stream*', async (route) => await route.abort());
      await fresh.clock.install({ time: '2001-01-01T00:00:00Z' });
    });
    const time = page.locator('time[data-age]').first();
    const seconds = Number(await time.getAttribute('data-age'));
    const days = (later: number): string => `${Math.floor((seconds + later) / 86_400)} d`;
    assert.equal(await time.textContent(), days(0));
    await page.clock.fastForward((75 * 3600 + 1) * 1000);
    assert.equal(await time.textContent(), days(75 * 3600 + 1));
    await context.close();
  });

  it('goes to the sign-in when its session has ended, and back from there', async () => {
    const { context, page } = await visit();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    web.signOutAll();
    const signIn = await page.waitForRequest((request) => new URL(request.url()).pathname === '/login', { timeout: 15_000 });
    assert.equal(new URL(signIn.url()).searchParams.get('return'), ORDERS);
    await context.close();
  });
});
