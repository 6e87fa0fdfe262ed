import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { ownPerson } from '../support/own-person.ts';
import { readAuditLog } from '../support/read-audit-log.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: it is another walk through the form of an instance.

const CACHES = 'caches.samples.chandlery.dev';
const SPACE = `presets-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;

const OVERLAY = `  overlay:
    - app: ${CACHES}
      values: {spec: {evictionPolicy: noeviction}}
      locked: [spec.evictionPolicy]
`;

describe('what people do with the whole product', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, SPACE, OVERLAY);
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  const stored = async (name: string): Promise<object> =>
    objectAt((await product.api('dev-a', `${INSTANCES}/${CACHES}/${name}`)).body, 'object', 'spec');
  const auditLog = async (query: string): Promise<readonly string[]> =>
    listAt((await product.api('admin', `/audit-events?${query}`)).body, 'items').map((entry) =>
      ['user', 'action', 'target', 'outcome', 'code', 'via'].map((key) => textAt(entry, key)).join(' '),
    );
  /** What a screen reader says of a field beside its name. */
  const saidOf = async (page: Page, name: string): Promise<string> => {
    const ids = (await page.locator(`[name="${name}"]`).getAttribute('aria-describedby')) ?? '';
    const texts = await Promise.all(ids.split(' ').map(async (id) => await page.locator(`[id="${id}"]`).textContent()));
    return texts.join(' ');
  };

  it('presets, changes of them and a lock are said in the form and the review, and stored, without JavaScript', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(`/apps/${CACHES}/install?environment=${SPACE}&name=sessions`);
    await page.getByRole('button', { name: 'Use Small' }).click();
    assert.equal(await page.locator('[name="v.spec.memory"]').inputValue(), '128Mi');
    assert.match(await saidOf(page, 'v.spec.memory'), /Value from: Preset Small/);
    await page.locator('[name="v.spec.memory"]').fill('300Mi');
    await page.getByRole('button', { name: 'Use Production' }).click();
    const texts = ['v.spec.memory', 'v.spec.replicas', 'v.spec.persistence.size'];
    assert.deepEqual(await Promise.all(texts.map(async (name) => await page.locator(`[name="${name}"]`).inputValue())), [
      '300Mi',
      '3',
      '4Gi',
    ]);
    assert.match(await saidOf(page, 'v.spec.memory'), /Value from: You/);
    assert.match(await saidOf(page, 'v.spec.replicas'), /Value from: Preset Production/);
    assert.equal(await page.locator('[name="v.spec.evictionPolicy"]').isDisabled(), true);
    assert.match(await saidOf(page, 'v.spec.evictionPolicy'), new RegExp(`Value from: Environment.*Locked by the environment ${SPACE}`));
    await visitor.check();
    await page.getByRole('button', { name: 'Review first' }).click();
    const setBy = async (path: string): Promise<string | null> =>
      await page.getByRole('row').filter({ hasText: path }).getByRole('cell').last().textContent();
    assert.deepEqual(
      [await setBy('spec.memory'), await setBy('spec.replicas'), await setBy('spec.persistence.size'), await setBy('spec.evictionPolicy')],
      ['You', 'Preset Production', 'Preset Production', 'Environment'],
    );
    await visitor.check();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'sessions' }).waitFor();
    const { memory, replicas, persistence, evictionPolicy } = (await stored('sessions')) as Record<string, unknown>;
    assert.deepEqual(
      { memory, replicas, persistence, evictionPolicy },
      { memory: '300Mi', replicas: 3, persistence: { enabled: true, size: '4Gi' }, evictionPolicy: 'noeviction' },
    );
    await visitor.close();
  });

  it('of two browsers that change the same, the second learns of it, and neither loses anything', async () => {
    const [first, second] = await Promise.all(
      (['off', 'on'] as const).map(async (javaScript) => await signIn(browser, product.origin, 'dev-a', { javaScript })),
    );
    assert.ok(first && second);
    const edit = `${INSTANCES}/${CACHES}/sessions/edit`;
    await Promise.all([first.page.goto(edit), second.page.goto(edit)]);
    await first.page.locator('[name="v.spec.replicas"]').fill('2');
    await first.page.getByRole('button', { name: 'Save the change' }).click();
    await first.page.getByRole('heading', { level: 1, name: 'sessions' }).waitFor();
    await second.page.locator('[name="v.spec.memory"]').fill('400Mi');
    await second.page.getByRole('button', { name: 'Save the change' }).click();
    const notice = second.page.getByRole('alert');
    assert.match(
      (await notice.textContent()) ?? '',
      /Somebody else changed the resource meanwhile.*Nothing has been written.*replicas is now 2/s,
    );
    const shown = async (name: string): Promise<string> => await second.page.locator(`[name="${name}"]`).inputValue();
    assert.deepEqual([await shown('v.spec.replicas'), await shown('v.spec.memory')], ['2', '400Mi']);
    await second.check();
    await second.page.getByRole('button', { name: 'Save the change' }).click();
    await second.page.getByRole('heading', { level: 1, name: 'sessions' }).waitFor();
    const { memory, replicas } = (await stored('sessions')) as Record<string, unknown>;
    assert.deepEqual([memory, replicas], ['400Mi', 2]);
    await Promise.all([first.close(), second.close()]);
  });

  it('the audit log has what was done and what was rejected, for admins alone', async () => {
    const member = await ownPerson(product, `member-${RUN}`, ['team-a']);
    const stranger = await ownPerson(product, `stranger-${RUN}`, ['team-b']);
    await stranger.api(INSTANCES, { method: 'POST', body: { app: CACHES, name: 'theirs', spec: {} } });
    await member.api(INSTANCES, { method: 'POST', body: { app: CACHES, name: 'wrong', spec: { memory: 'hunter2' } } });
    const instance = `${SPACE}/${CACHES}`;
    assert.deepEqual(await auditLog(`environment=${SPACE}&text=instance`), [
      `${member.user} create instance ${instance}/wrong rejected InvalidInput api`,
      `${stranger.user} create instance ${instance}/theirs rejected NotFound api`,
      `oidc:dev-a update instance ${instance}/sessions succeeded  page`,
      `oidc:dev-a update instance ${instance}/sessions succeeded  page`,
      `oidc:dev-a create instance ${instance}/sessions succeeded  page`,
    ]);
    assert.equal((await product.api('dev-a', '/audit-events')).status, 403);
    assert.doesNotMatch(await readAuditLog(product.stateDir), /hunter2/);

    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'on' });
    await visitor.page.locator('.account > summary').click();
    await visitor.page.getByRole('link', { name: 'Audit log' }).click();
    await visitor.page.getByLabel('Person').fill(stranger.user);
    await visitor.page.getByLabel('Environment').fill(SPACE);
    await visitor.page.getByRole('button', { name: 'Search' }).click();
    assert.equal(await visitor.page.getByRole('row').filter({ hasText: 'Rejected' }).count(), 1);
    await visitor.check();
    await visitor.close();
  });
});
