import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { at } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: it is another walk through the form of an instance.

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const SPACE = `controls-${RUN}`;

describe('controls of their own', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, SPACE);
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  it('say without JavaScript when a schedule runs, find one of many choices, and install what was meant', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    const schedule = page.locator('[name="v.spec.backup.schedule"]');
    const zone = page.locator('[name="v.spec.timeZone"]');
    await page.goto(`/apps/${POSTGRES}/install?environment=${SPACE}&v.spec.storage.size=1Gi`);
    await page.locator('#name').fill('scheduled');
    await page.getByText('By default: At 02:00 every day.').waitFor();
    await schedule.fill('nightly');
    await page.getByRole('button', { name: /^Show when it runs/ }).click();
    await page.getByText('A schedule has five parts', { exact: false }).waitFor();

    await schedule.fill('30 1 * * 1');
    await page.getByRole('button', { name: /^Show when it runs/ }).click();
    await page.getByText('At 01:30, only on Monday.').waitFor();
    assert.equal(await page.locator('#f-spec-backup-schedule-note time').count(), 3);
    assert.match((await schedule.getAttribute('aria-describedby')) ?? '', /f-spec-backup-schedule-note/);
    await visitor.check();

    await page.locator('summary', { hasText: 'All fields' }).click();
    await zone.fill('Mars');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByText('"Mars" is not one of the 40 choices: choose one of the list').first().waitFor();
    assert.equal(await zone.inputValue(), 'Mars');
    assert.equal(await page.locator(`datalist#${await zone.getAttribute('list')} option`).count(), 40);
    await visitor.check();
    await zone.fill('europe/berlin');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'scheduled' }).waitFor();

    const { body } = await product.api('dev-a', `/environments/${SPACE}/instances/${POSTGRES}/scheduled`);
    assert.equal(at(body, 'object', 'spec', 'timeZone'), 'Europe/Berlin');
    assert.equal(at(body, 'object', 'spec', 'backup', 'schedule'), '30 1 * * 1');
    await visitor.close();
  });

  it('say it without a button where there is JavaScript, and leave the rest of the form alone', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    const { page } = visitor;
    await page.goto(`/apps/${POSTGRES}/install?environment=${SPACE}`);
    const schedule = page.locator('[name="v.spec.backup.schedule"]');
    await schedule.fill('*/15 9-17 * * mon-fri');
    await page.locator('#name').fill('later');
    await page.getByText('Every 15 minutes, between 09:00 and 17:59, Monday through Friday.').waitFor();
    assert.equal(await page.locator('#name').inputValue(), 'later');
    await schedule.fill('');
    await schedule.blur();
    await page.getByText('By default: At 02:00 every day.').waitFor();
    await visitor.check();
    await visitor.close();
  });
});
