import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const CACHES = 'caches.samples.chandlery.dev';
const SPACE = `logged-${RUN}`;
const INSTANCE = `/environments/${SPACE}/instances/${CACHES}/talkative`;

describe('the logs of an instance', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, SPACE);
    const body = { app: CACHES, name: 'talkative', spec: { replicas: 1 } };
    assert.equal((await product.api('dev-a', `/environments/${SPACE}/instances`, { method: 'POST', body })).status, 201);
    await until(async () => (await sources()).length === 1, 'its container has written something');
  });
  after(async () => {
    await product.api('dev-a', INSTANCE, { method: 'DELETE' });
    await browser.close();
    await product.stop();
  });

  const logs = async (query = ''): Promise<unknown> => (await product.api('dev-a', `${INSTANCE}/logs${query}`)).body;
  const sources = async (query = ''): Promise<string[]> =>
    listAt(await logs(query), 'lines').map((line) => `${textAt(line, 'pod')} ${textAt(line, 'container')}`);

  it('are read over REST by pod, container and word; what is not there is named', async () => {
    assert.deepEqual(await sources('?pod=talkative-cache-0&container=valkey&search=SIMULATES'), ['talkative-cache-0 valkey']);
    assert.deepEqual(await sources('?search=nothing-like-that'), []);
    const notices = listAt(await logs('?previous=true'), 'notices');
    assert.deepEqual(
      notices.map((notice) => textAt(notice, 'message')),
      ['previous terminated container "valkey" in pod "talkative-cache-0" not found'],
    );
    const wrong = [
      ['?pod=other-0', 404, /pod "other-0": there is no such pod here/],
      ['?container=other', 404, /container "other": no pod here has it/],
      ['?lines=2001', 422, /"lines" must be <= 2000/],
    ] as const;
    for (const [query, status, detail] of wrong) {
      const answer = await product.api('dev-a', `${INSTANCE}/logs${query}`);
      assert.equal(answer.status, status);
      assert.match(textAt(answer.body, 'detail') ?? '', detail);
    }
    assert.equal((await product.api('dev-b', `${INSTANCE}/logs`)).status, 404);
  });

  it('are searched and downloaded without JavaScript', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(INSTANCE);
    await page.getByRole('link', { name: 'Logs' }).click();
    const log = page.getByRole('region', { name: 'Log' });
    assert.match((await log.textContent()) ?? '', /The embedded cluster simulates this container/);
    await visitor.check();
    await page.getByLabel('Search').fill('no such word');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await page.getByText('None of the lines read contains “no such word”.').count(), 1);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Before the last restart').check();
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await page.getByText('None of these logs can be read now.').count(), 1);
    await visitor.check();
    await page.getByText('With kubectl').click();
    assert.equal(
      await page.locator('pre').textContent(),
      `kubectl logs talkative-cache-0 --namespace ${SPACE} --all-containers --tail 200 --timestamps --previous`,
    );
    await page.goto(`${INSTANCE}/logs`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
    assert.equal(file.suggestedFilename(), 'talkative.log');
    assert.match(await readFile(await file.path(), 'utf8'), /^\d{4}-\S+Z talkative-cache-0 valkey The embedded cluster simulates .*\n$/);
    await visitor.close();
  });

  it('of an Operator are what its controller writes, for admins', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto('/operators/chandlery-system/cache');
    await page.getByRole('link', { name: 'Logs' }).click();
    // Whatever it has written since: other tests have caches, too.
    await page.getByLabel('Lines').selectOption('2000');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/lines=2000/);
    assert.match((await page.getByRole('region', { name: 'Log' }).textContent()) ?? '', /"operator":"cache-operator".*Operator started/);
    await visitor.check();
    await visitor.close();
    const denied = await product.api('dev-a', '/operators/chandlery-system/cache/logs');
    assert.equal(denied.status, 403);
  });

  it('come by themselves, also those of a pod that is new, while somebody follows', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    const { page } = visitor;
    await page.goto(`${INSTANCE}/logs`);
    await page.getByRole('link', { name: 'Follow' }).click();
    await page.getByRole('link', { name: 'Stop following' }).waitFor();
    const { body } = await product.api('dev-a', INSTANCE, { method: 'PATCH', body: { spec: { replicas: 2 } } });
    assert.equal(objectAt(body, 'object', 'spec')['replicas'], 2);
    await page.getByText('talkative-cache-1 valkey').waitFor({ timeout: 60_000 });
    await visitor.check();
    await visitor.close();
  });
});
