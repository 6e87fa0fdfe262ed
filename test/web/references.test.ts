import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { type OwnPerson, ownPerson } from '../support/own-person.ts';
import { addSource } from '../support/own-source.ts';
import { until } from '../support/product.ts';
import { addEnvironment, addOperator, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';

const LEDGERS = 'ledgers.test.example.com';

const SPACE = `books-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${LEDGERS}}
spec:
  group: test.example.com
  scope: Namespaced
  names: {kind: Ledger, plural: ledgers}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                adminPassword: {type: string, minLength: 8, maxLength: 40}
                passwordSecretRef:
                  type: object
                  required: [name, key]
                  properties:
                    name: {type: string, minLength: 1}
                    key: {type: string, minLength: 1}
                storageClassName: {type: string}
                ledgerRef:
                  type: object
                  properties:
                    name: {type: string}
                entries: {type: integer, maximum: 5}
                settingsFrom:
                  type: object
                  properties:
                    kind: {type: string, enum: [ConfigMap, Secret]}
                    name: {type: string}
                issuerRef:
                  type: object
                  properties:
                    name: {type: string}
                    kind: {type: string}
                    group: {type: string}
                summary: {type: string}
`;

const OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {namespace: chandlery-system, name: ledger}
spec:
  name: ledger-operator
  chart: {repoURL: "file://samples", name: ledger-operator, version: 0.1.0}
  targetNamespace: ledger-operator
  createNamespace: true
  catalog:
    displayName: Ledger
    kinds:
      - kind: Ledger
        displayName: Ledger
        references: {spec.summary: {kind: ConfigMap}}
`;

describe('references to other objects', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let kube: Kube;
  /** Somebody who may install the app, and nothing else. */
  let limited: OwnPerson;
  const core = (resource: string) => ({ group: '', version: 'v1', resource });

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    const chart = join(product.chartsDir, 'ledger-operator');
    await mkdir(join(chart, 'crds'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: ledger-operator\nversion: 0.1.0\n');
    await writeFile(join(chart, 'crds', 'ledgers.yaml'), CRD);
    limited = await ownPerson(product, `limited-${RUN}`);
    await addEnvironment(product, SPACE);
    await addOperator(product, { name: 'ledger', text: OPERATOR, app: LEDGERS });
    kube = openKube(product.kubeconfigPath);
    const admin = kube.asController();
    const metadata = (name: string) => ({ name, namespace: SPACE });
    const stringData = { password: 'swordfish-9', username: 'orders' };
    await admin.create(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: metadata('orders-db'), stringData });
    await admin.create(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: metadata('users-db'), stringData });
  });
  after(async () => {
    await browser.close();
    await kube.close();
    await product.stop();
  });

  it('are listed over REST with keys and without data, as far as somebody may list them', async () => {
    const path = `/environments/${SPACE}/choices`;
    const { status, body } = await product.api('dev-a', `${path}/secrets?search=orders`);
    assert.equal(status, 200);
    assert.deepEqual(listAt(body, 'items'), [{ name: 'orders-db', keys: ['password', 'username'] }]);
    assert.doesNotMatch(stringifyJson(body), /swordfish|c3dvcmRmaXNo/);

    const classes = (await product.api('dev-a', `${path}/storageclasses.storage.k8s.io`)).body;
    assert.deepEqual(
      listAt(classes, 'items').map((item) => textAt(item, 'name')),
      ['kwok-volume'],
    );
    assert.equal(textAt((await product.api('dev-a', `${path}/nodes`)).body, 'missing', 'resource'), 'nodes');
    assert.equal(at((await product.api('dev-a', `${path}/nothing.example.com`)).body, 'served'), false);
    assert.equal((await product.api('dev-b', `${path}/secrets`)).status, 404);
  });

  it('are offered in the form without JavaScript, and nothing that was typed is lost on the way', async () => {
    const { page, visitor } = await openInstall('picked');
    assert.deepEqual(await offered(page, 'v.spec.passwordSecretRef.name'), ['orders-db', 'users-db']);
    assert.deepEqual(await offered(page, 'v.spec.storageClassName'), ['kwok-volume']);
    await page.locator('[name="v.spec.passwordSecretRef.name"]').fill('orders-db');
    await page.locator('[name="v.spec.storageClassName"]').fill('anything-goes');
    await press(page, /^Update choices/);
    assert.deepEqual(await offered(page, 'v.spec.passwordSecretRef.key'), ['password', 'username']);
    assert.equal(await page.locator('[name="v.spec.storageClassName"]').inputValue(), 'anything-goes');
    await page.locator('[name="v.spec.passwordSecretRef.key"]').fill('password');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    // A class that is not there is no mistake yet, so it is said once.
    await page.getByText('there is no StorageClass').first().waitFor();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'picked' }).waitFor();
    assert.deepEqual(await specOf('picked'), {
      passwordSecretRef: { name: 'orders-db', key: 'password' },
      storageClassName: 'anything-goes',
    });
    await page.goto(`${INSTANCES}/${LEDGERS}/picked/edit`);
    assert.deepEqual(await offered(page, 'v.spec.ledgerRef.name'), ['picked']);
    await visitor.close();
  });

  it('are chosen together with their kind, in one act and without JavaScript', async () => {
    const data = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain-settings', namespace: SPACE }, data: { a: 'b' } };
    await kube.asController().create(core('configmaps'), data);
    const { page, visitor } = await openInstall('kinds');
    const list = page.getByLabel('Choose a ConfigMap or a Secret for Name');
    const groups = await list.locator('optgroup').evaluateAll((all) => all.map((one) => one.getAttribute('label')));
    assert.deepEqual(groups, ['ConfigMap', 'Secret']);
    await list.selectOption('Secret/orders-db');
    await press(page, /^Update choices/);
    assert.equal(await page.locator('[name="v.spec.settingsFrom.name"]').inputValue(), 'orders-db');
    assert.equal(await list.inputValue(), '');
    await list.selectOption('ConfigMap/plain-settings');
    await page.getByText('This cluster has no Issuer. This cluster has no ClusterIssuer.').waitFor();
    assert.ok((await offered(page, 'v.spec.summary')).includes('plain-settings'), 'what the catalogue says that the field names');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'kinds' }).waitFor();
    assert.deepEqual(await specOf('kinds'), { settingsFrom: { kind: 'ConfigMap', name: 'plain-settings' } });
    await visitor.close();
  });

  it('that the catalogue writes wrongly are a fault of its file, with its line', async () => {
    const source = await addSource(product, `wrong-${RUN}`);
    const wrong = OPERATOR.replaceAll('ledger', 'wrong').replace('{spec.summary: {kind', '{summary: {kind');
    await source.write('operators/wrong.yaml', wrong);
    await until(async () => (await source.faults()).length > 0, 'the fault is reported', 60_000);
    const faults = listAt((await product.api('admin', '/catalog/faults')).body, 'items');
    const [fault] = faults.filter((one) => textAt(one, 'source') === source.name);
    assert.deepEqual(
      [textAt(fault, 'file'), at(fault, 'line')],
      ['operators/wrong.yaml', wrong.split('\n').findIndex((line) => line.includes('references')) + 1],
    );
    assert.match(textAt(fault, 'message') ?? '', /each key is the path of a field/);
    await source.remove();
  });

  it('may be made with the instance over REST, which then owns them', async () => {
    const spec = { passwordSecretRef: { name: 'made-db', key: 'password' } };
    const body = { app: LEDGERS, name: 'made', spec, secrets: [{ name: 'made-db', key: 'password' }] };
    const dry = await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body });
    assert.equal(textAt(dry.body, 'verdict'), 'Ready');
    assert.match(textAt(dry.body, 'findings', 'created', 0, 'message') ?? '', new RegExp(`^Secret made-db in the namespace ${SPACE}`));
    assert.equal(await secretOf('made-db'), undefined);

    assert.equal((await product.api('dev-a', INSTANCES, { method: 'POST', body })).status, 201);
    const made = await secretOf('made-db');
    assert.equal(Buffer.from(textAt(made, 'data', 'password') ?? '', 'base64').length, 32);
    assert.equal(textAt(made, 'metadata', 'labels', 'chandlery.dev/instance'), 'made');
    assert.equal(textAt(made, 'metadata', 'ownerReferences', 0, 'kind'), 'Ledger');
    const again = await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body: { ...body, name: 'other' } });
    assert.equal(textAt(again.body, 'verdict'), 'Blocked');
    assert.match(textAt(again.body, 'faults', 0, 'message') ?? '', /There is a Secret "made-db" already/);
  });

  it('that were made do not outlive an instance that is rejected, and nobody reads their value', async () => {
    const secrets = [{ name: 'orphan', key: 'password', value: 'swordfish-7' }];
    const body = { app: LEDGERS, name: 'rejected', spec: { entries: 9 }, secrets };
    const dry = await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body: { ...body, spec: {} } });
    assert.match(textAt(dry.body, 'commands', 'kubectl') ?? '', /printf %s "\$VALUE" \| kubectl create secret generic orphan/);
    const rejected = await product.api('dev-a', INSTANCES, { method: 'POST', body });
    assert.equal(rejected.status, 422);
    assert.equal(await secretOf('orphan'), undefined);
    const seen = stringifyJson([dry.body, rejected.body]) + (await readFile(product.auditLogPath, 'utf8'));
    assert.doesNotMatch(seen, /swordfish-7|c3dvcmRmaXNoLTc/);
  });

  it('cannot be made by somebody who may not write Secrets, who learns which permission that takes', async () => {
    const body = { app: LEDGERS, name: 'no-right', spec: {}, secrets: [{ name: 'no-right', key: 'password' }] };
    await letInstallOnly(limited);
    const { body: dry } = await limited.api(`${INSTANCES}?dryRun=All`, { method: 'POST', body });
    assert.equal(textAt(dry, 'verdict'), 'Blocked');
    assert.deepEqual(listAt(dry, 'missing'), [{ verb: 'create', group: '', resource: 'secrets', namespace: SPACE }]);
    const choices = (await limited.api(`/environments/${SPACE}/choices/secrets`)).body;
    assert.equal(textAt(choices, 'missing', 'resource'), 'secrets');
  });

  it('are made with the instance from the form without JavaScript: a password is generated, stored and referred to', async () => {
    const { page, visitor } = await openInstall('generated');
    await press(page, /^Create a new Secret/);
    assert.equal(await page.locator('[name="v.spec.passwordSecretRef.name"]').inputValue(), 'generated-password');
    assert.equal(await page.locator('[name="v.spec.passwordSecretRef.key"]').inputValue(), 'password');
    await page.getByRole('button', { name: 'Review first' }).click();
    await page.getByText(`Secret generated-password in the namespace ${SPACE}`).waitFor();
    assert.equal(await secretOf('generated-password'), undefined);
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'generated' }).waitFor();
    assert.deepEqual(await specOf('generated'), { passwordSecretRef: { name: 'generated-password', key: 'password' } });
    const made = await secretOf('generated-password');
    assert.equal(Buffer.from(textAt(made, 'data', 'password') ?? '', 'base64').length, 32);
    assert.equal(textAt(made, 'metadata', 'ownerReferences', 0, 'name'), 'generated');
    await visitor.close();
  });

  it('get a value that was typed, which no page holds and the review asks for again', async () => {
    const { page, visitor } = await openInstall('typed');
    const value = page.locator('[name="w.spec.passwordSecretRef.name"]');
    await press(page, /^Create a new Secret/);
    await value.fill('swordfish-5');
    await press(page, /^Update choices/);
    assert.doesNotMatch(await page.content(), /swordfish-5/);
    assert.ok(await page.getByLabel('Type a value').isChecked());
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByText('it has to be typed again each time').first().waitFor();
    await value.fill('swordfish-5');
    await page.getByRole('button', { name: 'Review first' }).click();
    await page.getByLabel('Value of the new Secret typed-password').waitFor();
    assert.doesNotMatch(await page.content(), /swordfish-5/);
    await value.fill('swordfish-6');
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor();
    const stored = textAt(await secretOf('typed-password'), 'data', 'password') ?? '';
    assert.equal(Buffer.from(stored, 'base64').toString(), 'swordfish-6');
    await visitor.close();
  });

  it('are not needed where a secret stands in the values: one is made up, and shown once', async () => {
    const { page, visitor } = await openInstall('inline');
    await press(page, /^Generate/);
    const password = await page.locator('[name="v.spec.adminPassword"]').inputValue();
    assert.equal(password.length, 32);
    assert.doesNotMatch(page.url(), /v\.spec/);
    await page.getByText('Show the generated value').click();
    await page.getByText(password, { exact: true }).waitFor();
    await press(page, /^Update choices/);
    assert.equal(await page.getByText('Show the generated value').count(), 0);
    await visitor.close();
  });

  it('are masked in the logs of its pods, when a program writes a secret of the instance', async () => {
    const body = { app: LEDGERS, name: 'chatty', spec: { adminPassword: 'trustno1-abcd' } };
    const { body: made } = await product.api('dev-a', INSTANCES, { method: 'POST', body });
    const owner = {
      apiVersion: 'test.example.com/v1',
      kind: 'Ledger',
      name: 'chatty',
      uid: textAt(made, 'object', 'metadata', 'uid') ?? '',
    };
    const metadata = { name: 'chatty-0', namespace: SPACE, ownerReferences: [owner] };
    const spec = { containers: [{ name: 'main', image: 'registry.example.com/trustno1-abcd:1' }] };
    await kube.asController().create(core('pods'), { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    const lines = async (): Promise<readonly unknown[]> =>
      listAt((await product.api('dev-a', `${INSTANCES}/${LEDGERS}/chatty/logs`)).body, 'lines');
    await until(async () => (await lines()).length === 1, 'the pod has written its line', 60_000);
    assert.match(textAt((await lines())[0], 'text') ?? '', /no program of the image registry\.example\.com\/\[secret\]:1 runs/);
    const { status, body: denied } = await limited.api(`${INSTANCES}/${LEDGERS}/chatty/logs`);
    assert.deepEqual([status, textAt(denied, 'missing', 'resource')], [403, 'pods'], 'somebody who may read the instance and no pods');
  });

  /** Gives a person the sight of the environment and the App's instances there, and nothing else. */
  async function letInstallOnly(person: OwnPerson): Promise<void> {
    const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const bind = async (kind: 'ClusterRoleBinding' | 'RoleBinding', role: string): Promise<void> => {
      const isWhole = kind === 'ClusterRoleBinding';
      const object = {
        apiVersion,
        kind,
        metadata: { name: `test-${role}`, ...(isWhole ? {} : { namespace: SPACE }) },
        subjects: [{ kind: 'User', apiGroup: rbac.group, name: person.user }],
        roleRef: { kind: 'ClusterRole', apiGroup: rbac.group, name: role },
      };
      await kube.asController().create({ ...rbac, resource: `${kind.toLowerCase()}s` }, object);
    };
    await bind('ClusterRoleBinding', `chandlery-environment-${SPACE}`);
    await bind('RoleBinding', `chandlery-app-${LEDGERS}-edit`);
    const list = async (): Promise<number> => (await person.api(INSTANCES)).status;
    await until(async () => (await list()) === 200, 'the permissions are given', 30_000);
  }

  async function secretOf(name: string): Promise<unknown> {
    return await kube
      .asController()
      .get({ ...core('secrets'), namespace: SPACE, name })
      .catch(() => undefined);
  }

  async function openInstall(name: string): Promise<{ page: Page; visitor: Visitor }> {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    await visitor.page.goto(`/apps/${LEDGERS}/install?environment=${SPACE}&name=${name}`);
    return { page: visitor.page, visitor };
  }

  async function press(page: Page, name: RegExp): Promise<void> {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Install Ledger' }).waitFor();
  }

  async function specOf(name: string): Promise<unknown> {
    return at((await product.api('dev-a', `${INSTANCES}/${LEDGERS}/${name}`)).body, 'object', 'spec');
  }
});

/** What an input offers to choose from. */
async function offered(page: Page, name: string): Promise<readonly string[]> {
  const list = await page.locator(`[name="${name}"]`).getAttribute('list');
  const options = await page.locator(`#${list} option`).evaluateAll((found) => found.map((option) => option.getAttribute('value')));
  return textsAt({ options }, 'options');
}
