import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, isObject, listAt, textAt } from '../../src/domain/core/read.ts';
import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { renderAuthentication } from '../../src/identity/claims/render-authentication.ts';
import { helm, REQUIRED, setValues, CHART } from '../support/chandlery-chart.ts';
import { type CiIssuer, startCiIssuer } from '../support/ci-issuer.ts';
import { repoRoot, startThrowawayCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import { openKube } from '../support/open-kube.ts';
import { type Product, startProduct } from '../support/product.ts';

// Runs in test:all: it runs pages and controllers as two accounts.

const SYSTEM = 'split';
const SHOP = 'split-shop';
const AUDIENCE = 'chandlery';
const APP = 'queues.apps.chandlery.dev';
const CATALOG = [
  {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: SHOP },
    spec: { groups: [{ name: 'oidc:shop', role: 'developer' }], reclaim: 'Delete' },
  },
  {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: 'queue' },
    spec: { chart: { repoURL: 'file://charts/apps', name: 'queue', version: '0.1.0' } },
  },
];

interface Attempt {
  readonly method: string;
  readonly identity: object;
  readonly accept: string;
  readonly type: string;
  readonly token: string;
  readonly body: object;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

describe('Pages and controllers with the two accounts of the chart', { timeout: 300_000 }, () => {
  let cluster: TestCluster;
  let folder: string;
  let issuer: CiIssuer;
  let controller: Product;
  let web: Product;
  const file = (name: string): string => join(folder, name);

  before(async () => {
    const tools = await loadTools(repoRoot);
    cluster = { ...(await startThrowawayCluster(tools)), tools };
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-split-'));
    issuer = await startCiIssuer();
    const kube = openKube(cluster.kubeconfigPath);
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } });
    await kube.close();
    const values = [...REQUIRED, 'database.urlSecret.name=db', 'rbac.impersonation.everybody=true', 'adminGroups={oidc:admins}'];
    await helm('install', 'chandlery', CHART, '--namespace', SYSTEM, '--kubeconfig', cluster.kubeconfigPath, ...setValues(values));
    for (const name of ['chandlery', 'chandlery-controller'])
      await writeFile(file(name), await kubeconfigFor(name, SYSTEM, cluster.kubeconfigPath), { mode: 0o600 });
    await writeFile(file('token'), await tokenOf('chandlery', 'chandlery-controller'), { mode: 0o600 });
    await mkdir(file('catalog'));
    for (const object of CATALOG) await writeFile(join(file('catalog'), `${object.kind}.yaml`), JSON.stringify(object));
    const place = ['--installation', 'split', '--yes'];
    controller = await startProduct([
      '--role',
      'controller',
      '--kubeconfig',
      file('chandlery-controller'),
      '--catalog',
      file('catalog'),
      '--web-account',
      `${SYSTEM}/chandlery`,
      ...place,
    ]);
    const delegation = ['--controller-url', controller.origin, '--controller-token-file', file('token')];
    const signIn = ['--issuer', issuer.url, '--client-id', AUDIENCE, '--authentication-config', await writeAuthentication()];
    web = await startProduct(['--role', 'web', '--kubeconfig', file('chandlery'), ...place, ...delegation, ...signIn]);
  });
  after(async () => {
    await web?.stop();
    await controller?.stop();
    await issuer?.close();
    await cluster?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('preview and install an app: the account of the pages writes nothing of it, and no call of it is rejected', async () => {
    const draft = { app: APP, name: 'orders', spec: { values: { replicas: 1 } } };
    const instances = `/environments/${SHOP}/instances`;
    await eventually(async () => (await call('dev', `/apps/${APP}`)).status === 200, 'the app is in the catalogue', 60);
    const tried = await eventually(
      async () => {
        const answer = await call('dev', `${instances}?dryRun=All`, 'POST', draft);
        return answer.status === 200 && textAt(answer.json, 'verdict') === 'Ready' ? answer : undefined;
      },
      'the preflight passes',
      60,
    );
    assert.doesNotMatch(stringifyJson(tried.json), /may not|not checked/i);
    assert.equal((await call('dev', instances, 'POST', draft)).status, 201);
    const isReady = async (): Promise<boolean> =>
      listAt((await call('dev', `${instances}/${APP}/orders`)).json, 'object', 'status', 'conditions').some(
        (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
      );
    await eventually(isReady, 'the release is ready', 60);
    const kept = await call('dev', '/saved-configurations', 'POST', { app: APP, title: 'mine', values: draft.spec });
    assert.equal(kept.status, 201, stringifyJson(kept.json));
    const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'split-new' }, spec: {} };
    const planned = await call('admin', '/environments?dryRun=All', 'POST', environment);
    assert.equal(planned.status, 200, stringifyJson(planned.json));
    const own = await callsOf('chandlery');
    // What viewers may not read is not in the index, and is read by each person.
    const isIndexing = ({ verb, isImpersonated }: (typeof own)[number]): boolean => !isImpersonated && ['list', 'watch'].includes(verb);
    assert.deepEqual(
      own.filter((one) => one.status === 403 && !isIndexing(one)).map(({ text }) => text),
      [],
    );
    assert.deepEqual(
      own.filter((one) => one.status === 200 && one.resource === 'secrets' && !one.isImpersonated).map(({ text }) => text),
      [],
      'the account itself reads no Secret',
    );
    const written = own.filter(({ verb, isImpersonated }) => !isImpersonated && ['create', 'update', 'patch', 'delete'].includes(verb));
    const resources = new Set(written.map(({ resource }) => resource));
    for (const review of ['tokenreviews', 'subjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectreviews'])
      resources.delete(review);
    assert.deepEqual([...resources].sort(), ['namespaces', 'rolebindings'], 'the place of saved configurations');
    const delegated = (await callsOf('chandlery-controller')).filter(({ agent }) => agent.includes('dry run for oidc:dev'));
    assert.ok(delegated.length > 0, 'dry runs are calls of the controller');
  });

  it('let the account of the pages do dry runs alone, and nobody else anything', async () => {
    const token = await tokenOf('chandlery', 'chandlery-controller');
    const identity = { kind: 'dryRun', actor: { user: 'oidc:eve', groups: ['oidc:x'] } };
    const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'eve', namespace: SYSTEM } };
    const attempt = async (path: string, change: Partial<Attempt> = {}): Promise<number> => {
      const { method = 'POST', accept = metadata, type = 'application/json', body: content = configMap } = change;
      const header = Buffer.from(stringifyJson(change.identity ?? identity)).toString('base64url');
      const headers = {
        authorization: `Bearer ${change.token ?? token}`,
        accept,
        'content-type': type,
        'x-chandlery-identity': header,
      };
      const body = method === 'GET' ? {} : { body: stringifyJson(content) };
      return (await fetch(`${controller.origin}/delegated-calls${path}`, { method, headers, ...body })).status;
    };
    const configMaps = `/api/v1/namespaces/${SYSTEM}/configmaps`;
    assert.equal(await attempt(`${configMaps}?dryRun=All`), 201);
    assert.equal(await attempt(configMaps), 403, 'a write');
    assert.equal(await attempt(`${configMaps}?dryRun=All&dryRun=`), 403, 'a write in disguise');
    assert.equal(await attempt(`${configMaps}?dryRun=All`, { accept: 'application/json' }), 403, 'a whole object');
    assert.equal(await attempt(`${configMaps}?dryRun=All`, { identity: { kind: 'controller' } }), 403);
    assert.equal(await attempt(`${configMaps}/eve`, { method: 'DELETE' }), 400);
    const admin = {
      kind: 'dryRun',
      actor: identity.actor,
      account: { namespace: 'kube-system', name: 'clusterrole-aggregation-controller' },
    };
    assert.equal(await attempt(`${configMaps}?dryRun=All`, { identity: admin }), 400, 'another account');
    assert.equal(await attempt(`/api/v1/namespaces/${SYSTEM}/serviceaccounts/chandlery/token?dryRun=All`), 403, 'a token');
    assert.equal(await attempt(`${configMaps}?dryRun=All`, { token: await tokenOf('chandlery-controller', 'chandlery-controller') }), 401);
    assert.equal(await attempt(`${configMaps}?dryRun=All`, { token: await tokenOf('chandlery', 'https://kubernetes.default.svc') }), 401);
    const source = '/apis/chandlery.dev/v1alpha1/catalogsources/catalog';
    const patch = { method: 'PATCH', type: 'application/merge-patch+json', accept: 'application/json', identity: { kind: 'controller' } };
    const annotations = { 'chandlery.dev/reconcile-at': 'now' };
    assert.equal(await attempt(source, { ...patch, body: { metadata: { annotations } } }), 200, 'what a webhook requests');
    assert.equal(await attempt(source, { ...patch, body: { metadata: { annotations }, spec: { folder: { path: '/tmp' } } } }), 403);
    assert.equal(await attempt(`${source}/status`, { ...patch, body: { metadata: { annotations } } }), 403);
  });

  async function tokenOf(name: string, audience: string): Promise<string> {
    const args = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', SYSTEM, 'create', 'token', name, '--audience', audience];
    return (await execa(cluster.tools.kubectl ?? 'kubectl', args)).stdout;
  }

  async function writeAuthentication(): Promise<string> {
    const entry = {
      issuer: { url: issuer.url, audiences: [AUDIENCE], certificateAuthority: issuer.authority },
      claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' }, extra: [] },
      claimValidationRules: [],
      userValidationRules: [],
    };
    await writeFile(file('authentication.yaml'), renderAuthentication([entry]));
    return file('authentication.yaml');
  }

  async function call(who: 'dev' | 'admin', path: string, method = 'GET', body?: object): Promise<Answer> {
    const token = await issuer.sign({ sub: who, groups: [who === 'dev' ? 'shop' : 'admins'], aud: AUDIENCE });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: stringifyJson(body) };
    const answer = await fetch(`${web.origin}/api/v1${path}`, { method, headers, ...content });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
  }

  /** The calls of a service account that the api-server has answered. */
  async function callsOf(account: string) {
    const lines = (await readFile(cluster.auditLogPath, 'utf8')).split('\n').slice(0, -1);
    const events = lines.map((line): unknown => JSON.parse(line)).filter(isObject);
    return events
      .filter((event) => textAt(event, 'user', 'username') === `system:serviceaccount:${SYSTEM}:${account}`)
      .map((event) => ({
        verb: textAt(event, 'verb') ?? '',
        resource: textAt(event, 'objectRef', 'resource') ?? '',
        status: at(event, 'responseStatus', 'code'),
        agent: textAt(event, 'userAgent') ?? '',
        isImpersonated: textAt(event, 'impersonatedUser', 'username') !== undefined,
        text: `${textAt(event, 'verb') ?? ''} ${textAt(event, 'requestURI') ?? ''} ${textAt(event, 'impersonatedUser', 'username') ?? ''}`,
      }));
  }
});
