import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { parse, parseDocument } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { openKube } from '../support/open-kube.ts';
import { CATALOG_TYPES } from '../../src/kube/watch/catalog-cache.ts';
import { callsInNamespace } from '../support/audit.ts';
import { openBrowser } from '../support/browser.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { addSource, ownEnvironment } from '../support/own-source.ts';
import { until } from '../support/product.ts';
import { sampleCrd } from '../support/sample-drafts.ts';
import { addOperator, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const { customResourceDefinitions: CRD } = CATALOG_TYPES;
const CACHES = 'caches.samples.chandlery.dev';
const SPACE = `journeys-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;
/** A team alone has it: nobody else reads what is in it. */
const ENVIRONMENT = `apiVersion: chandlery.dev/v1alpha1
kind: Environment
metadata: {name: ${SPACE}}
spec: {tier: development, groups: [{name: "oidc:team-a", role: developer}]}
`;
/** An Operator of these tests alone, and its file. */
const TOOL = `tool${RUN}`;
const { kind: TOOL_KIND, plural, group } = kindsOf(TOOL);
const TOOL_FILE = `operators/${TOOL}.yaml`;
const TOOL_OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {namespace: chandlery-system, name: ${TOOL}}
spec:
  chart: {repoURL: "file://samples", name: ${TOOL}, version: 1.0.0}
  catalog:
    displayName: Tool
    kinds:
      - kind: ${TOOL_KIND}
        fields:
          - spec.memory
`;
const SNAPSHOTS = `snapshots.run-time-${RUN}.example.com`;
const TIDES = `tides.foreign-${RUN}.example.com`;

describe('the journeys through the pages', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addToCatalog(product, `environments/${SPACE}.yaml`, ENVIRONMENT);
    await offerChart(product.chartsDir, { name: TOOL, version: '1.0.0', properties: 'memory: {type: string}' });
    await addOperator(product, { name: TOOL, text: TOOL_OPERATOR, app: `${plural}.${group}` });
    await until(async () => at((await product.api('dev-a', `/environments/${SPACE}`)).body, 'ready') === true, `${SPACE} is ready`, 60_000);
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

      await page.locator(`input[name="environment"][value="${SPACE}"]`).check();
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
        async () => replicasOf((await product.api('dev-a', `${INSTANCES}/${CACHES}/${name}`)).body) === 2,
        'two replicas are stored',
      );
      await untilShown(visitor, 'Healthy', javaScript);

      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: `Delete ${name}?` }).waitFor();
      await visitor.check();
      await page.getByRole('button', { name: `Delete ${name}` }).click();
      await page.waitForURL(new RegExp(`/environments/${SPACE}`));
      await until(async () => (await product.api('dev-a', `${INSTANCES}/${CACHES}/${name}`)).status === 404, 'it is gone');
      await visitor.close();
    });
  }

  it("shows a developer nothing of another team's, and says why an admin page is closed", async () => {
    const body = { app: CACHES, name: 'secret-caches', spec: {} };
    assert.equal((await product.api('dev-a', INSTANCES, { method: 'POST', body })).status, 201);
    const { page, check, close } = await signIn(browser, product.origin, 'dev-b', { javaScript: 'on' });
    await page.goto('/environments');
    assert.ok(!(await page.content()).includes(SPACE));
    const theirs = await page.goto(`${INSTANCES}/${CACHES}/secret-caches`);
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
    await page.locator(`main a[href="/operators/chandlery-system/${TOOL}"]`).first().click();
    await page.getByText('Established').first().waitFor({ state: 'attached' });
    await visitor.check();

    const source = await addSource(product, `faulty-${RUN}`);
    const file = `environments/${source.name}.yaml`;
    const good = ownEnvironment(source.name);
    await source.write(file, `${good}\n---\nkind: Environment\n  oops: [\n`);
    await until(async () => (await source.faults()).length > 0, 'the fault is found');
    await page.goto('/catalog/faults');
    assert.match((await page.locator('main').textContent()) ?? '', new RegExp(`${file}:\\d+`));
    await visitor.check();
    await source.write(file, good);
    await until(async () => (await source.faults()).length === 0, 'the fault is gone');
    await page.goto('/catalog/faults');
    assert.ok(!(await page.content()).includes(file));
    await visitor.check();
    await source.remove();
    await visitor.close();
  });

  it('shows an admin paths of a catalogue block that its kind does not have, with the nearest one', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await addToCatalog(product, TOOL_FILE, TOOL_OPERATOR.replace('spec.memory', 'spec.memroy'));
    const resource = `Operator chandlery-system/${TOOL}`;
    const faults = async (): Promise<readonly unknown[]> =>
      listAt((await product.api('admin', '/catalog/faults')).body, 'items').filter((one) => textAt(one, 'resource') === resource);
    await until(async () => (await faults()).length > 0, 'the fault is found', 10_000);
    const [fault] = await faults();
    const message = `${TOOL_KIND} has no field spec.memroy; did you mean spec.memory?`;
    assert.deepEqual([textAt(fault, 'field'), textAt(fault, 'message')], ['spec.catalog.kinds[0].fields[0]', message]);
    await page.goto('/catalog/faults');
    await page.getByText(message).waitFor();
    await page.getByRole('row').filter({ hasText: message }).getByText('spec.catalog.kinds[0].fields[0]').waitFor();
    await visitor.check();
    const operator = async () => (await product.api('admin', `/operators/chandlery-system/${TOOL}`)).body;
    const said = (operator: unknown): boolean =>
      listAt(operator, 'conditions').some(
        (condition) => ['type', 'status', 'reason'].map((key) => textAt(condition, key)).join(' ') === 'CatalogValid False UnknownField',
      );
    await until(async () => said(await operator()), 'its condition says so');
    assert.equal(textAt(await operator(), 'status'), 'READY');
    await addToCatalog(product, TOOL_FILE, TOOL_OPERATOR);
    await until(async () => (await faults()).length === 0, 'the fault is gone', 10_000);
    await visitor.close();
  });

  it('shows admins kinds that nobody publishes, with the entry that makes one an app, and developers neither', async () => {
    const kube = openKube(product.kubeconfigPath);
    const releaseName = `tide-${RUN}`;
    const release = { 'meta.helm.sh/release-name': releaseName, 'meta.helm.sh/release-namespace': 'monitoring' };
    const cluster = kube.asController();
    // As an operator registers one while it runs, and as somebody else's helm does.
    await cluster.create(CRD, sampleCrd(SNAPSHOTS, 'Snapshot'), { fieldManager: TOOL });
    await cluster.create(CRD, sampleCrd(TIDES, 'Tide', { annotations: release }));
    const nameOf = (draft: unknown): string => textAt(draft, 'name') ?? '';
    const allDrafts = async (): Promise<readonly unknown[]> =>
      listAt((await product.api('admin', '/catalog/drafts?limit=500')).body, 'items');
    const drafts = async () => (await allDrafts()).filter((draft) => [SNAPSHOTS, TIDES].includes(nameOf(draft)));
    const served = async () => (await drafts()).filter((draft) => at(draft, 'established') === true);
    await until(async () => (await served()).length === 2, 'the cluster serves both');
    const published = (await allDrafts()).map(nameOf).filter((name) => [group, 'samples.chandlery.dev'].some((one) => name.endsWith(one)));
    assert.deepEqual(published, []);
    const [runTime, foreign] = await drafts();
    const of = { namespace: 'chandlery-system', name: TOOL, evidence: 'FieldManager' };
    assert.deepEqual([at(runTime, 'kind'), at(runTime, 'operator')], ['Snapshot', of]);
    assert.deepEqual(at(foreign, 'origin'), { kind: 'HelmRelease', name: `monitoring/${releaseName}` });
    const made = parse(textAt(foreign, 'publication', 'yaml') ?? '') as object;
    assert.equal((await product.api('admin', '/operators?dryRun=All', { method: 'POST', body: made })).status, 200);

    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.setViewportSize({ width: 400, height: 800 });
    await page.goto(`/operators/chandlery-system/${TOOL}`);
    await page.getByRole('link', { name: 'How to publish it' }).click();
    await page.getByText(`Field manager ${TOOL}`).waitFor();
    await page.goto('/');
    await page.getByRole('link', { name: /^\d+ drafts$/ }).click();
    await page.getByText(`Helm release monitoring/${releaseName}`).waitFor();
    await page.getByText('How to publish Snapshot').focus();
    await page.keyboard.press('Enter');
    const entry = await page.getByLabel(`${TOOL_FILE} for Snapshot`).textContent();
    await visitor.check();

    const developer = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    assert.equal((await developer.page.goto('/catalog/drafts'))?.status(), 403);
    const rejected = await product.api('dev-a', '/catalog/drafts');
    assert.deepEqual([rejected.status, textAt(rejected.body, 'missing', 'resource')], [403, 'operators']);
    await developer.page.goto('/');
    const seen = [await developer.page.content(), stringifyJson((await product.api('dev-a', '/apps')).body)].join();
    assert.doesNotMatch(seen, /drafts|snapshots\.run-time/);
    await developer.close();

    const document = parseDocument(TOOL_OPERATOR);
    document.addIn(['spec', 'catalog', 'kinds'], listAt(parse(entry ?? ''), 'spec', 'catalog', 'kinds')[0]);
    await addToCatalog(product, TOOL_FILE, document.toString());
    const app = `/apps/${SNAPSHOTS}`;
    await until(async () => (await product.api('dev-a', app)).status === 200, 'it is an app', 30_000);
    assert.deepEqual(
      (await drafts()).map((draft) => at(draft, 'kind')),
      ['Tide'],
    );
    await visitor.close();
    await addToCatalog(product, TOOL_FILE, TOOL_OPERATOR);
    for (const name of [SNAPSHOTS, TIDES]) await deleteWithIntent(cluster, { type: CRD, object: { metadata: { name } } });
    let last: readonly unknown[] = [];
    const areGone = async (): Promise<boolean> => {
      const operator = await cluster.get({ ...OPERATOR, namespace: 'chandlery-system', name: TOOL });
      const found = await product.api('dev-a', app);
      const left = await drafts();
      last = [found, left, operator];
      return found.status === 404 && left.length === 0;
    };
    await until(areGone, () => `both are gone: ${stringifyJson(last)}`);
    await kube.close();
  });

  it('made every call about the things of a team in the name of one of its people', async () => {
    const { count, bare, permitted } = await callsInNamespace(product.auditLogPath, SPACE);
    assert.ok(count > 100, `${count} calls were audited`);
    assert.deepEqual(bare, []);
    // Admins, who may count the instances of all environments, do so in other tests.
    assert.deepEqual(
      permitted.filter((user) => user !== 'oidc:admin'),
      ['oidc:dev-a'],
    );
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
  assert.match((await pod.getAttribute('href')) ?? '', new RegExp(`/environments/${SPACE}/resources/pods/${name}-cache-0$`));
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
