import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, numberAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { readAuditLog } from '../support/read-audit-log.ts';
import { type Answer, until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const ENVIRONMENT = `acts-${process.pid}`;
const RESOURCES = `/environments/${ENVIRONMENT}/resources`;
const SHOP = `${RESOURCES}/deployments.apps/shop`;
const BACKUP = `${RESOURCES}/cronjobs.batch/backup`;
const PASSWORD = 'correct-horse-battery-staple';
const DEPLOYMENTS: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };
const JOBS: ResourceType = { group: 'batch', version: 'v1', resource: 'jobs' };

const labels = { app: 'shop' };
const container = {
  name: 'shop',
  image: 'registry.example.com/shop:1',
  env: [{ name: 'DB_PASSWORD', value: PASSWORD }],
  envFrom: [{ secretRef: { name: 'credentials' } }, { configMapRef: { name: 'forgotten' } }],
};
const pod = { restartPolicy: 'Never', containers: [{ name: 'backup', image: 'registry.example.com/backup:1' }] };
const OBJECTS: readonly (readonly [
  ResourceType,
  { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly [key: string]: unknown },
])[] = [
  [
    DEPLOYMENTS,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'shop',
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    },
  ],
  [
    { group: '', version: 'v1', resource: 'secrets' },
    { apiVersion: 'v1', kind: 'Secret', name: 'credentials', stringData: { password: PASSWORD } },
  ],
  [
    { group: '', version: 'v1', resource: 'services' },
    { apiVersion: 'v1', kind: 'Service', name: 'shop', spec: { selector: labels, ports: [{ port: 80 }] } },
  ],
  [
    { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', name: 'shop', spec: { minAvailable: 2, selector: { matchLabels: labels } } },
  ],
  [
    { group: 'batch', version: 'v1', resource: 'cronjobs' },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      name: 'backup',
      spec: { schedule: '30 2 * * *', jobTemplate: { spec: { template: { spec: pod } } } },
    },
  ],
];

