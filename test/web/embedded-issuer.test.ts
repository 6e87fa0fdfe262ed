import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { readAssets } from '../../src/web/page/assets.ts';
import { type House, openHouse } from '../http/support/house.ts';
import { findingsOf } from '../support/axe.ts';
import { openBrowser } from '../support/browser.ts';

const STATIC = new URL('../../views/static', import.meta.url).pathname;

/** A page of ours with the sign-out form, and no more. */
const HOME = '<!doctype html><title>home</title><h1>home</h1><form method="post" action="/logout"><button>Sign out</button></form>';

describe('signing in and out in Chromium', () => {
  let browser: Browser;
  let house: House;
  before(async () => {
    const assets = readAssets(STATIC);
    house = await openHouse({
      http: {
        assets: [{ path: '/', handler: assets.router }],
        routers: [{ path: '/', access: 'signed-in', handler: (_req, res) => void res.type('html').send(HOME) }],
        renderError: ({ title }) => `<!doctype html><title>${title}</title><h1>${title}</h1>`,
      },
    });
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await house.close();
  });

  const open = async (javaScriptEnabled: boolean): Promise<{ page: Page; complaints: string[] }> => {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints };
  };

  for (const [how, javaScriptEnabled] of [
    ['with JavaScript', true],
    ['without JavaScript', false],
  ] as const) {
    it(`works ${how}, and the content security policy has nothing to complain of`, async () => {
      const { page, complaints } = await open(javaScriptEnabled);
      await page.goto(`${house.origin}/apps`);
      await page.getByRole('button', { name: /Asha Rao/ }).click();
      await page.waitForURL(`${house.origin}/apps`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(`${house.origin}/signed-out`);
      assert.equal(await page.locator('h1').textContent(), 'You are signed out');
      await page.goto(`${house.origin}/apps`);
      assert.equal(await page.locator('h1').textContent(), 'Sign in as');
      assert.deepEqual(complaints, []);
      await page.context().close();
    });
  }

  it('signs out also when the issuer has forgotten the person before us', async () => {
    const { page, complaints } = await open(true);
    await page.goto(`${house.origin}/apps`);
    await page.getByRole('button', { name: /Ben Okafor/ }).click();
    await page.context().clearCookies({ name: /issuer/ });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${house.origin}/signed-out`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('is accessible: the page of demo people, light and dark', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${house.origin}/login`);
    assert.deepEqual(await findingsOf(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'nothing sticks out');
    await context.close();
  });
});
