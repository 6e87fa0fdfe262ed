import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { deploymentTemplate, packChart } from '../support/charts.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { noteRestCall } from '../support/signals.ts';
import { signIn } from '../support/visitor.ts';
import { withJavaScript } from '../support/test-set.ts';

/** Names of the chart, of its AppDefinition, and of its kind in the singular, which begins the names of releases. */
const NOTEBOOK = `notebook${RUN}`;
const APP = `${NOTEBOOK}s.apps.chandlery.dev`;
const [HOME, OTHER] = [`notes-home-${RUN}`, `notes-other-${RUN}`];
const CHART = {
  'values.yaml': 'replicas: 1\npassword: ""\n',
  'templates/all.yaml': `${deploymentTemplate({
    replicas: '{{ .Values.replicas }}',
    container: 'web',
    image: '"example.com/notebook:{{ .Chart.Version }}"',
  })}---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-pages, annotations: {helm.sh/resource-policy: keep}}
data: {page: empty}
`,
  'templates/test.yaml': `
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-smoke, annotations: {helm.sh/hook: test}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: smoke, image: example.com/smoke}]}}}
`,
  'templates/NOTES.txt': 'Read {{ .Release.Name }} of chart {{ .Chart.Version }}',
};

describe('an instance of a chart in the pages', { timeout: 600_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    for (const version of ['1.0.0', '1.1.0']) {
      const files = { ...CHART, 'Chart.yaml': `apiVersion: v2\nname: ${NOTEBOOK}\nversion: ${version}\n` };
      await writeFile(join(product.chartsDir, `${NOTEBOOK}-${version}.tgz`), await packChart(NOTEBOOK, files));
    }
    await Promise.all([HOME, OTHER].map(async (name) => await addEnvironment(product, name)));
  });
  after(async () => {
    for (const file of [`apps/${NOTEBOOK}.yaml`, `environments/${HOME}.yaml`, `environments/${OTHER}.yaml`])
      await rm(join(product.catalogDir, file), { force: true });
    await browser.close();
    await product.stop();
  });

  const offer = async (version: string, locked = ''): Promise<void> => {
    const chart = `{repoURL: file://samples, name: ${NOTEBOOK}, version: ${version}}`;
    const names = `{kind: Notebook${RUN}, plural: ${NOTEBOOK}s, singular: ${NOTEBOOK}}`;
    const text = `apiVersion: chandlery.dev/v1alpha1\nkind: AppDefinition\nmetadata: {name: ${NOTEBOOK}}\nspec:\n  chart: ${chart}\n  names: ${names}\n  scale: {specReplicasPath: spec.values.replicas}\n  catalog: {fields: [spec.values.replicas], locked: [${locked}]}\n`;
    await addToCatalog(product, `apps/${NOTEBOOK}.yaml`, text);
    const offered = async (): Promise<boolean> => {
      const { body } = await product.api('dev-a', `/apps/${APP}`);
      return textAt(body, 'availability') === 'Available' && textAt(body, 'chartVersion') === version;
    };
    await until(offered, `notebook ${version} is offered`, 120_000);
  };
  const read = async (name: string): Promise<unknown> =>
    at((await product.api('dev-a', `/environments/${HOME}/instances/${APP}/${name}`)).body, 'object');
  const untilReleased = async (name: string, revision: number): Promise<void> => {
    const isWell = async (): Promise<boolean> => {
      const status = at(await read(name), 'status');
      const [newest] = listAt(status, 'history');
      return numberAt(newest, 'revision') === revision && at(newest, 'healthy') === true;
    };
    await until(isWell, `revision ${revision} of ${name} is healthy`, 120_000);
  };
  const untilShown = async (page: Page, text: string | RegExp): Promise<void> => {
    const isShown = async (): Promise<boolean> => {
      noteRestCall(product.stateDir, new URL(page.url()).pathname);
      await page.reload();
      return (await page.getByText(text).count()) > 0;
    };
    await until(isShown, `the page shows ${String(text)}`, 60_000);
  };

  for (const javaScript of ['on', 'off'] as const) {
    it(
      `is installed, tested, upgraded, rolled back, copied and deleted, with JavaScript ${javaScript}`,
      withJavaScript(javaScript),
      async () => {
        await offer('1.0.0');
        const name = `diary-${javaScript}`;
        const { page, check, close } = await signIn(browser, product.origin, 'dev-a', { javaScript });
        await page.goto(`/apps/${APP}/install?environment=${HOME}&name=${name}&v.spec.values.replicas=1`);
        await page.getByRole('button', { name: 'Install', exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await untilReleased(name, 1);
        await page.reload();
        await page.getByText(`Read ${NOTEBOOK}-${name} of chart 1.0.0`).waitFor();
        await check();

        await page.getByRole('link', { name: 'History', exact: true }).click();
        await page.getByRole('button', { name: 'Run the tests' }).click();
        await untilShown(page, `Revision 1: Passed: Job ${NOTEBOOK}-${name}-smoke`);
        await check();

        await offer('1.1.0');
        await until(async () => listAt(await read(name), 'status', 'versions').length === 2, 'both versions are offered', 60_000);
        await page.getByRole('link', { name: 'Change', exact: true }).click();
        assert.deepEqual(await namesInFront(page), ['v.spec.values.replicas', 'v.spec.version']);
        await page.locator('[name="v.spec.values.replicas"]').fill('2');
        await choose(page, '1.1.0');
        await check();
        await page.getByRole('button', { name: 'Review first' }).click();
        await page.getByRole('heading', { level: 1, name: `Review the change of ${name}` }).waitFor();
        assert.match((await page.locator('.diff').textContent()) ?? '', /-\s+replicas: 1[\s\S]*\+\s+replicas: 2[\s\S]*notebook:1\.1\.0/);
        await check();
        await page.getByRole('button', { name: 'Save the change' }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await untilReleased(name, 2);
        assert.equal(textAt(await read(name), 'status', 'version'), '1.1.0');

        await page.getByRole('link', { name: 'History', exact: true }).click();
        await page.getByRole('link', { name: 'Values of revision 2' }).click();
        await page.getByRole('heading', { name: 'Values of revision 2' }).waitFor();
        assert.match((await page.locator('#values table').textContent()) ?? '', /spec\.values\.replicas\s*1\s*2/);
        await check();
        await page.getByRole('link', { name: 'Roll back to revision 1' }).click();
        await page.getByRole('button', { name: 'Save the change' }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        await untilReleased(name, 3);
        const object = await read(name);
        assert.deepEqual([textAt(object, 'status', 'version'), numberAt(object, 'spec', 'values', 'replicas')], ['1.0.0', 1]);

        await page.getByRole('link', { name: 'Copy or promote' }).click();
        await check();
        await page.getByRole('link', { name: `Install a copy in ${OTHER}` }).click();
        assert.equal(await page.locator('[name="v.spec.values.replicas"]').inputValue(), '1');
        assert.equal(await page.locator(`input[name="environment"][value="${OTHER}"]`).isChecked(), true);

        await page.goto(`/environments/${HOME}/instances/${APP}/${name}`);
        await page.getByRole('link', { name: 'Scale', exact: true }).click();
        assert.equal(await page.getByLabel('Replicas').inputValue(), '1');
        await check();
        await page.getByLabel('Replicas').fill('2');
        await page.getByRole('button', { name: 'Scale' }).click();
        await untilReleased(name, 4);
        await page.goto(`/environments/${HOME}/instances/${APP}/${name}`);
        await page.getByRole('link', { name: 'Put to sleep' }).click();
        await page.getByText(`Deployment ${NOTEBOOK}-${name} is scaled from 2 replicas to 0.`).waitFor();
        await check();
        await page.getByRole('button', { name: `Put ${name} to sleep` }).click();
        await page.getByRole('button', { name: 'Wake' }).waitFor();
        assert.equal(at(await read(name), 'spec', 'sleep'), true);
        await page.getByRole('button', { name: 'Wake' }).click();
        await page.getByRole('link', { name: 'Put to sleep' }).waitFor();

        const instance = `/environments/${HOME}/instances/${APP}/${name}`;
        await product.api('dev-a', instance, { method: 'PATCH', body: { spec: { version: null, channel: '1.x' } } });
        await untilReleased(name, 5);
        assert.equal(textAt(await read(name), 'status', 'version'), '1.1.0');
        await offer('1.1.0', 'spec.values.replicas');
        await untilShown(
          page,
          new RegExp(`some values have no effect: spec\\.values\\.replicas is locked by the AppDefinition ${NOTEBOOK}`),
        );
        await page.goto(`/environments/${HOME}/resources/${APP}/${name}/scale`);
        await page.getByLabel('Replicas').fill('3');
        await page.getByRole('button', { name: 'Scale' }).click();
        await page.getByRole('link', { name: `It is locked by the AppDefinition ${NOTEBOOK}` }).waitFor();
        await check();
        await offer('1.1.0');
        await page.goto(`${instance}/edit`);
        assert.equal(await page.locator('[name="v.spec.channel"]').inputValue(), '1.x');
        await page.goto(instance);

        const soon = new Date(Date.now() + 3_600_000).toISOString();
        const body = { spec: { expires: soon } };
        await product.api('dev-a', instance, { method: 'PATCH', body });
        await untilShown(page, /^Expires on /);
        await check();
        await page.getByRole('link', { name: /^Keep it until / }).click();
        await page.getByRole('button', { name: 'Save the change' }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        const expires = Date.parse(textAt(await read(name), 'spec', 'expires') ?? '');
        assert.ok(expires > Date.parse(soon) + 7 * 86_400_000, 'a week longer');

        const replicas = numberAt(await read(name), 'spec', 'values', 'replicas');
        await page.goto(`/environments/${HOME}/instances/${APP}/${name}/delete`);
        const stays = `ConfigMap ${NOTEBOOK}-${name}-pages stays: it has the annotation helm.sh/resource-policy: keep`;
        await page.getByText(stays).waitFor();
        await page.getByText(`Deployment ${NOTEBOOK}-${name}`, { exact: true }).waitFor();
        await check();
        await page.getByRole('button', { name: `Delete ${name}` }).click();
        await until(
          async () => (await product.api('dev-a', `/environments/${HOME}/instances/${APP}/${name}`)).status === 404,
          `${name} is gone`,
          60_000,
        );
        const kept = await product.api('dev-a', `/environments/${HOME}/resources/configmaps/${NOTEBOOK}-${name}-pages`);
        assert.equal(kept.status, 200);

        const { body: records } = await product.api('dev-a', `/environments/${HOME}/deleted-instances`);
        const record = listAt(records, 'items').find((one) => textAt(one, 'name') === name);
        assert.deepEqual([textAt(record, 'deletedBy'), textAt(record, 'version')], ['oidc:dev-a', '1.1.0']);
        const outsider = await product.api('dev-b', `/environments/${HOME}/deleted-instances`);
        assert.equal(outsider.status, 404);
        await page.goto(`/environments/${HOME}`);
        await page.getByRole('heading', { name: 'Recently deleted' }).waitFor();
        await check();
        await page.getByRole('link', { name: `Restore ${name}` }).click();
        await page.getByRole('button', { name: 'Install', exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
        const restored = await read(name);
        assert.deepEqual([textAt(restored, 'spec', 'channel'), numberAt(restored, 'spec', 'values', 'replicas')], ['1.x', replicas]);
        await page.goto(`/environments/${HOME}`);
        assert.equal(await page.getByRole('link', { name: `Restore ${name}` }).count(), 0);
        await product.api('dev-a', instance, { method: 'DELETE' });
        await until(async () => (await product.api('dev-a', instance)).status === 404, `${name} is gone again`, 60_000);
        await close();
      },
    );
  }
});

/** The fields that the catalogue picked, in their order. */
async function namesInFront(page: Page): Promise<string[]> {
  const names = await page
    .locator('[name="v.spec.values.replicas"], [name="v.spec.version"]')
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('name') ?? ''));
  return [...new Set(names)];
}

/** The version of the chart, however many there are to choose from. */
async function choose(page: Page, version: string): Promise<void> {
  const select = page.locator('select[name="v.spec.version"]');
  if ((await select.count()) > 0) await select.selectOption(version);
  else await page.locator(`input[name="v.spec.version"][value="${version}"]`).check();
}
