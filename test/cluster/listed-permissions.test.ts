import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parse } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, isObject, listAt, textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import {
  APP_DEFINITION,
  CATALOG_RELEASE,
  CATALOG_SOURCE,
  CLUSTER_ROLE,
  CRD,
  DEPLOYMENT,
  ENVIRONMENT,
  NAMESPACE,
  SECRET,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { renderAuthentication } from '../../src/identity/claims/render-authentication.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { type CiIssuer, startCiIssuer } from '../support/ci-issuer.ts';
import { repoRoot, startThrowawayCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type OperatorWorld, startOperatorWorld } from '../support/operator-world.ts';
import { type Product, startProduct } from '../support/product.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

// Runs in test:all: it runs a product with permissions of its own.

const SYSTEM = 'hybrid';
const OPERATORS = 'hybrid-operators';
const SHOP = 'hybrid-shop';
const AUDIENCE = 'chandlery';
/** What the catalogue folder of the product has. */
const CATALOG = [
  {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: SHOP },
    spec: {
      groups: [
        { name: 'oidc:shop', role: 'developer' },
        { name: 'oidc:readers', role: 'viewer' },
      ],
      quota: { 'count/pods': 50 },
      networkPolicy: {},
      serviceAccounts: [{ name: 'bot', role: 'viewer' }],
      allowedApps: { allow: ['queues.apps.chandlery.dev'] },
      reclaim: 'Delete',
    },
  },
  {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: 'queue' },
    spec: { chart: { repoURL: 'file://charts/apps', name: 'queue', version: '0.1.0' } },
  },
];
/** A folder takes none of this kind. */
const RELEASE = {
  apiVersion: 'chandlery.dev/v1alpha1',
  kind: 'CatalogRelease',
  metadata: { name: 'v1.0.0' },
  spec: { version: 'v1.0.0', state: 'wip', components: [{ name: 'queue', version: '0.1.0' }] },
};

