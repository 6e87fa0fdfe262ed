import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { CATALOG_SOURCE } from '../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { openBrowser } from '../support/browser.ts';
import { ownPerson } from '../support/own-person.ts';
import { type Answer, until } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';
import { RUN } from '../support/run-name.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const NAME = `pages-${RUN}`;
const SOURCE = `/sources/${NAME}`;
const operator = (name: string, more = ''): string =>
  `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: ${NAME}-${name}}\nspec:\n  suspend: true\n  chart: {repoURL: https://charts.example.com, name: demo, version: 1.0.0}\n${more}`;

describe('a CatalogSource in the eyes of its admin and of others', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;
  let folder: string;
  const save = async (file: string, text: string): Promise<void> => await writeFile(join(folder, file), text);
  const admin = async (path: string, method = 'GET', body?: unknown): Promise<Answer> =>
    await product.api('admin', path, { method, ...(body === undefined ? {} : { body }) });
  const untilState = async (state: string): Promise<void> =>
    await until(async () => textAt((await admin(SOURCE)).body, 'state') === state, `it is ${state}`, 30_000);
  const untilCounted = async (faults: number): Promise<void> => {
    const line = new RegExp(`^chandlery_catalog_faults\\{source="${NAME}"\\} ${faults}$`, 'm');
    await until(async () => line.test(await (await fetch(product.metricsUrl)).text()), `the metrics have ${faults} faults of it`);
  };

  before(async () => {
    browser = await openBrowser();
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    kube = openKube(product.kubeconfigPath);
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-source-pages-'));
    await save('a.yaml', operator('a'));
    await save('b.yaml', operator('b'));
    await kube.asController().create(CATALOG_SOURCE, {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: NAME },
      spec: { folder: { path: folder } },
    });
    await until(async () => (await admin(SOURCE)).status === 200, 'it is there');
    await untilState('Synced');
  });
  after(async () => {
    await browser.close();
    await deleteWithIntent(kube.asController(), { type: CATALOG_SOURCE, object: { metadata: { name: NAME } } }).catch(() => undefined);
    await until(async () => (await admin(SOURCE)).status === 404, 'it is gone');
    await kube.close();
    await rm(folder, { recursive: true, force: true });
    await product.stop();
  });

  it('is listed with the example catalogue, and shows what it owns, with the file of each resource', async () => {
    const list = await admin(`/sources?search=${NAME}`);
    assert.deepEqual(
      listAt(list.body, 'items').map((one) => [textAt(one, 'name'), textAt(one, 'origin', 'path'), numberAt(one, 'resources')]),
      [[NAME, folder, 2]],
    );
    assert.ok((numberAt(list.body, 'total') ?? 0) >= 2);
    const inventory = await admin(`${SOURCE}/inventory?search=b.yaml`);
    assert.deepEqual(
      listAt(inventory.body, 'items').map((one) => [textAt(one, 'name'), textAt(one, 'file'), textAt(one, 'state')]),
      [[`${NAME}-b`, 'b.yaml', 'Exists']],
    );
    assert.deepEqual([numberAt(inventory.body, 'matches'), numberAt(inventory.body, 'total')], [1, 2]);
  });

  it('shows the fault of a file with its line, and what to do, and updates the open page and the metrics when it is corrected', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'on' });
    const { page } = visitor;
    await page.goto(SOURCE);
    await page.getByLabel('State').getByText('Synced').waitFor();
    await save('b.yaml', operator('b', '  colour: red\n'));
    await page.getByRole('region', { name: 'Faults' }).getByText('b.yaml:7:3').waitFor();
    await page.getByText('Correct the file at the named line.').waitFor();
    await untilCounted(1);
    await visitor.check();
    await save('b.yaml', operator('b'));
    await page.getByLabel('State').getByText('Synced').waitFor();
    await untilCounted(0);
    await page.getByRole('link', { name: 'Inventory', exact: true }).click();
    await page.getByRole('link', { name: `${NAME}-b` }).waitFor();
    await visitor.check();
    await visitor.close();
  });

  it('is synced on request, suspended and resumed, each in the audit log, and not by what somebody read before', async () => {
    const { headers } = await admin(SOURCE);
    const synced = await admin(`${SOURCE}/sync`, 'POST');
    assert.deepEqual([synced.status, synced.headers.get('location')], [202, `/api/v1${SOURCE}`]);
    await untilState('Synced');
    const old = { 'If-Match': headers.get('etag') ?? '' };
    const other = await ownPerson(product, `curator-${process.pid}`, ['platform']);
    assert.equal((await other.api(`${SOURCE}/suspension`, { method: 'POST', headers: old })).status, 412);
    assert.equal((await admin(`${SOURCE}/suspension`, 'POST')).status, 202);
    await untilState('Suspended');
    assert.equal(at((await admin(`${SOURCE}/suspension`)).body, 'suspended'), true);
    assert.equal((await admin(`${SOURCE}/suspension`, 'DELETE')).status, 202);
    await untilState('Synced');
    const log = await admin(`/audit-events?text=${NAME}`);
    const actions = listAt(log.body, 'items').map((entry) => `${textAt(entry, 'action')} ${textAt(entry, 'outcome')}`);
    assert.deepEqual(actions.toReversed(), [
      'sync source succeeded',
      'suspend source rejected',
      'suspend source succeeded',
      'resume source succeeded',
    ]);
  });

  it('takes no approval of a revision that does not wait for one', async () => {
    const rejected = await admin(`${SOURCE}/prune-approval`, 'POST', { revision: 'main@sha1:0' });
    assert.deepEqual([rejected.status, textAt(rejected.body, 'code')], [409, 'Conflict']);
    assert.match(textAt(rejected.body, 'detail') ?? '', /nothing is pending removal/);
  });

  it('rejects developers, naming the permission', async () => {
    for (const [path, verb, method = 'GET'] of [
      ['/sources', 'list'],
      [SOURCE, 'get'],
      [`${SOURCE}/inventory`, 'get'],
      [`${SOURCE}/deletion`, 'get'],
      [`${SOURCE}/sync`, 'get', 'POST'],
      [SOURCE, 'get', 'DELETE'],
    ] as const) {
      const rejected = await product.api('dev-a', path, { method });
      assert.equal(rejected.status, 403, path);
      assert.deepEqual([textAt(rejected.body, 'missing', 'verb'), textAt(rejected.body, 'missing', 'resource')], [verb, 'catalogsources']);
    }
  });

  it('is created by the form of its definition without JavaScript, with every fault at its field, and by REST', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    const name = `${NAME}-form`;
    await page.goto('/sources');
    await page.getByRole('link', { name: 'New source' }).click();
    await page.getByRole('link', { name: 'Folder', exact: true }).click();
    await page.locator('#name').fill('Not a name');
    await page.locator('[name="v.spec.folder.path"]').fill('relative');
    await page.getByRole('button', { name: 'Create the source' }).click();
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    assert.equal(await page.locator('a[href="#name"]').count(), 1);
    await visitor.check();
    await page.locator('#name').fill(name);
    await page.locator('[name="v.spec.folder.path"]').fill(join(folder, 'none'));
    await page.getByRole('button', { name: 'Review first' }).click();
    await page.getByRole('heading', { level: 1, name: `Review the source ${name}` }).waitFor();
    await page.getByText('kubectl apply --server-side').first().waitFor();
    await visitor.check();
    await page.getByRole('button', { name: 'Create the source' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await visitor.close();
    const { body } = await admin(`/sources/${name}`);
    assert.equal(textAt(body, 'origin', 'path'), join(folder, 'none'));
    const spec = { git: { url: 'https://git.example.com/a.git' }, folder: { path: '/x' } };
    const source = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: `${name}-2` }, spec };
    assert.match(textAt((await admin('/sources', 'POST', source)).body, 'detail') ?? '', /set one of folder, git and oci/);
    const denied = await product.api('dev-a', '/sources', { method: 'POST', body: source });
    assert.deepEqual([denied.status, textAt(denied.body, 'missing', 'verb')], [403, 'create']);
    await kube.asController().delete({ ...CATALOG_SOURCE, name });
  });

  it('says beside the ref which permission a preview of a private repository needs', async () => {
    const name = `${NAME}-git`;
    const spec = { suspend: true, git: { url: 'https://git.example.com/a.git', secretRef: { name } } };
    const source = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name }, spec };
    assert.equal((await admin('/sources', 'POST', source)).status, 201);
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const answer = await visitor.page.goto(`/sources/${name}/preview`);
    assert.equal(answer?.status(), 403);
    await visitor.page.getByText(`The permission to get secrets "${name}" in the namespace "chandlery-system" is missing.`).waitFor();
    await visitor.page.getByLabel('Ref').waitFor();
    await visitor.check();
    await visitor.close();
    await kube.asController().delete({ ...CATALOG_SOURCE, name });
  });

  it('is suspended, resumed and deleted in the pages without JavaScript, after its name was typed, and takes its resources with it', async () => {
    const visitor = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(SOURCE);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('status').getByText('Nothing is read or applied until you resume').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByRole('status').getByText('Sync requested.').waitFor();
    await page.getByRole('link', { name: 'Delete', exact: true }).click();
    await page.getByText('2 resources are deleted with it.').waitFor();
    await visitor.check();
    const typed = page.getByLabel(`Type ${NAME}`, { exact: false });
    await typed.fill('something else');
    await page.getByRole('button', { name: `Delete ${NAME}` }).click();
    await page.getByRole('alert').waitFor();
    assert.equal((await admin(SOURCE)).status, 200);
    await typed.fill(NAME);
    await page.getByRole('button', { name: `Delete ${NAME}` }).click();
    await until(async () => (await admin(SOURCE)).status === 404, 'it is gone');
    assert.equal((await admin(`/operators/default/${NAME}-a`)).status, 404);
    await visitor.close();
  });
});