describe('what people do with the resources of an environment', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    await addEnvironment(product, ENVIRONMENT);
    kube = openKube(product.kubeconfigPath, { userAgent: 'acts' });
    for (const [type, { name, apiVersion, kind, ...rest }] of OBJECTS) {
      await kube.asController().create(type, { apiVersion, kind, metadata: { name, namespace: ENVIRONMENT }, ...rest });
    }
    await until(async () => textAt(await shown(SHOP), 'health', 'status') === 'Healthy', 'the Deployment is healthy', 60_000);
  });
  after(async () => {
    await kube.close();
    await product.stop();
  });

  const shown = async (path: string, person = 'dev-a'): Promise<unknown> => (await product.api(person, path)).body;
  const act = async (
    path: string,
    init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
    person = 'dev-a',
  ): Promise<Answer> => await product.api(person, path, { method: 'POST', ...init });
  const pods = async (): Promise<string[]> =>
    listAt((await product.api('dev-a', `${RESOURCES}?resource=pods&search=shop`)).body, 'items')
      .filter((one) => objectAt(one)['deleting'] === false)
      .map((one) => textAt(one, 'name') ?? '')
      .sort();
  const template = async (): Promise<unknown> =>
    objectAt((await kube.asController().get({ ...DEPLOYMENTS, namespace: ENVIRONMENT, name: 'shop' })).spec, 'template');

  it('show their summary, relations up and down, and no sensitive value on any path', async () => {
    const relations = ['Owned ReplicaSet Found', 'References Secret Found', 'References ConfigMap Missing', 'ReferencedBy Service Found'];
    let related: string[] = [];
    // Each kind is watched on its own, so the last one can be a moment late.
    const areAllKnown = async (): Promise<boolean> => {
      related = listAt(await shown(SHOP), 'related').map((one) => ['direction', 'kind', 'state'].map((key) => textAt(one, key)).join(' '));
      return relations.every((relation) => related.includes(relation));
    };
    await until(areAllKnown, () => `${relations.join(', ')} of ${related.join(', ')}`);
    const deployment = await shown(SHOP);
    const secret = await shown(`${RESOURCES}/secrets/credentials`);
    assert.deepEqual(listAt(secret, 'facts'), [{ label: 'Keys', value: 'password', format: 'text' }]);
    const [name = ''] = await pods();
    const running = await shown(`${RESOURCES}/pods/${name}`);
    assert.equal(textAt(running, 'owner', 'name'), 'shop');
    assert.equal(textAt(running, 'containers', 0, 'state'), 'Running');
    for (const view of [deployment, secret, running]) {
      const text = stringifyJson(view);
      assert.ok(!text.includes(PASSWORD) && !text.includes(Buffer.from(PASSWORD).toString('base64')), text);
    }
    const managers = listAt(deployment, 'managers').flatMap((one) => listAt(one, 'fields'));
    assert.ok(managers.includes('spec.template.spec.containers[name="shop"].image'), managers.join('\n'));
  });

  it('are restarted as kubectl does it, and the audit log says by whom', async () => {
    const [before, first] = [await template(), await pods()];
    const answer = await act(`${SHOP}/restart`);
    assert.equal(answer.status, 200, stringifyJson(answer.body));
    assert.deepEqual(objectAt(await template(), 'spec'), objectAt(before, 'spec'));
    await until(
      async () => (await pods()).length === 2 && !(await pods()).some((name) => first.includes(name)),
      'all pods are new',
      60_000,
    );
    const audit = (await readAuditLog(product.stateDir))
      .split('\n')
      .filter((line) => line.includes(`${ENVIRONMENT}/deployments.apps/shop`));
    const entry: unknown = JSON.parse(audit[0] ?? '{}');
    assert.deepEqual(
      ['user', 'action', 'outcome'].map((key) => textAt(entry, key)),
      ['oidc:dev-a', 'restart workload', 'succeeded'],
    );
  });

  it('are scaled if they serve the subresource, unless the precondition has become false', async () => {
    const etag = textAt(await shown(SHOP), 'etag') ?? '';
    const scaled = await act(`${SHOP}/scale`, { method: 'PUT', body: { replicas: 3 }, headers: { 'If-Match': etag } });
    assert.equal(scaled.status, 200, stringifyJson(scaled.body));
    await until(async () => (await pods()).length === 3, 'there are three pods', 60_000);
    assert.equal((await act(`${SHOP}/scale`, { method: 'PUT', body: { replicas: 9 }, headers: { 'If-Match': etag } })).status, 412);
    assert.equal(numberAt(await shown(SHOP), 'replicas'), 3);
    assert.equal(numberAt(await shown(`${SHOP}/scale`), 'replicas'), 3);
    assert.equal((await act(`${RESOURCES}/services/shop/scale`, { method: 'PUT', body: { replicas: 1 } })).status, 422);
  });

  it('lose a pod only as far as their disruption budget allows', async () => {
    await until(async () => textAt(await shown(SHOP), 'info') === '3/3 ready', 'three pods are ready', 60_000);
    const evict = async (): Promise<Answer> => await act(`${RESOURCES}/pods/${(await pods())[0]}/eviction`);
    const allowed = async (): Promise<boolean> => (await act(`${RESOURCES}/pods/${(await pods())[0]}/eviction?dryRun=All`)).status === 200;
    await until(allowed, 'the budget counts three healthy pods', 30_000);
    assert.equal((await evict()).status, 200);
    await act(`${SHOP}/scale`, { method: 'PUT', body: { replicas: 2 } });
    await until(async () => textAt(await shown(SHOP), 'info') === '2/2 ready' && !(await allowed()), 'the budget is used up', 60_000);
    const refused = await evict();
    assert.equal(refused.status, 409);
    assert.equal(textAt(refused.body, 'code'), 'DisruptionBudget');
    assert.match(textAt(refused.body, 'detail') ?? '', /The disruption budget shop needs 2 healthy pods/);
  });

  it('are CronJobs that run now, and that are suspended and resumed', async () => {
    const ran = await act(`${BACKUP}/jobs`, { body: { name: 'by-hand' } });
    assert.equal(ran.status, 201, stringifyJson(ran.body));
    assert.equal(ran.headers.get('location'), `/api/v1${RESOURCES}/jobs.batch/by-hand`);
    const job = await kube.asController().get({ ...JOBS, namespace: ENVIRONMENT, name: 'by-hand' });
    assert.equal(textAt(job.metadata, 'annotations', 'cronjob.kubernetes.io/instantiate'), 'manual');
    assert.equal(textAt(job.metadata, 'ownerReferences', 0, 'name'), 'backup');
    assert.equal((await act(`${BACKUP}/suspend`)).status, 200);
    const facts = listAt(await shown(BACKUP), 'facts').map((fact) => `${textAt(fact, 'label')}: ${textAt(fact, 'value')}`);
    assert.ok(facts.includes('Suspended: yes') && facts.includes('Schedule in words: At 02:30 every day'), facts.join(', '));
    assert.equal((await act(`${BACKUP}/resume`)).status, 200);
    assert.ok(listAt(await shown(BACKUP), 'facts').some((fact) => textAt(fact, 'label') === 'Next run'));
  });

  it('are out of reach of viewers, who learn which permission is missing, and of other teams', async () => {
    const [name = ''] = await pods();
    const calls: readonly (readonly [path: string, method: string, body: unknown, missing: string])[] = [
      [`${SHOP}/restart`, 'POST', undefined, 'patch deployments'],
      [`${SHOP}/scale`, 'PUT', { replicas: 0 }, 'patch deployments/scale'],
      [`${BACKUP}/jobs`, 'POST', {}, 'create jobs'],
      [`${BACKUP}/suspend`, 'POST', undefined, 'patch cronjobs'],
      [`${RESOURCES}/pods/${name}/eviction`, 'POST', undefined, 'create pods/eviction'],
    ];
    for (const [path, method, body, missing] of calls) {
      const { status, body: problem } = await act(path, { method, body }, 'admin');
      assert.equal(status, 403, path);
      assert.equal(`${textAt(problem, 'missing', 'verb')} ${textAt(problem, 'missing', 'resource')}`, missing);
      assert.equal((await act(path, { method, body }, 'dev-b')).status, 404);
    }
    const actions = listAt(await shown(SHOP, 'admin'), 'actions');
    assert.deepEqual(
      actions.map((one) => objectAt(one)['allowed']),
      [false, false],
    );
    const secret = await product.api('admin', `${RESOURCES}/secrets/credentials`);
    assert.deepEqual([secret.status, textAt(secret.body, 'missing', 'resource')], [403, 'secrets']);
  });

  it('take nothing else from developers: another image or schedule, or a Job of their own, is rejected', async () => {
    const cluster = kube.asActor({ user: 'oidc:dev-a', groups: ['oidc:team-a'] });
    const place = { namespace: ENVIRONMENT };
    const patches: readonly (readonly [ResourceType & { name: string }, object])[] = [
      [{ ...DEPLOYMENTS, name: 'shop' }, { spec: { template: { spec: { containers: [{ name: 'shop', image: 'evil:1' }] } } } }],
      [{ ...DEPLOYMENTS, name: 'shop' }, { spec: { template: { metadata: { annotations: { 'sidecar.example.com/inject': 'yes' } } } } }],
      [{ ...DEPLOYMENTS, name: 'shop' }, { metadata: { finalizers: ['example.com/stuck'] } }],
      [{ ...JOBS, resource: 'cronjobs', name: 'backup' }, { spec: { schedule: '* * * * *' } }],
    ];
    for (const [ref, body] of patches) {
      const patch = { type: 'merge', body: { ...body } } as const;
      await assert.rejects(cluster.patch({ ...ref, ...place }, patch), { code: 'AdmissionDenied' }, stringifyJson(body));
    }
    const cronJob = await kube.asController().get({ ...JOBS, resource: 'cronjobs', ...place, name: 'backup' });
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid: cronJob.metadata.uid ?? '', controller: true };
    const job = (image: string, ownerReferences: readonly object[]): KubeObject =>
      ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'own', ...place, ownerReferences },
        spec: { template: { spec: { ...pod, containers: [{ name: 'backup', image }] } } },
      }) as KubeObject;
    await assert.rejects(cluster.create(JOBS, job('evil:1', [owner])), { code: 'AdmissionDenied' });
    await assert.rejects(cluster.create(JOBS, job('registry.example.com/backup:1', [])), { code: 'AdmissionDenied' });
  });
});
