import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, numberAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Reconcile } from '../../src/controller/controller.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { ADMISSION_POLICY, ADMISSION_POLICY_BINDING } from '../../src/domain/kubernetes/resource-types.ts';
import { createCronJobReconciler } from '../../src/reconcile/resource/reconcile-cron-job.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { runCommand } from '../support/run-command.ts';
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
const CRON_JOBS: ResourceType = { ...JOBS, resource: 'cronjobs' };
const [RUN_AT, RUN_HANDLED_AT, RUN_REQUESTED_BY] = [
  'chandlery.dev/run-at',
  'chandlery.dev/run-handled-at',
  'chandlery.dev/run-requested-by',
];

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

  const cronJob = async (name: string): Promise<KubeObject> =>
    await kube.asController().get({ ...CRON_JOBS, namespace: ENVIRONMENT, name });
  const jobsOf = async (name: string): Promise<string[]> =>
    (await kube.asController().list(JOBS, { namespace: ENVIRONMENT })).items.flatMap(({ metadata }) =>
      metadata.ownerReferences?.[0]?.name === name ? [metadata.name] : [],
    );

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
    const ran = await act(`${BACKUP}/jobs`);
    assert.equal(ran.status, 202, stringifyJson(ran.body));
    const name = textAt(ran.body, 'name') ?? '';
    assert.equal(ran.headers.get('location'), `/api/v1${RESOURCES}/jobs.batch/${name}`);
    await until(async () => (await jobsOf('backup')).length > 0, 'the controller creates the Job');
    const job = await kube.asController().get({ ...JOBS, namespace: ENVIRONMENT, name });
    assert.equal(textAt(job.metadata, 'annotations', 'cronjob.kubernetes.io/instantiate'), 'manual');
    assert.equal(textAt(job.metadata, 'annotations', 'chandlery.dev/created-by'), 'oidc:dev-a');
    assert.equal(textAt(job.metadata, 'ownerReferences', 0, 'name'), 'backup');
    const eventOf = async (): Promise<string> =>
      listAt(await shown(BACKUP), 'events')
        .filter((event) => textAt(event, 'reason') === 'SuccessfulCreate')
        .map((event) => textAt(event, 'message'))
        .join();
    await until(async () => (await eventOf()).includes(`${name} for the run at`), 'an event says so');
    assert.match(await eventOf(), /requested by oidc:dev-a/);
    const { annotations = {} } = (await cronJob('backup')).metadata;
    assert.deepEqual([annotations[RUN_HANDLED_AT], annotations[RUN_REQUESTED_BY]], [annotations[RUN_AT], undefined]);
    const env = { CHANDLERY_SERVER: product.origin, CHANDLERY_TOKEN: await mintDemoToken({ stateDir: product.stateDir, name: 'dev-a' }) };
    const again = await runCommand(['run', 'backup', '-e', ENVIRONMENT, '-o', 'name'], env);
    assert.equal(again.code, 0, again.stderr);
    await until(async () => (await jobsOf('backup')).map((one) => `jobs.batch/${one}`).includes(again.stdout.trim()), 'its Job is created');
    assert.equal((await act(`${BACKUP}/suspend`)).status, 200);
    const facts = listAt(await shown(BACKUP), 'facts').map((fact) => `${textAt(fact, 'label')}: ${textAt(fact, 'value')}`);
    assert.ok(facts.includes('Suspended: yes') && facts.includes('Schedule in words: At 02:30 every day'), facts.join(', '));
    assert.equal((await act(`${BACKUP}/resume`)).status, 200);
    assert.ok(listAt(await shown(BACKUP), 'facts').some((fact) => textAt(fact, 'label') === 'Next run'));
  });

  it('run once for each request, also by two controllers of which one is killed before it has marked it', async () => {
    const spec = { schedule: '0 3 * * *', suspend: true, jobTemplate: { spec: { template: { spec: pod } } } };
    const metadata = { name: 'nightly', namespace: ENVIRONMENT };
    await kube.asController().create(CRON_JOBS, { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec });
    const developer = kube.asActor({ user: 'oidc:dev-a', groups: ['oidc:team-a'] });
    const annotate = async (runAt: string): Promise<void> => {
      const body = { metadata: { annotations: { [RUN_AT]: runAt } } };
      await developer.patch({ ...CRON_JOBS, ...metadata }, { type: 'merge', body });
    };
    // The controller of the product waits for this time, so that those of the test are alone.
    const later = Date.now() + 3_600_000;
    await annotate(new Date(later).toISOString());
    const reports: string[] = [];
    const reconciler = (patch: Cluster['patch'] | undefined): Reconcile =>
      createCronJobReconciler({
        cluster: kube.asController(),
        asDeployer: (namespace) => {
          const deployer = kube.asServiceAccount({ namespace, name: 'chandlery-deployer' });
          return { ...deployer, patch: patch ?? deployer.patch };
        },
        events: { record: async (_about, { reason }) => void reports.push(reason) },
        now: () => new Date(later + 1_000),
      });
    const key = `${ENVIRONMENT}/nightly`;
    const { signal } = new AbortController();
    const [killed, other] = [reconciler(async () => await Promise.reject(new Error('killed'))), reconciler(undefined)];
    await assert.rejects(killed(key, signal), /killed/);
    assert.equal((await jobsOf('nightly')).length, 1);
    await Promise.all([other(key, signal), reconciler(undefined)(key, signal)]);
    const [job = '', ...more] = await jobsOf('nightly');
    assert.deepEqual(more, []);
    await kube.asController().delete({ ...JOBS, namespace: ENVIRONMENT, name: job }, { propagation: 'Background' });
    await until(async () => (await jobsOf('nightly')).length === 0, 'the Job is gone');
    reports.length = 0;
    await other(key, signal);
    await annotate(new Date(later - 1_000).toISOString());
    await other(key, signal);
    assert.deepEqual([await jobsOf('nightly'), reports], [[], ['StaleRunAt']]);
  });

  it('say by an event why a run was rejected, and try that one no more', async () => {
    const cluster = kube.asController();
    const metadata = { name: 'no-jobs', namespace: ENVIRONMENT };
    const quota = { group: '', version: 'v1', resource: 'resourcequotas' };
    await cluster.create(quota, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { 'count/jobs.batch': '0' } } });
    const probe = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec: pod } } };
    const isEnforced = async (): Promise<boolean> =>
      await cluster.create(JOBS, probe, { dryRun: 'All' }).then(
        () => false,
        (error: unknown) => isAppError(error, 'QuotaExceeded'),
      );
    await until(isEnforced, 'the quota is enforced', 30_000);
    const before = await jobsOf('backup');
    const { body } = await act(`${BACKUP}/jobs`);
    const failure = async (): Promise<string | undefined> =>
      listAt(await shown(BACKUP), 'events')
        .filter((event) => textAt(event, 'reason') === 'FailedCreate')
        .map((event) => textAt(event, 'message'))[0];
    await until(async () => (await failure()) !== undefined, 'an event says so');
    assert.match((await failure()) ?? '', /^Error creating job for the run at .*, requested by oidc:dev-a: .*exceeded quota: no-jobs/);
    const isHandled = async (): Promise<boolean> => {
      const { annotations = {} } = (await cronJob('backup')).metadata;
      return annotations[RUN_HANDLED_AT] === annotations[RUN_AT];
    };
    await until(isHandled, 'the request is handled');
    await cluster.delete({ ...quota, ...metadata });
    assert.deepEqual(await jobsOf('backup'), before);
    assert.ok(!before.includes(textAt(body, 'name') ?? ''));
  });

  it('are out of reach of viewers, who learn which permission is missing, and of other teams', async () => {
    const [name = ''] = await pods();
    const calls: readonly (readonly [path: string, method: string, body: unknown, missing: string])[] = [
      [`${SHOP}/restart`, 'POST', undefined, 'patch deployments'],
      [`${SHOP}/scale`, 'PUT', { replicas: 0 }, 'patch deployments/scale'],
      [`${BACKUP}/jobs`, 'POST', undefined, 'patch cronjobs'],
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
    const backup = { ...CRON_JOBS, name: 'backup' };
    const runNow = { [RUN_AT]: new Date().toISOString() };
    const patches: readonly (readonly [ResourceType & { name: string }, object])[] = [
      [{ ...DEPLOYMENTS, name: 'shop' }, { spec: { template: { spec: { containers: [{ name: 'shop', image: 'evil:1' }] } } } }],
      [{ ...DEPLOYMENTS, name: 'shop' }, { spec: { template: { metadata: { annotations: { 'sidecar.example.com/inject': 'yes' } } } } }],
      [{ ...DEPLOYMENTS, name: 'shop' }, { metadata: { finalizers: ['example.com/stuck'] } }],
      [backup, { spec: { schedule: '* * * * *' } }],
      [backup, { metadata: { annotations: { ...runNow, 'example.com/other': 'yes' } } }],
      [backup, { metadata: { annotations: { ...runNow, [RUN_HANDLED_AT]: '2020-01-01T00:00:00Z' } } }],
      [backup, { metadata: { annotations: { ...runNow, [RUN_REQUESTED_BY]: 'oidc:dev-b' } } }],
      [backup, { metadata: { annotations: { [RUN_AT]: 'now' } } }],
      [backup, { metadata: { annotations: runNow, finalizers: ['example.com/stuck'] } }],
      [backup, { metadata: { annotations: runNow, labels: { app: 'other' } } }],
      [
        backup,
        {
          metadata: { annotations: runNow },
          spec: { jobTemplate: { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } } },
        },
      ],
    ];
    for (const [ref, body] of patches) {
      const patch = { type: 'merge', body: { ...body } } as const;
      await assert.rejects(cluster.patch({ ...ref, ...place }, patch), { code: 'AdmissionDenied' }, stringifyJson(body));
    }
    const { uid = '' } = (await cronJob('backup')).metadata;
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid, controller: true };
    for (const ownerReferences of [[], [owner]]) {
      const job = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'own', ...place, ownerReferences },
        spec: { template: { spec: pod } },
      };
      await assert.rejects(cluster.create(JOBS, job), { code: 'Forbidden' });
    }
  });

  it('are free of the policy that judged Jobs by the name of their owner', async () => {
    const cluster = kube.asController();
    const metadata = { name: 'chandlery-environment-job-pods', labels: { 'app.kubernetes.io/part-of': 'chandlery' } };
    const matchConstraints = { resourceRules: [{ apiGroups: ['batch'], apiVersions: ['*'], operations: ['CREATE'], resources: ['none'] }] };
    const apiVersion = `${ADMISSION_POLICY.group}/${ADMISSION_POLICY.version}`;
    const policy = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: { matchConstraints, validations: [{ expression: 'true' }] },
    };
    const spec = { policyName: metadata.name, validationActions: ['Deny'] };
    await cluster.create(ADMISSION_POLICY_BINDING, { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec });
    await cluster.create(ADMISSION_POLICY, policy);
    const left = async (): Promise<readonly unknown[]> =>
      await Promise.all([ADMISSION_POLICY, ADMISSION_POLICY_BINDING].map((type) => ifFound(cluster.get({ ...type, name: metadata.name }))));
    await until(async () => (await left()).every((one) => one === undefined), 'both are deleted');
  });
});
