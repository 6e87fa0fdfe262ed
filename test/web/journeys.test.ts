import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { parse, parseDocument } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { createKube } from '../../src/kube/kube.ts';
import { CATALOG_TYPES } from '../../src/kube/watch/catalog-cache.ts';
import { callsInNamespace } from '../support/audit.ts';
import { openBrowser } from '../support/browser.ts';
import { sampleCrd } from '../support/sample-drafts.ts';
import { until } from '../support/product.ts';
import { replaceFile } from '../support/replace-file.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';

const { customResourceDefinitions: CRD } = CATALOG_TYPES;
const CACHES = 'caches.samples.chandlery.dev';

describe('the journeys through the pages', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  /** Where the audit log of the api-server began for these tests. */
  let since: number;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    since = (await stat(product.auditLogPath)).size;
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  for (const javaScript of ['on', 'off'] as const) {
    it(`lets a developer find, install, watch, change and delete an app, with JavaScript ${javaScript}`, async () => {
      const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript });
      const { page } = visitor;
      const name = `orders-${javaScript}`;
      await visitor.check();

      await page.getByRole('searchbox').fill('cache');
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/search=cache/);
      await page.getByRole('link', { name: 'Cache', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Cache' }).waitFor();
      await visitor.check();
      await page
        .getByRole('link', { name: /^Install/ })
        .first()
        .click();
      await page.getByRole('heading', { level: 1, name: 'Install Cache' }).waitFor();
      await visitor.check();

      await page.locator('input[name="environment"][value="team-a"]').check();
      await page.getByLabel('Name', { exact: true }).fill('Not A Name');
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
      await visitor.check();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Review first' }).click();
      await page.getByRole('heading', { level: 1, name: /^Review/ }).waitFor();
      await page.getByText('kubectl apply').first().waitFor({ state: 'attached' });
      await visitor.check();
      await page.getByRole('button', { name: 'Install', exact: true }).click();

      await page.getByRole('heading', { level: 1, name }).waitFor();
      await untilShown(visitor, 'Healthy', javaScript);
      await visitor.check();
      await walkTabs(visitor, name);

      await page.getByRole('link', { name: 'Change' }).click();
      await page.getByRole('heading', { level: 1, name: `Change ${name}` }).waitFor();
      await visitor.check();
      await page.locator('[name="v.spec.replicas"]').fill('2');
      await page.getByRole('button', { name: 'Save the change' }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await until(
        async () => replicasOf((await product.api('dev-a', `/environments/team-a/instances/${CACHES}/${name}`)).body) === 2,
        'two replicas are stored',
      );
      await untilShown(visitor, 'Healthy', javaScript);

      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: `Delete ${name}?` }).waitFor();
      await visitor.check();
      await page.getByRole('button', { name: `Delete ${name}` }).click();
      await page.waitForURL(/\/environments\/team-a/);
      await until(
        async () => (await product.api('dev-a', `/environments/team-a/instances/${CACHES}/${name}`)).status === 404,
        'it is gone',
      );
      await visitor.close();
    });
  }

  it("shows a developer nothing of another team's, and says why an admin page is closed", async () => {
    const body = { app: CACHES, name: 'secret-caches', spec: {} };
    assert.equal((await product.api('dev-a', '/environments/team-a/instances', { method: 'POST', body })).status, 201);
    const { page, check, close } = await signIn(browser, product.origin, 'dev-b', { javaScript: 'on' });
    await page.goto('/environments');
    assert.ok(!(await page.content()).includes('team-a'));
    const theirs = await page.goto(`/environments/team-a/instances/${CACHES}/secret-caches`);
    const nobodys = await page.goto(`/environments/team-x/instances/${CACHES}/secret-caches`);
    assert.deepEqual([theirs?.status(), nobodys?.status()], [404, 404]);
    const closed = await page.goto('/operators');
    assert.equal(closed?.status(), 403);
    assert.match((await page.locator('main').textContent()) ?? '', /list.*operators/i);
    assert.equal(await page.getByRole('link', { name: 'Operators' }).count(), 0);
    await page.goto('/');
    await check();
    await close();
  });

  it('shows an admin the operators, and each fault of the catalogue with file and line', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'on', colorScheme: 'dark' });
    const { page } = visitor;
    assert.equal((await page.goto('/releases'))?.status(), 200);
    await page.getByRole('link', { name: 'Operators' }).click();
    await page.waitForURL('**/operators');
    assert.ok((await page.getByText('Ready').count()) > 0);
    await visitor.check();
    await page.locator('main a[href^="/operators/chandlery-system/"]').first().click();
    await page.getByText('Established').first().waitFor({ state: 'attached' });
    await visitor.check();

    const file = join(product.catalogDir, 'environments', 'team-a.yaml');
    const good = await readFile(file, 'utf8');
    await replaceFile(file, `${good}\n---\nkind: Environment\n  oops: [\n`);
    await until(async () => listAt((await product.api('admin', '/catalog/faults')).body, 'items').length > 0, 'the fault is found');
    await page.goto('/catalog/faults');
    assert.match((await page.locator('main').textContent()) ?? '', /environments\/team-a\.yaml/);
    await visitor.check();
    await replaceFile(file, good);
    await until(async () => listAt((await product.api('admin', '/catalog/faults')).body, 'items').length === 0, 'the fault is gone');
    await page.goto('/catalog/faults');
    await visitor.check();
    await visitor.close();
  });

  it('shows an admin paths of a catalogue block that its kind does not have, with the nearest one', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    const file = join(product.catalogDir, 'operators', 'cache.yaml');
    const good = await readFile(file, 'utf8');
    await replaceFile(file, good.replace('- spec.memory\n', '- spec.memroy\n'));
    const faults = async () => listAt((await product.api('admin', '/catalog/faults')).body, 'items');
    await until(async () => (await faults()).length > 0, 'the fault is found', 10_000);
    const [fault] = await faults();
    const message = 'Cache has no field spec.memroy; did you mean spec.memory?';
    const reported = ['resource', 'field', 'message'].map((key) => textAt(fault, key));
    assert.deepEqual(reported, ['Operator chandlery-system/cache', 'spec.catalog.kinds[0].fields[0]', message]);
    await page.goto('/catalog/faults');
    await page.getByText(message).waitFor();
    await page.getByText('spec.catalog.kinds[0].fields[0]').waitFor();
    await visitor.check();
    const operator = async () => (await product.api('admin', '/operators/chandlery-system/cache')).body;
    const said = (operator: unknown): boolean =>
      listAt(operator, 'conditions').some(
        (condition) => ['type', 'status', 'reason'].map((key) => textAt(condition, key)).join(' ') === 'CatalogValid False UnknownField',
      );
    await until(async () => said(await operator()), 'its condition says so');
    assert.equal(textAt(await operator(), 'status'), 'READY');
    await replaceFile(file, good);
    await until(async () => (await faults()).length === 0, 'the fault is gone', 10_000);
    await visitor.close();
  });

  it('shows admins kinds that nobody publishes, with the entry that makes one an app, and developers neither', async () => {
    const kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'chandlery-test' });
    const release = { 'meta.helm.sh/release-name': 'tide', 'meta.helm.sh/release-namespace': 'monitoring' };
    const cluster = kube.asController();
    // As an operator registers one while it runs, and as somebody else's helm does.
    await cluster.create(CRD, sampleCrd('snapshots.run-time.example.com', 'Snapshot'), { fieldManager: 'cache-operator' });
    await cluster.create(CRD, sampleCrd('tides.foreign.example.com', 'Tide', { annotations: release }));
    const drafts = async () => listAt((await product.api('admin', '/catalog/drafts')).body, 'items');
    await until(async () => (await drafts()).every((draft) => at(draft, 'established') === true), 'the cluster serves them');
    const [runTime, foreign, ...others] = await drafts();
    assert.deepEqual(others, []);
    const of = { namespace: 'chandlery-system', name: 'cache', evidence: 'FieldManager' };
    assert.deepEqual([at(runTime, 'kind'), at(runTime, 'operator')], ['Snapshot', of]);
    assert.deepEqual(at(foreign, 'origin'), { kind: 'HelmRelease', name: 'monitoring/tide' });
    const made = parse(textAt(foreign, 'publication', 'yaml') ?? '') as object;
    assert.equal((await product.api('admin', '/operators?dryRun=All', { method: 'POST', body: made })).status, 200);

    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.setViewportSize({ width: 400, height: 800 });
    await page.goto('/operators/chandlery-system/cache');
    await page.getByRole('link', { name: 'How to publish it' }).click();
    await page.getByText('Field manager cache-operator').waitFor();
    await page.goto('/');
    await page.getByRole('link', { name: '2 drafts' }).click();
    await page.getByText('Helm release monitoring/tide').waitFor();
    await page.getByText('How to publish Snapshot').focus();
    await page.keyboard.press('Enter');
    const entry = await page.getByLabel('operators/cache.yaml for Snapshot').textContent();
    await visitor.check();

    const developer = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    assert.equal((await developer.page.goto('/catalog/drafts'))?.status(), 403);
    const rejected = await product.api('dev-a', '/catalog/drafts');
    assert.deepEqual([rejected.status, textAt(rejected.body, 'missing', 'resource')], [403, 'operators']);
    await developer.page.goto('/');
    const seen = [await developer.page.content(), stringifyJson((await product.api('dev-a', '/apps')).body)].join();
    assert.doesNotMatch(seen, /drafts|snapshots\.run-time/);
    await developer.close();

    const file = join(product.catalogDir, 'operators', 'cache.yaml');
    const document = parseDocument(await readFile(file, 'utf8'));
    const before = document.toString();
    document.addIn(['spec', 'catalog', 'kinds'], listAt(parse(entry ?? ''), 'spec', 'catalog', 'kinds')[0]);
    await replaceFile(file, document.toString());
    const app = '/apps/snapshots.run-time.example.com';
    await until(async () => (await product.api('dev-a', app)).status === 200, 'it is an app', 30_000);
    assert.deepEqual(
      (await drafts()).map((draft) => at(draft, 'kind')),
      ['Tide'],
    );
    await visitor.close();
    await replaceFile(file, before);
    for (const name of ['snapshots.run-time.example.com', 'tides.foreign.example.com']) await cluster.delete({ ...CRD, name });
    let last: readonly unknown[] = [];
    const areGone = async (): Promise<boolean> => {
      const operator = await cluster.get({ ...OPERATOR, namespace: 'chandlery-system', name: 'cache' });
      const found = await product.api('dev-a', app);
      const left = await drafts();
      last = [found, left, operator];
      return found.status === 404 && left.length === 0;
    };
    await until(areGone, () => `both are gone: ${stringifyJson(last)}`);
    await kube.close();
  });

  it('made every call about the things of a team in the name of one of its people', async () => {
    const { count, bare, users } = await callsInNamespace(product.auditLogPath, 'team-a', since);
    assert.ok(count > 100, `${count} calls were audited`);
    assert.deepEqual(bare, []);
    assert.deepEqual(users, ['oidc:dev-a']);
  });

  it('signs out here and at the issuer', async () => {
    const { page, close } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'on' });
    await page.locator('details.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor();
    await page.goto('/environments');
    await page.getByRole('heading', { level: 1, name: 'Sign in as' }).waitFor();
    await close();
  });
});

