import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { findings } from './axe.ts';

/** A browser window of one person. */
export interface Visitor {
  readonly page: Page;
  /** Fails when the page as it stands has an accessibility fault, or did not load without errors. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface VisitorOptions {
  readonly javaScript: 'on' | 'off';
  readonly colorScheme?: 'light' | 'dark';
}

/** Opens a window and signs a demo person in through the pages. */
export async function signIn(browser: Browser, origin: string, person: string, options: VisitorOptions): Promise<Visitor> {
  const context = await browser.newContext({
    javaScriptEnabled: options.javaScript === 'on',
    colorScheme: options.colorScheme ?? 'light',
    baseURL: origin,
    viewport: { width: 1280, height: 900 },
    // What moves is drawn without a graphics processor, for as long as a page is open.
    reducedMotion: 'reduce',
  });
  // As `eventually`: three lanes of tests share two cores.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // An answer such as 422 belongs to a form with a mistake; the console tells of it all the same.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      complaints.push(`${message.text()} at ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto('/');
  await page.getByRole('link', { name: /sign in/i }).click();
  await page.locator(`button[name="person"][value="${person}"]`).click();
  await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  return {
    page,
    check: async () => {
      if (options.javaScript === 'on') await checkAccessibility(page);
      assert.equal(await page.locator('h1').count(), 1, `${page.url()} has one heading of the first level`);
      assert.deepEqual(complaints, [], page.url());
    },
    close: () => context.close(),
  };
}

/** Fails when axe finds a fault on the page as it stands. */
export async function checkAccessibility(page: Page): Promise<void> {
  assert.deepEqual(await findings(page), [], `axe at ${page.url()}`);
}