describe('The chart of Chandlery with listed permissions', () => {
  let cluster: TestCluster;
  let folder: string;
  let kube: Kube;
  let world: OperatorWorld;
  let account: string;

  before(async () => {
    const tools = await loadTools(repoRoot);
    cluster = { ...(await startThrowawayCluster(tools)), tools };
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-listed-'));
    kube = openKube(cluster.kubeconfigPath, { userAgent: 'chart-test' });
    for (const name of [SYSTEM, OPERATORS])
      await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const values = {
      publicUrl: 'https://apps.example.com',
      oidc: { issuer: 'https://login.example.com' },
      rbac: { operators: { mode: 'Listed', namespaces: [OPERATORS] } },
    };
    await writeFile(join(folder, 'values.yaml'), JSON.stringify(values));
    await upgrade('--values', join(folder, 'values.yaml'));
    account = join(folder, 'account');
    await writeFile(account, await kubeconfigFor('chandlery', SYSTEM, cluster.kubeconfigPath), { mode: 0o600 });
    // The controller of Operators with the permissions of the chart, and no other.
    world = await startOperatorWorld({
      kubeconfigPath: account,
      helm: cluster.tools.helm,
      namespaces: OPERATORS,
      chartsDir: join(repoRoot, 'charts'),
    });
  });
  after(async () => {
    await world?.stop();
    await kube?.close();
    await rm(folder, { recursive: true, force: true });
    await cluster?.stop();
  });

  it('lets the account neither escalate nor bind, nor write workloads and Secrets elsewhere', async () => {
    const [RBAC, account] = ['rbac.authorization.k8s.io', world.kube.asController()];
    const denied = [
      { verb: '*', group: '*', resource: '*' },
      { verb: 'escalate', group: RBAC, resource: 'clusterroles', name: 'chandlery-developer' },
      { verb: 'bind', group: RBAC, resource: 'clusterroles', name: 'cluster-admin' },
      { verb: 'create', group: 'apps', resource: 'deployments', namespace: OPERATORS },
      { verb: 'create', group: '', resource: 'secrets', namespace: 'kube-system' },
      { verb: 'create', group: '', resource: 'pods', namespace: OPERATORS },
      { verb: 'delete', group: '', resource: 'services' },
    ];
    for (const attributes of denied) assert.equal((await account.review(attributes)).allowed, false, JSON.stringify(attributes));
    assert.ok((await account.review({ verb: 'create', group: '', resource: 'secrets', namespace: OPERATORS })).allowed);
  });

  it('installs nothing of an Operator that needs more, names what to list, and installs it once that is listed', async () => {
    await world.create(OPERATORS, 'cache', operatorOf('cache-operator'));
    const { message } = await world.condition(OPERATORS, 'cache', { type: 'Released', status: 'False', reason: 'PermissionsMissing' });
    assert.match(
      message,
      /may not create, patch, delete deployments\.apps in the namespace hybrid-operators, so it cannot install Deployment/,
    );
    assert.match(message, /create, patch, delete poddisruptionbudgets\.policy, so it cannot install ClusterRole \S+, which grants it;/);
    assert.equal(await ifFound(kube.asController().get({ ...CRD, name: 'caches.samples.chandlery.dev' })), undefined);
    assert.deepEqual(await installed('cache'), []);
    const values = join(folder, 'add.yaml');
    const lists = message.split("values of Chandlery's chart: ")[1]?.split(' and rbac.') ?? [];
    const [rules, apiGroups] = lists.map((list) => parse(list.slice(list.indexOf(': ') + 2)) as unknown);
    assert.deepEqual(apiGroups, ['samples.chandlery.dev']);
    await writeFile(values, stringifyJson({ rbac: { operators: { rules, apiGroups } } }));
    await upgrade('--reuse-values', '--values', values);
    await world.condition(OPERATORS, 'cache', { type: 'Ready', status: 'True' });
    assert.ok((await installed('cache')).length > 0);
  });

  it('rejects an Operator with a Role that grants what nobody listed', async () => {
    await world.create(OPERATORS, 'postgres', operatorOf('postgres-operator'));
    const { message } = await world.condition(OPERATORS, 'postgres', { type: 'Released', status: 'False', reason: 'PermissionsMissing' });
    assert.match(message, /rbac\.operators\.rules: /);
    assert.deepEqual(await installed('postgres'), []);
  });

  it('runs the whole product: an Environment names the rule that it needs besides, and no other call of the account is rejected', async () => {
    await world.stop();
    const issuer = await startCiIssuer();
    const since = (await stat(cluster.auditLogPath)).size;
    const product = await startListed(issuer);
    try {
      await kube.asController().create(CATALOG_RELEASE, RELEASE);
      await ready({ ...CATALOG_SOURCE, name: 'catalog' });
      await eventually(
        async () => /serviceaccounts\/token/.test(await messageOf({ ...ENVIRONMENT, name: SHOP })),
        'the missing rule is named',
      );
      const tokens = [{ apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }];
      await upgrade('--reuse-values', '--set-json', `rbac.extraRules=${JSON.stringify(tokens)}`);
      await ready({ ...ENVIRONMENT, name: SHOP });
      await ready({ ...APP_DEFINITION, name: 'queue' });
      const call = async (
        who: string,
        path: string,
        method = 'GET',
        body?: object,
      ): Promise<{ readonly status: number; readonly json: unknown }> => {
        const token = await issuer.sign({ sub: who, groups: [who === 'dev' ? 'shop' : 'readers'], aud: AUDIENCE });
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const answer = await fetch(`${product.origin}/api/v1${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: stringifyJson(body) }),
        });
        const text = await answer.text();
        return { status: answer.status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
      };
      const app = 'queues.apps.chandlery.dev';
      const instance = `/environments/${SHOP}/instances/${app}/orders`;
      const install = { app, name: 'orders', spec: { values: { replicas: 1 } } };
      const isReady = async (): Promise<boolean> =>
        listAt((await call('dev', instance)).json, 'object', 'status', 'conditions').some(isTrue);
      await eventually(async () => (await call('dev', `/environments/${SHOP}/instances`, 'POST', install)).status === 201, 'installed');
      await eventually(isReady, 'the release of the instance is ready', 60);
      const wish = { environment: SHOP, app, name: 'returns', spec: { values: { replicas: 2 } }, message: 'please' };
      const asked = await call('reader', '/change-requests', 'POST', wish);
      assert.equal(asked.status, 201, stringifyJson(asked.json));
      const request = `/change-requests/${textAt(asked.json, 'id') ?? ''}`;
      const shown = await call('dev', request);
      const digest = textAt(shown.json, 'digest');
      assert.ok(digest, stringifyJson(shown.json));
      const approved = await call('dev', `${request}/approval`, 'POST', { digest });
      assert.equal(approved.status, 200, stringifyJson(approved.json));
      assert.equal((await call('dev', '/saved-configurations', 'POST', { app, title: 'mine', values: install.spec })).status, 201);
      for (const path of ['/tree', '/revisions', '/logs']) assert.equal((await call('dev', `${instance}${path}`)).status, 200, path);
      for (const one of [instance, instance.replace('orders', 'returns')]) {
        assert.equal((await call('dev', one, 'DELETE')).status, 202);
        await eventually(async () => (await call('dev', one)).status === 404, `${one} is gone`, 60);
      }
      const namespace = await kube.asController().get({ ...NAMESPACE, name: SHOP });
      await deleteWithIntent(kube.asController(), { type: ENVIRONMENT, object: { metadata: { name: SHOP } } });
      // The file of the Environment is still there: the catalogue soon makes another one, and it a namespace of the same name.
      await eventually(
        async () => (await ifFound(kube.asController().get({ ...NAMESPACE, name: SHOP })))?.metadata.uid !== namespace.metadata.uid,
        'the namespace is gone',
        60,
      );
      assert.ok(
        (await ifFound(kube.asController().get({ ...CATALOG_RELEASE, name: 'v1.0.0' })))?.status !== undefined,
        'its controller reports',
      );
      const ofTokens = (call: string): boolean => call.includes('/roles/chandlery-tokens-bot');
      assert.deepEqual(
        (await rejectedCalls(since)).filter((call) => !ofTokens(call)),
        [],
      );
    } finally {
      await product.stop();
      await issuer.close();
    }
  });

  async function startListed(issuer: CiIssuer): Promise<Product> {
    const catalog = join(folder, 'catalog');
    await mkdir(catalog);
    for (const object of CATALOG) await writeFile(join(catalog, `${object.kind}.yaml`), JSON.stringify(object));
    const entry = {
      issuer: { url: issuer.url, audiences: [AUDIENCE], certificateAuthority: issuer.authority },
      claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' }, extra: [] },
      claimValidationRules: [],
      userValidationRules: [],
    };
    const authentication = join(folder, 'authentication.yaml');
    await writeFile(authentication, renderAuthentication([entry]));
    const signIn = ['--issuer', issuer.url, '--client-id', AUDIENCE, '--authentication-config', authentication];
    return await startProduct(['--kubeconfig', account, '--yes', '--catalog', catalog, ...signIn]);
  }

  /** The messages of the conditions of an object. */
  async function messageOf(ref: ResourceRef): Promise<string> {
    const object = await ifFound(kube.asController().get(ref));
    return listAt(object?.status, 'conditions')
      .map((condition) => textAt(condition, 'message') ?? '')
      .join('\n');
  }

  async function ready(ref: ResourceRef): Promise<void> {
    const state = async (): Promise<KubeObject | undefined> => await ifFound(kube.asController().get(ref));
    await eventually(async () => listAt((await state())?.status, 'conditions').some(isTrue), `${ref.resource} ${ref.name}`, 60).catch(
      async (cause: unknown) => assert.fail(`${String(cause)}: ${stringifyJson((await state())?.status)}`),
    );
  }

  function isTrue(condition: unknown): boolean {
    return textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True';
  }

  /** What the api-server did not let the account do, as itself or as a deployer. */
  async function rejectedCalls(since: number): Promise<readonly string[]> {
    const lines = (await readFile(cluster.auditLogPath)).subarray(since).toString().split('\n').slice(0, -1);
    const events = lines.map((line): unknown => JSON.parse(line)).filter(isObject);
    const own = events.filter((event) => {
      const impersonated = textAt(event, 'impersonatedUser', 'username') ?? '';
      const isOwn = impersonated === '' || impersonated.endsWith(':chandlery-deployer');
      return isOwn && textAt(event, 'user', 'username') === `system:serviceaccount:${SYSTEM}:chandlery`;
    });
    assert.ok(own.length > 100, `${own.length} calls`);
    const rejected = own.filter((event) => at(event, 'responseStatus', 'code') === 403);
    return [...new Set(rejected.map((event) => `${textAt(event, 'verb') ?? ''} ${textAt(event, 'requestURI') ?? ''}`))];
  }

  function operatorOf(chart: string): object {
    return { chart: { repoURL: 'file://samples', name: chart, version: '0.1.0' }, targetNamespace: OPERATORS };
  }

  /** Whatever carries the name of a release, and its records. */
  async function installed(release: string): Promise<readonly string[]> {
    const labelled = await Promise.all(
      [DEPLOYMENT, CLUSTER_ROLE, SECRET].map(async (type) => (await kube.asController().list(type)).items),
    );
    return labelled.flat().flatMap(({ kind, metadata }) => {
      const owner = metadata.annotations?.['meta.helm.sh/release-name'] ?? metadata.labels?.['name'];
      return owner === release && metadata.namespace !== SYSTEM ? [`${kind} ${metadata.name}`] : [];
    });
  }

  async function upgrade(...args: readonly string[]): Promise<void> {
    const release = ['upgrade', '--install', 'chandlery', join(repoRoot, 'charts', 'chandlery'), '--namespace', SYSTEM];
    await execa(cluster.tools.helm, [...release, '--kubeconfig', cluster.kubeconfigPath, ...args]);
  }
});
