import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { textAt } from '../../src/domain/core/read.ts';
import { openKube } from '../support/open-kube.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { whileDead } from '../support/dead-webhook.ts';
import { signIn } from '../support/visitor.ts';

const CACHES = 'caches.samples.chandlery.dev';
const SPACE = `narrow-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;
const WEBHOOK = `cache-check-${RUN}`;
/** The webhook checks caches whose names begin so. */
const HOOKED = `hooked-${RUN}`;
const LIMIT_RANGES = { group: '', version: 'v1', resource: 'limitranges' };
const RIVAL = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {namespace: chandlery-system, name: rival}
spec:
  name: rival
  chart: {repoURL: "file://charts", name: cache-operator, version: 0.1.0}
  targetNamespace: rival
  createNamespace: true
`;

describe('the check before anything is written, without JavaScript', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, SPACE);
    const kube = openKube(product.kubeconfigPath);
    const metadata = { name: 'small', namespace: SPACE };
    const spec = { limits: [{ type: 'Container', max: { memory: '2Gi' } }] };
    await kube.asController().create(LIMIT_RANGES, { apiVersion: 'v1', kind: 'LimitRange', metadata, spec });
    await kube.close();
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  it('stops once at pods that a limit range will reject, and then installs all the same', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(`/apps/${CACHES}/install?environment=${SPACE}&name=wide&v.spec.memory=4Gi`);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Review wide' }).waitFor();
    await page.getByText('memory 4Gi is above the limit of 2Gi for a container (LimitRange small)').waitFor();
    await page.getByText(`Cache wide in the namespace ${SPACE}`).waitFor();
    await visitor.check();
    assert.equal((await product.api('dev-a', `${INSTANCES}/${CACHES}/wide`)).status, 404);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'wide' }).waitFor();
    const { body } = await product.api('dev-a', `${INSTANCES}/${CACHES}/wide`);
    assert.equal(textAt(body, 'object', 'spec', 'memory'), '4Gi');

    await page.goto(`${INSTANCES}/${CACHES}/wide/delete`);
    await page.getByRole('heading', { name: 'Will be deleted' }).waitFor();
    await page.getByText('Cache wide', { exact: true }).waitFor();
    await visitor.check();
    await visitor.close();
  });

  it('keeps the form when a webhook does not answer, and names the Operator that brought it', async () => {
    const kube = openKube(product.kubeconfigPath);
    const clientConfig = { service: { name: 'cache-operator-webhook', namespace: 'cache-operator' } };
    const dead = { name: WEBHOOK, clientConfig, timeoutSeconds: 2, group: 'samples.chandlery.dev', objects: HOOKED };
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    const draft = { app: CACHES, name: HOOKED, spec: { memory: '1Gi' } };
    await whileDead(kube.asController(), { ...dead, release: 'cache-operator/cache-operator' }, async () => {
      const post = async (query: string) => await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: draft });
      await until(async () => textAt((await post('?dryRun=All')).body, 'verdict') === 'Blocked', 'the api-server knows the webhook');
      const { status, body } = await post('');
      assert.deepEqual([status, textAt(body, 'code')], [409, 'WebhookUnavailable']);
      await page.goto(`/apps/${CACHES}/install?environment=${SPACE}&name=${HOOKED}&v.spec.memory=1Gi`);
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      const reported = page.getByText(`webhook "${WEBHOOK}.example.com" of the ValidatingWebhookConfiguration ${WEBHOOK} does not answer`);
      await reported.first().waitFor();
      assert.match((await reported.first().textContent()) ?? '', /It belongs to the Operator chandlery-system\/cache/);
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), HOOKED);
      assert.equal(await page.locator('[name="v.spec.memory"]').inputValue(), '1Gi');
      await visitor.check();
    });
    await kube.close();
    await visitor.close();
  });

  it('shows a viewer over REST which permission is missing to delete, and the smallest grant', async () => {
    const path = `${INSTANCES}/${CACHES}/wide?dryRun=All`;
    const { status, body } = await product.api('admin', path, { method: 'DELETE' });
    assert.deepEqual([status, textAt(body, 'verdict')], [200, 'Blocked']);
    assert.match(textAt(body, 'remedies', 0, 'kubectl') ?? '', /^kubectl create rolebinding .*chandlery-app-caches/);
    assert.equal((await product.api('dev-a', path.split('?')[0] ?? '')).status, 200);
  });

  it('shows an admin what stands against a new Operator', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto('/operators');
    await page.getByRole('link', { name: 'New Operator' }).click();
    await page.getByRole('heading', { level: 1, name: 'New Operator' }).waitFor();
    await visitor.check();
    await page.getByLabel('Resource (YAML)').fill(RIVAL);
    await page.getByRole('button', { name: 'Check it' }).click();
    await page
      .getByText(`CustomResourceDefinition ${CACHES}: the Operator "chandlery-system/cache" owns it; remove one of the two`)
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create it' }).count(), 0);
    assert.equal(await page.getByLabel('Resource (YAML)').inputValue(), RIVAL);
    await visitor.check();
    await visitor.close();
  });
});
