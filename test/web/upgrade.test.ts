import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { APPROVED_UPGRADE } from '../../src/domain/upgrade/upgrade-approval.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { OPERATOR as OPERATORS } from '../../src/domain/kubernetes/resource-types.ts';
import { openBrowser } from '../support/browser.ts';
import { offerChart } from '../support/offer-chart.ts';
import { RUN } from '../support/run-name.ts';
import { type Answer, until } from '../support/product.ts';
import { addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const NAME = `anvil${RUN}`;
const OPERATOR = `/operators/chandlery-system/${NAME}`;
const SLOW_MS = 120_000;

describe('an upgrade through the pages and over REST', { timeout: 500_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await offerChart(product.chartsDir, { name: NAME, version, image: version });
    await writeCatalog(product, 'Hits things');
    kube = openKube(product.kubeconfigPath);
    await until(async () => (await version()) === '1.0.0', '1.0.0 is installed', SLOW_MS);
  });
  after(async () => {
    await browser.close();
    await kube.close();
    await product.stop();
  });

  async function read(): Promise<unknown> {
    return (await product.api('admin', OPERATOR)).body;
  }

  async function version(): Promise<string | undefined> {
    const operator = await read();
    return textAt(operator, 'status') === 'READY' ? textAt(operator, 'chart', 'version') : undefined;
  }

  async function preview(who: string, wanted = ''): Promise<Answer> {
    return await product.api(who, `${OPERATOR}/upgrade-preview${wanted === '' ? '' : `?version=${wanted}`}`);
  }

  it('is rejected for who is no admin', async () => {
    const [read, write] = [await preview('dev-a'), await product.api('dev-a', `${OPERATOR}/approval`, approval('1.1.0'))];
    assert.deepEqual([read.status, write.status], [403, 403]);
    assert.equal(textAt(read.body, 'missing', 'resource'), 'operators');
  });

  it('is previewed and approved over REST', async () => {
    const { status, body } = await preview('admin', '1.1.0');
    assert.equal(status, 200);
    assert.equal(textAt(body, 'timing', 'step'), 'AwaitingApproval');
    assert.deepEqual(listAt(body, 'availableVersions'), ['1.2.0', '1.1.0']);
    const digest = textAt(body, 'to', 'digest') ?? '';
    const rejected = await product.api('admin', `${OPERATOR}/approval`, approval('1.0.0'));
    assert.deepEqual([rejected.status, at(rejected.body, 'code')], [409, 'ApprovalInvalid']);
    const approved = await product.api('admin', `${OPERATOR}/approval`, approval('1.1.0', digest));
    assert.equal(approved.status, 202);
    assert.equal(approved.headers.get('location'), `/api/v1${OPERATOR}`);
    await until(async () => (await version()) === '1.1.0', '1.1.0 is installed', SLOW_MS);
  });

  it('keeps its approval when the source of the Operator changes something else', async () => {
    await writeCatalog(product, 'Hits things harder');
    const object = async (): Promise<KubeObject> => kube.asController().get({ ...OPERATORS, namespace: 'chandlery-system', name: NAME });
    const summary = async (): Promise<boolean> => textAt(await object(), 'spec', 'catalog', 'summary') === 'Hits things harder';
    await until(summary, 'the source has applied the file', SLOW_MS);
    assert.match((await object()).metadata.annotations?.[APPROVED_UPGRADE] ?? '', /^1\.1\.0@sha256:/);
    assert.equal(await version(), '1.1.0');
  });

  it('is looked at on its page, which is accessible', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'on', colorScheme });
      await visitor.page.goto(`${OPERATOR}/upgrade`);
      await visitor.page.getByRole('heading', { level: 1, name: 'Upgrade Anvil to 1.2.0' }).waitFor();
      await visitor.check();
      await visitor.close();
    }
  });

  it('is approved on its page without JavaScript, by a link from the page of the Operator', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(OPERATOR);
    await page
      .getByRole('link', { name: /^Upgrade preview/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Upgrade Anvil to 1.2.0' }).waitFor();
    await page.locator('summary', { hasText: 'Deployment' }).click();
    await page.getByText('+        - image: example.com/operator:1.2.0').waitFor();
    await page.getByRole('button', { name: 'Approve 1.2.0' }).click();
    await page.getByText('1.2.0 is approved').waitFor();
    await visitor.check();
    await until(async () => (await version()) === '1.2.0', '1.2.0 is installed', SLOW_MS);
    await visitor.close();
  });
});

function approval(version: string, digest?: string): { method: string; body: object } {
  return { method: 'POST', body: { version, ...(digest === undefined ? {} : { digest }) } };
}

async function writeCatalog(product: SharedProduct, summary: string): Promise<void> {
  const text = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {name: ${NAME}, namespace: chandlery-system}
spec:
  chart: {repoURL: 'file://samples', name: ${NAME}, version: 1.0.0}
  upgrade: {range: ^1}
  catalog: {displayName: Anvil, summary: ${summary}}
`;
  await addToCatalog(product, `operators/${NAME}.yaml`, text);
}
