import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { openKube } from '../support/open-kube.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { copyCacheOperator } from '../support/copy-cache-operator.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf as kindsOfChart } from '../support/operator-charts.ts';
import { type Answer, until } from '../support/product.ts';
import { addEnvironment, addOperator, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';
import { withJavaScript } from '../support/test-set.ts';

const HERE = `curated-${process.pid}`;
const INSTANCES = `/environments/${HERE}/instances`;
/** A copy of the sample Operator for caches, whose kind nobody else has instances of. */
const NAME = `locker-${process.pid}`;
const LOCKERS = { chart: NAME, singular: 'locker', plural: 'lockers', group: `${NAME}.example.com` };
const APP = `${LOCKERS.plural}.${LOCKERS.group}`;
const OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {name: ${NAME}, namespace: chandlery-system}
spec:
  chart: {repoURL: 'file://samples', name: ${NAME}, version: 0.1.0}
  targetNamespace: ${NAME}
  createNamespace: true
  catalog: {displayName: Locker}
`;
let product: SharedProduct;
let browser: Browser;
/** The path of the Operator, below `/operators`. */
const locker = `/chandlery-system/${NAME}`;

const items = (answer: Answer): readonly unknown[] => listAt(answer.body, 'items');
const kindsOf = (node: unknown): string[] => [textAt(node, 'kind') ?? '', ...listAt(node, 'children').flatMap(kindsOf)];
const admin = async (below: string, method = 'GET'): Promise<Answer> =>
  await product.api('admin', `/operators${locker}${below}`, { method });

describe('an Operator in the eyes of its admin and of others', { timeout: 300_000 }, () => {
  before(async () => {
    browser = await openBrowser();
    product = await sharedProduct();
    await copyCacheOperator(product.chartsDir, LOCKERS);
    await addEnvironment(product, HERE);
    await addOperator(product, { name: NAME, text: OPERATOR, app: APP });
    const install = { method: 'POST', body: { app: APP, name: 'sessions', spec: {} } };
    const isAllowed = async (): Promise<boolean> =>
      textAt((await product.api('dev-a', `${INSTANCES}?dryRun=All`, install)).body, 'verdict') === 'Ready';
    await until(isAllowed, 'dev-a can install a locker', 60_000);
    assert.equal((await product.api('dev-a', INSTANCES, install)).status, 201);
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  it('is counted in the metrics, with what it took of helm, the api-server and the queues', async () => {
    const text = await (await fetch(product.metricsUrl)).text();
    for (const line of [
      /^chandlery_operators\{status="READY"\} [1-9]/m,
      /^chandlery_operators\{status="ERROR"\} \d+$/m,
      /^chandlery_catalog_faults\{source="catalog"\} \d+$/m,
      /^chandlery_queue_keys\{controller="operator",state="waiting"\} \d+$/m,
      /^chandlery_reconcile_duration_seconds_count\{controller="operator",outcome="succeeded"\} [1-9]/m,
      /^chandlery_helm_duration_seconds_count\{command="(install|upgrade)",outcome="succeeded"\} [1-9]/m,
      /^chandlery_apiserver_request_duration_seconds_count\{method="PATCH",status="200"\} [1-9]/m,
      /^chandlery_issuer_reachable 1$/m,
      /^chandlery_build_info\{version="\d[^"]*",node="v24[^"]*"\} 1$/m,
    ])
      assert.match(text, line);
  });

  it('shows the admin its release as a tree, down to the pods, without a permission on Secrets', async () => {
    await until(async () => kindsOf(at((await admin('/tree')).body, 'root')).includes('Pod'), 'the admin sees the pods', 60_000);
    const { body } = await admin('/tree');
    for (const kind of ['Operator', 'Deployment', 'ReplicaSet', 'ServiceAccount', 'ClusterRole', 'CustomResourceDefinition']) {
      assert.ok(kindsOf(at(body, 'root')).includes(kind), `${kind} in ${kindsOf(at(body, 'root')).join()}`);
    }
    assert.equal(kindsOf(at(body, 'root')).filter((kind) => kind === 'ReplicaSet').length, 1, 'nothing stands twice');
    assert.ok(listAt(body, 'unreadable').includes('Secret'));
    assert.equal(at(body, 'missing'), undefined);
  });

  it('shows the admin what happened to it and to its workloads', async () => {
    const reported = async (): Promise<Set<string>> => new Set(items(await admin('/events')).map((event) => textAt(event, 'kind') ?? ''));
    await until(
      async () => (await reported()).has('Operator') && (await reported()).size > 1,
      'events of the Operator and of its workloads',
      60_000,
    );
    assert.deepEqual(listAt((await admin('/events')).body, 'missing'), []);
  });

  it('counts the instances of its kinds and names them, with their environment', async () => {
    const counted = async (): Promise<number | undefined> => {
      const found = items(await product.api('admin', `/operators?count=instances&search=${NAME}`))[0];
      return numberAt(listAt(found, 'crds')[0], 'instances');
    };
    await until(async () => (await counted()) === 1, 'its locker is counted', 60_000);
    const instance = items(await admin('/instances')).find((one) => textAt(one, 'name') === 'sessions');
    assert.deepEqual(
      ['name', 'kind', 'environment', 'app'].map((key) => textAt(instance, key)),
      ['sessions', 'Locker', HERE, APP],
    );
  });

  it('gives an admin who has no role in an environment no more than counts: no instance as a whole, no pod, no Secret', async () => {
    const kube = openKube(product.kubeconfigPath);
    const name = `curators-${process.pid}`;
    const group = `oidc:${name}`;
    const apiGroup = 'rbac.authorization.k8s.io';
    const core = (resource: string): ResourceType => ({ group: '', version: 'v1', resource });
    const lockers = { group: LOCKERS.group, version: 'v1alpha1', resource: LOCKERS.plural };
    try {
      await kube.asController().create(CLUSTER_ROLE_BINDING, {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        subjects: [{ kind: 'Group', apiGroup, name: group }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'chandlery-admin' },
      });
      const curator = kube.asActor({ user: 'oidc:cleo', groups: [group] });
      await until(
        async () => (await curator.review({ verb: 'list', group: lockers.group, resource: lockers.resource })).allowed,
        'the role is bound',
      );
      assert.equal((await curator.listMetadata(lockers)).items.length, 1);
      await assert.rejects(curator.get({ ...lockers, namespace: HERE, name: 'sessions' }), { code: 'Forbidden' });
      await assert.rejects(curator.list(core('pods'), { namespace: HERE }), { code: 'Forbidden' });
      await assert.rejects(curator.list(core('secrets')), { code: 'Forbidden' });
    } finally {
      await ifFound(kube.asController().delete({ ...CLUSTER_ROLE_BINDING, name }));
      await kube.close();
    }
  });

  it('says what deleting it would do, and what would block it, without deleting anything', async () => {
    const { body } = await admin('/deletion');
    assert.deepEqual([textAt(body, 'state'), numberAt(body, 'instances')], ['Preview', 1]);
    assert.ok(listAt(body, 'blockers').some((blocker) => textAt(blocker, 'name') === 'sessions'));
    assert.equal((await admin('')).status, 200);
  });

  it('holds and resumes it, and asks for an attempt', async () => {
    assert.equal((await admin('/suspend', 'POST')).status, 202);
    assert.equal(items(await product.api('admin', `/operators?state=Suspended&search=${NAME}`)).length, 1);
    assert.equal(at((await admin('/resume', 'POST')).body, 'suspended'), false);
    assert.equal((await admin('/reconcile', 'POST')).headers.get('location'), `/api/v1/operators${locker}`);
  });

  it('rejects developers, naming the permission, and writes nothing for them', async () => {
    for (const [below, method, verb] of [
      ['', 'GET', 'get'],
      ['/tree', 'GET', 'get'],
      ['/events', 'GET', 'get'],
      ['/instances', 'GET', 'get'],
      ['/deletion', 'GET', 'get'],
      ['/suspend', 'POST', 'get'],
      ['', 'DELETE', 'get'],
    ] as const) {
      const rejected = await product.api('dev-a', `/operators${locker}${below}`, { method });
      assert.equal(rejected.status, 403, `${method} ${below}`);
      assert.deepEqual([textAt(rejected.body, 'missing', 'verb'), textAt(rejected.body, 'missing', 'resource')], [verb, 'operators']);
    }
    assert.equal(at((await admin('')).body, 'suspended'), false);
  });

  for (const javaScript of ['on', 'off'] as const) {
    it(`can be read and held in the pages with JavaScript ${javaScript}`, withJavaScript(javaScript), async () => {
      const visitor = await signIn(browser, product.origin, 'admin', { javaScript });
      const { page } = visitor;
      await page.goto(`/operators?search=${NAME}`);
      await visitor.check();
      await page.locator(`a[href="/operators${locker}"]`).click();
      for (const tab of ['Resources', 'Events', 'Values', 'Instances', 'Overview']) {
        await page.getByRole('link', { name: tab, exact: true }).click();
        await visitor.check();
      }
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('does not reconcile this Operator until you resume it', { exact: false }).first().waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Reconcile now' }).waitFor();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByText('1 instance blocks the deletion').waitFor();
      await visitor.check();
      await visitor.close();
    });
  }

  it('installs nothing of its kinds while it is being deleted, and is gone with its last instance', async () => {
    const name = `parting${process.pid}`;
    const { plural, group } = kindsOfChart(name);
    const [app, operator] = [`${plural}.${group}`, `/operators/chandlery-system/${name}`];
    await offerChart(product.chartsDir, { name, version: '1.0.0' });
    const chart = `{repoURL: 'file://samples', name: ${name}, version: 1.0.0}`;
    const text = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: ${name}, namespace: chandlery-system}\nspec: {deletionPolicy: Cascade, chart: ${chart}}\n`;
    await addOperator(product, { name, text, app });
    const create = async (instance: string, query = ''): Promise<Answer> =>
      await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: { app, name: instance, spec: {} } });
    assert.equal((await create('kept')).status, 201);
    const kube = openKube(product.kubeconfigPath);
    const kept = { group, version: 'v1', resource: plural, namespace: HERE, name: 'kept' };
    const held = async (finalizers: readonly string[] | null): Promise<unknown> =>
      await kube.asController().patch(kept, { type: 'merge', body: { metadata: { finalizers } } });
    await held(['example.com/hold']);
    await rm(join(product.catalogDir, 'operators', `${name}.yaml`));
    assert.equal((await product.api('admin', operator, { method: 'DELETE' })).status, 202);
    // It waits for the instance.
    const blocked = async (): Promise<string> =>
      textAt((await create('late', '?dryRun=All')).body, 'findings', 'blocked', 0, 'message') ?? '';
    await until(async () => (await blocked()).includes(`its Operator chandlery-system/${name} is being deleted`), 'it is blocked', 30_000);
    const rejected = await create('late');
    assert.deepEqual([rejected.status, textAt(rejected.body, 'code')], [409, 'OperatorDeleting']);
    assert.equal((await product.api('dev-a', `${INSTANCES}/${app}/late`)).status, 404);
    await held(null);
    await kube.close();
    await until(async () => (await product.api('admin', operator)).status === 404, 'it is gone', 60_000);
  });
});