/** Every tab of an Instance that is healthy, and back to its overview. */
async function walkTabs({ page, check }: Visitor, name: string): Promise<void> {
  const textOf = async (selector: string): Promise<string> => (await page.locator(selector).textContent()) ?? '';
  await page.getByRole('link', { name: 'Resources', exact: true }).click();
  await page.getByLabel('Kind', { exact: true }).waitFor();
  assert.match(await textOf('.tree'), /StatefulSet[\s\S]*Pod/);
  await check();
  await page.getByRole('link', { name: 'Graph', exact: true }).click();
  const pod = page.getByRole('region', { name: 'Resource graph' }).getByRole('link', { name: `Pod ${name}-cache-0 Healthy` });
  await pod.focus();
  assert.match((await pod.getAttribute('href')) ?? '', new RegExp(`/environments/team-a/resources/pods/${name}-cache-0$`));
  await check();
  await page.getByLabel('Kind', { exact: true }).selectOption('Secret');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText(/\d+ of \d+ resources match/).waitFor();
  assert.equal(await page.getByRole('link', { name: /^Pod / }).count(), 0);
  assert.equal(new URL(page.url()).searchParams.get('view'), 'graph');
  await page.getByRole('link', { name: 'Workloads', exact: true }).click();
  assert.match(
    await textOf('.table--workloads'),
    new RegExp(`StatefulSet ${name}-cache[\\s\\S]*Complete[\\s\\S]*100 %[\\s\\S]*1 of 1 ready`),
  );
  await check();
  const logs = await page.getByRole('link', { name: `Logs of ${name}-cache-0` }).getAttribute('href');
  assert.match(logs ?? '', new RegExp(`/logs\\?pod=${name}-cache-0$`));
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('heading', { level: 2, name: 'Versions' }).waitFor();
}

/** With JavaScript the page follows by itself; without, the visitor presses Refresh. */
async function untilShown({ page }: Visitor, word: string, javaScript: 'on' | 'off'): Promise<void> {
  const banner = page.locator('.health-banner');
  if (javaScript === 'on') {
    await banner.getByText(word, { exact: true }).waitFor({ timeout: 90_000 });
    return;
  }
  await until(
    async () => {
      if ((await banner.getByText(word, { exact: true }).count()) > 0) return true;
      await page.getByRole('link', { name: 'Refresh' }).click();
      return false;
    },
    `the page says ${word}`,
    90_000,
  );
}

function replicasOf(instance: unknown): unknown {
  return (instance as { object?: { spec?: { replicas?: unknown } } }).object?.spec?.replicas;
}
