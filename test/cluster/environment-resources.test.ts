import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { POD, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { until } from '../support/product.ts';
import { addEnvironment, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const ENVIRONMENT = `ci-${process.pid}`;
const PRODUCTION = `prod-${process.pid}`;
/** Names that no other environment of the tier board has: apps of one name are compared between tiers, whoever made them. */
const [APP, VISITS] = [`shop-${process.pid}`, `visits-${process.pid}`];
const RESOURCES = `/environments/${ENVIRONMENT}/resources`;
const CACHES = 'caches.samples.chandlery.dev';
const DEPLOYMENTS: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };
const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };

describe('the resources of an environment', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    await addEnvironment(
      product,
      ENVIRONMENT,
      "  quota: {count/pods: '20', requests.memory: 4Gi}\n  limitRange: [{type: Container, defaultRequest: {memory: 64Mi}}]\n",
    );
    kube = openKube(product.kubeconfigPath, { userAgent: 'ci' });
    await kube.asController().create(DEPLOYMENTS, shop(ENVIRONMENT, 'registry.example.com/shop:1'));
    await kube.asController().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: ENVIRONMENT, labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } },
      data: { mode: 'fast' },
    });
    const made = await product.api('dev-a', `/environments/${ENVIRONMENT}/instances`, {
      method: 'POST',
      body: { app: CACHES, name: VISITS, spec: {} },
    });
    assert.equal(made.status, 201, stringifyJson(made.body));
  });
  after(async () => {
    await kube.asController().delete({ ...POD, namespace: ENVIRONMENT, name: 'too-big' });
    await kube.close();
    await product.stop();
  });

  const timeline = async (query = '', person = 'dev-a'): Promise<string[]> => {
    const { status, body } = await product.api(person, `/environments/${ENVIRONMENT}/timeline?limit=500${query}`);
    assert.equal(status, 200, stringifyJson(body));
    return listAt(body, 'items').map((item) =>
      [
        textAt(item, 'kind'),
        textAt(item, 'subject', 'kind'),
        textAt(item, 'subject', 'name'),
        textAt(item, 'message'),
        textAt(item, 'who'),
      ].join(' '),
    );
  };

  const rows = async (query = '', person = 'dev-a'): Promise<string[]> => {
    const { status, body } = await product.api(person, `${RESOURCES}${query}`);
    assert.equal(status, 200, stringifyJson(body));
    return listAt(body, 'items').map((item) => {
      const [owner, app] = [textAt(item, 'owner', 'name') ?? '-', textAt(item, 'instance', 'app') ?? '-'];
      return `${textAt(item, 'resource')} ${textAt(item, 'health', 'status') ?? '-'} ${owner} ${app} ${textAt(item, 'managedBy', 'tool')}`;
    });
  };

  it('are there regardless of who made them, with health, owner and manager', async () => {
    await until(
      async () => (await rows()).filter((row) => row === 'pods Healthy shop - GitLab').length === 2,
      'the pods of the Deployment run',
      60_000,
    );
    const cache = async (): Promise<boolean> => (await rows()).includes(`${CACHES} Healthy - ${CACHES} FieldManager`);
    await until(cache, 'the cache is healthy', 60_000);
    const all = await rows();
    for (const row of [
      'deployments.apps Healthy - - GitLab',
      'replicasets.apps Healthy shop - GitLab',
      'configmaps - - - Flux',
      `statefulsets.apps Healthy ${VISITS} ${CACHES} FieldManager`,
      `secrets - ${VISITS} ${CACHES} FieldManager`,
      `rolebindings.rbac.authorization.k8s.io - ${ENVIRONMENT} - Chandlery`,
    ]) {
      assert.ok(all.includes(row), `${row} is none of\n${all.join('\n')}`);
    }
  });

  it('are filtered, counted and paged', async () => {
    assert.deepEqual(await rows('?resource=deployments.apps'), ['deployments.apps Healthy - - GitLab']);
    assert.deepEqual(await rows('?managedBy=Flux&health=None'), ['configmaps - - - Flux']);
    const { body } = await product.api('dev-a', `${RESOURCES}?managedBy=GitLab&limit=2`);
    assert.equal(listAt(body, 'items').length, 2);
    assert.equal(numberAt(body, 'total'), 4);
    assert.equal(listAt(body, 'counts').find((one) => textAt(one, 'resource') === 'deployments.apps') !== undefined, true);
    const rest = await product.api('dev-a', `${RESOURCES}?managedBy=GitLab&limit=2&after=${textAt(body, 'next')}`);
    assert.equal(listAt(rest.body, 'items').length, 2);
    assert.equal(textAt(rest.body, 'next'), undefined);
    assert.equal((await product.api('dev-a', `${RESOURCES}?health=Green`)).status, 422);
  });

  it('are grouped by labels and inventory, and an empty list says why', async () => {
    assert.deepEqual(await rows('?inventory=apps&resource=configmaps'), ['configmaps - - - Flux']);
    assert.equal((await rows('?labelSelector=app%20in%20(shop),pod-template-hash&resource=pods')).length, 2);
    const why = async (query: string): Promise<unknown> => {
      const { body } = await product.api('dev-a', `${RESOURCES}?${query}`);
      return [textAt(body, 'empty', 'reason'), textAt(body, 'empty', 'missing', 'resource')];
    };
    assert.deepEqual(await why('release=none'), ['NoMatch', undefined]);
    assert.deepEqual(await why('resource=boats.example.com'), ['NotServed', undefined]);
    assert.deepEqual(await why('resource=operators.operatorcontroller.kubeplus'), ['NotServed', undefined]);
    const bad = await product.api('dev-a', `${RESOURCES}?labelSelector=a%20b`);
    assert.deepEqual([bad.status, textAt(listAt(bad.body, 'errors')[0], 'field')], [422, 'labelSelector'], stringifyJson(bad.body));
  });

  it('of a Helm release include what its manifest names and does not exist, for who may read the release', async () => {
    const manifest = ['ConfigMap gone', 'ConfigMap there', 'ClusterRole shop-reader']
      .map((text) => text.split(' '))
      .map(
        ([kind, name]) =>
          `---\napiVersion: ${kind === 'ConfigMap' ? 'v1' : 'rbac.authorization.k8s.io/v1'}\nkind: ${kind}\nmetadata: {name: ${name}}\n`,
      )
      .join('');
    const record = gzipSync(JSON.stringify({ name: 'mail', config: { password: 'hunter2' }, manifest })).toString('base64');
    const labels = { owner: 'helm', name: 'mail', status: 'deployed', version: '2' };
    const annotations = { 'meta.helm.sh/release-name': 'mail', 'meta.helm.sh/release-namespace': ENVIRONMENT };
    await kube.asController().create(SECRET, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'sh.helm.release.v1.mail.v2', namespace: ENVIRONMENT, labels },
      type: 'helm.sh/release.v1',
      stringData: { release: record },
    });
    await kube.asController().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'there', namespace: ENVIRONMENT, annotations },
    });
    const read = async (person: string): Promise<unknown> => (await product.api(person, `${RESOURCES}?release=mail`)).body;
    const namesOf = (body: unknown): string[] =>
      listAt(body, 'items').map((one) => `${textAt(one, 'kind')} ${textAt(one, 'name')} ${textAt(one, 'health', 'status') ?? '-'}`);
    await until(async () => namesOf(await read('dev-a')).length === 2, 'the release is read', 30_000);
    const body = await read('dev-a');
    assert.deepEqual(namesOf(body), ['ConfigMap gone Missing', 'ConfigMap there -']);
    const lacking = (found: unknown): string[] =>
      listAt(found, 'missing').map((one) => `${textAt(one, 'verb')} ${textAt(one, 'resource')}`);
    assert.ok(lacking(body).includes('list clusterroles'), lacking(body).join());
    assert.doesNotMatch(stringifyJson(body), /hunter2/);
    const asAdmin = await read('admin');
    assert.deepEqual(namesOf(asAdmin), ['ConfigMap there -']);
    assert.ok(lacking(asAdmin).includes('list secrets'), lacking(asAdmin).join());
  });

  it('are read as the person: what may not be listed is named, and strangers learn nothing', async () => {
    const { body } = await product.api('admin', RESOURCES);
    const missing = listAt(body, 'missing').map(
      (one) => `${textAt(one, 'verb')} ${textAt(one, 'resource')} in ${textAt(one, 'namespace')}`,
    );
    assert.ok(missing.includes(`list secrets in ${ENVIRONMENT}`), missing.join('\n'));
    assert.ok(!(await rows('', 'admin')).some((row) => row.startsWith('secrets ')));
    assert.equal((await product.api('dev-b', RESOURCES)).status, 404);
  });

  it('add up to one status with its cause, the quota that is used, and the workloads', async () => {
    const status = async (): Promise<unknown> => (await product.api('dev-a', `/environments/${ENVIRONMENT}/status`)).body;
    const quotaOf = (body: unknown): unknown => listAt(body, 'quotas').find((one) => textAt(one, 'resource') === 'count/pods');
    await until(async () => Number(textAt(quotaOf(await status()), 'used')) >= 2, 'the quota counts the pods', 60_000);
    const body = await status();
    assert.equal(textAt(body, 'health', 'status'), 'Healthy');
    assert.equal(numberAt(body, 'workloads', 'readyPods'), numberAt(body, 'workloads', 'pods'));
    assert.equal(textAt(listAt(body, 'limits')[0], 'defaultRequest'), '64Mi');
    assert.equal((await product.api('dev-b', `/environments/${ENVIRONMENT}/status`)).status, 404);
    await kube.asController().create(POD, unschedulable());
    const causes = async (): Promise<readonly unknown[]> => listAt(await status(), 'causes').map((one) => textAt(one, 'name'));
    await until(async () => (await causes()).includes('too-big'), 'the pod that no node has room for is the cause', 60_000);
    assert.match(textAt(await status(), 'health', 'message') ?? '', /^Pod too-big cannot be scheduled: /);
  });

  it('have a deploy board with everybody’s workloads, their tracks and who changed them, also as CSV', async () => {
    const path = `/environments/${ENVIRONMENT}/workloads`;
    const board = async (query: string): Promise<readonly unknown[]> =>
      listAt((await product.api('dev-a', `${path}${query}`)).body, 'items');
    const all = (await board('')).map((one) => `${textAt(one, 'kind')} ${textAt(one, 'name')} ${textAt(one, 'instance', 'name') ?? '-'}`);
    assert.deepEqual(all, ['Deployment shop -', 'Pod too-big -', `StatefulSet ${VISITS}-cache ${VISITS}`]);
    assert.deepEqual(
      (await board('?track=canary')).map((one) => textAt(one, 'name')),
      ['too-big'],
    );
    const [shop] = await board('?search=registry.example.com/shop');
    assert.deepEqual(
      [
        numberAt(shop, 'rollout', 'percentage'),
        textAt(shop, 'version'),
        listAt(shop, 'revisions', 0, 'pods').length,
        textAt(shop, 'change', 'gitlab', 'env'),
      ],
      [100, '1', 2, '=review'],
    );
    const csv = await product.api('dev-a', `${path}?search=shop&format=csv`);
    const accepted = await product.api('dev-a', `${path}?search=shop`, { headers: { Accept: 'text/csv' } });
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.match(csv.headers.get('content-disposition') ?? '', new RegExp(`attachment; filename="?${ENVIRONMENT}-workloads.csv`));
    assert.equal(accepted.body, csv.body);
    const [head = '', row = '', rest] = String(csv.body).split('\r\n');
    assert.ok(head.startsWith('namespace,kind,name,'), head);
    assert.ok(row.startsWith(`${ENVIRONMENT},Deployment,shop,stable,1,`), row);
    assert.ok(row.includes(`,"'=review",`), row);
    assert.equal(rest, '');
    assert.equal((await product.api('dev-b', `${path}?format=csv`)).status, 404);
  });

  it('have a timeline: who made and changed what, by which tool, with revisions, releases and actions', async () => {
    const shop = { ...DEPLOYMENTS, namespace: ENVIRONMENT, name: 'shop' };
    await kube.asController().patch(shop, { type: 'merge', body: { spec: { revisionHistoryLimit: 5 } } }, { fieldManager: 'kubectl-edit' });
    const labels = { owner: 'helm', name: 'mailer', status: 'deployed', version: '4', modifiedAt: '1700000000' };
    const record = { name: 'sh.helm.release.v1.mailer.v4', namespace: ENVIRONMENT, labels };
    await kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata: record });
    await until(async () => (await timeline('&kind=Revision&search=shop')).length === 1, 'the Deployment has a ReplicaSet');
    const ofShop = await timeline('&search=shop');
    assert.ok(ofShop.includes('Created Deployment shop Created ci'), ofShop.join('\n'));
    assert.ok(
      ofShop.some((line) => /^Changed Deployment shop Updated; generation \d+ kubectl edit$/.test(line)),
      ofShop.join('\n'),
    );
    assert.ok(ofShop.includes('Revision Deployment shop Revision 1, registry.example.com/shop:1 '), ofShop.join('\n'));
    assert.deepEqual(await timeline('&who=oidc:dev-a&kind=Action'), [`Action Cache ${VISITS} Create instance oidc:dev-a`]);
    assert.deepEqual(await timeline('&until=2023-11-14'), ['Release Helm release mailer Revision 4 is deployed Helm']);
    assert.deepEqual(await timeline('&kind=Created&who=ci&search=settings'), ['Created ConfigMap settings Created ci']);
    const { body } = await product.api('dev-a', `/environments/${ENVIRONMENT}/instances/${CACHES}/${VISITS}/timeline?limit=500`);
    const kinds = new Set(listAt(body, 'items').map((item) => textAt(item, 'subject', 'kind')));
    assert.ok(kinds.has('Cache') && kinds.has('StatefulSet') && !kinds.has('Deployment'), [...kinds].join(' '));
    const csv = await product.api('dev-a', `/environments/${ENVIRONMENT}/timeline?format=csv&kind=Release&search=mailer`);
    assert.match(
      String(csv.body),
      /^time,kind,who,subject_kind,subject,message,instance_app,instance\r\n2023-11-14T22:13:20.000Z,Release,Helm,/,
    );
    await kube.asController().delete({ ...SECRET, namespace: ENVIRONMENT, name: record.name });
    assert.equal((await product.api('dev-b', `/environments/${ENVIRONMENT}/timeline`)).status, 404);
    assert.equal((await product.api('dev-a', `/environments/${ENVIRONMENT}/timeline?since=x`)).status, 400);
  });

  it('stand beside those of other tiers on the tier board, where nobody sees a column of another team', async () => {
    await addToCatalog(
      product,
      `environments/${PRODUCTION}.yaml`,
      `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${PRODUCTION}}\nspec: {tier: production, groups: [{name: "oidc:team-a", role: developer}]}\n`,
    );
    await until(async () => (await product.api('dev-a', `/environments/${PRODUCTION}`)).status === 200, 'production is there', 60_000);
    await kube.asController().create(DEPLOYMENTS, shop(PRODUCTION, 'registry.example.com/shop:0'));
    const install = { method: 'POST', body: { app: CACHES, name: VISITS, spec: { replicas: 2 } } };
    const instances = `/environments/${PRODUCTION}/instances`;
    const isAllowed = async (): Promise<boolean> =>
      textAt((await product.api('dev-a', `${instances}?dryRun=All`, install)).body, 'verdict') === 'Ready';
    await until(isAllowed, 'the cache can be installed in production', 60_000);
    assert.equal((await product.api('dev-a', instances, install)).status, 201);
    const board = async (person: string, query = ''): Promise<unknown> => (await product.api(person, `/tier-board?limit=500${query}`)).body;
    const cells = async (person: string): Promise<readonly string[]> =>
      listAt(await board(person, `&app=-${process.pid}`), 'items').flatMap((row) =>
        listAt(row, 'cells').map((cell) => {
          const drift = [textAt(cell, 'drift', 'from'), ...listAt(cell, 'drift', 'fields')].join(' ');
          return `${textAt(row, 'name')} ${textAt(cell, 'environment')} ${textAt(cell, 'health', 'status')} [${drift}]`;
        }),
      );
    const wanted = [
      `${APP} ${ENVIRONMENT} Healthy []`,
      `${APP} ${PRODUCTION} Healthy [${ENVIRONMENT} image.shop]`,
      `${VISITS} ${ENVIRONMENT} Healthy []`,
      `${VISITS} ${PRODUCTION} Healthy [${ENVIRONMENT} replicas]`,
    ];
    const has = async (cell: string): Promise<boolean> => (await cells('dev-a')).includes(cell);
    for (const cell of wanted) await until(async () => await has(cell), `the board has ${cell}`, 60_000);

    const csv = String((await product.api('dev-a', '/tier-board?tier=production&differs=yes&format=csv')).body);
    assert.match(csv, new RegExp(`\\r\\n${APP},,${PRODUCTION},production,0,,Healthy,[^,]*,Complete,100,${ENVIRONMENT},image.shop,`));
    assert.ok(!csv.includes(`,${ENVIRONMENT},development,`), csv);

    const columnOf = async (person: string, name: string): Promise<unknown> =>
      listAt(await board(person), 'environments').find((one) => textAt(one, 'name') === name);
    const missing = listAt(await columnOf('admin', PRODUCTION), 'missing').map(
      (one) => `${textAt(one, 'verb')} ${textAt(one, 'resource')}`,
    );
    assert.ok(missing.includes('list deployments'), missing.join('\n'));
    assert.ok(!(await cells('admin')).some((cell) => cell.startsWith(`${APP} ${PRODUCTION}`)));
    const strangers = stringifyJson(await board('dev-b')) + String((await product.api('dev-b', '/tier-board?format=csv')).body);
    assert.ok(!strangers.includes(ENVIRONMENT) && !strangers.includes(PRODUCTION), strangers);
  });
});

function shop(namespace: string, image: string): KubeObject {
  const labels = { app: 'shop' };
  const container = { name: 'shop', image, envFrom: [{ configMapRef: { name: 'settings', optional: namespace === PRODUCTION } }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace, annotations: { 'app.gitlab.com/app': APP, 'app.gitlab.com/env': '=review' } },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
}

function unschedulable(): KubeObject {
  const container = { name: 'main', image: 'registry.example.com/big:1', resources: { requests: { memory: '3Gi', cpu: '9000' } } };
  const metadata = { name: 'too-big', namespace: ENVIRONMENT, labels: { track: 'canary' } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } };
}
