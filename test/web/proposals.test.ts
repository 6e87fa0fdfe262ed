import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Browser } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, numberAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import {
  ARGO_APPLICATION,
  CATALOG_SOURCE,
  CLUSTER_ROLE,
  CRD,
  NAMESPACE,
  OPERATOR,
  ROLE_BINDING,
  SECRET,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { openBrowser } from '../support/browser.ts';
import { type Gitea, startGitea } from '../support/gitea.ts';
import { offerChart } from '../support/offer-chart.ts';
import { RUN } from '../support/run-name.ts';
import { type OwnPerson, ownPerson } from '../support/own-person.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

// Runs in test:all: it builds and runs Gitea.

const CACHES = 'caches.samples.chandlery.dev';
const SOURCE = `in-git-${RUN}`;
const SPACE = `gitspace-${RUN}`;
const ARGO = 'argocd';
const ARGO_READER = `argo-reader-${RUN}`;
/** An Operator and its chart. */
const [THIRD, CHART] = [`third-${RUN}`, `hooks${RUN}`];
const HOOK_TOKEN = 'tides-and-anchors';
const REPOSITORY = '/repos/chandlery/catalog';
/** With comments, in a layout of its own, and not where Chandlery would put it. */
const APPS = `# What team a runs.
apiVersion: samples.chandlery.dev/v1alpha1
kind: Cache
metadata: {name: sessions, namespace: ${SPACE}}
spec: {replicas: 1}
---
apiVersion: samples.chandlery.dev/v1alpha1
kind: Cache
metadata:
  name: orders   # of the shop
  namespace: ${SPACE}
spec:
  replicas:   1  # three before the sale
`;

describe('changes that are proposed at a real forge', { timeout: 500_000 }, () => {
  let product: SharedProduct;
  let gitea: Gitea;
  let kube: Kube;
  let browser: Browser;
  let dev: Visitor;
  /** A developer of the team, whose rejections and proposals no other tests add to. */
  let own: OwnPerson;
  const instance = (name: string): string => `/environments/${SPACE}/instances/${CACHES}/${name}`;
  const proposing = (name: string): string => `${instance(name)}?propose=${SOURCE}&proposalMessage=For%20the%20sale`;
  const propose = async (name: string, body: object) => await product.api('dev-a', proposing(name), { method: 'PATCH', body });
  const status = async (number: number): Promise<string | undefined> =>
    textAt((await product.api('dev-a', `/proposals/${SOURCE}/${number}`)).body, 'status');

  before(async () => {
    [product, gitea, browser] = await Promise.all([sharedProduct(), startGitea(), openBrowser()]);
    kube = openKube(product.kubeconfigPath);
    const [url] = await Promise.all([
      gitea.repository('catalog', { 'clusters/one/apps.yaml': APPS, 'clusters/two/other.yaml': 'a: 1\n' }),
      addEnvironment(product, SPACE),
    ]);
    await followRepository(kube, gitea, url);
    await addWebhook(gitea, product.origin);
    own = await ownPerson(product, `proposer-${RUN}`, ['team-a']);
    dev = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    await until(async () => (await product.api('dev-a', instance('orders'))).status === 200, 'the source is applied', 60_000);
  });
  after(async () => {
    await deleteWithIntent(kube.asController(), { type: CATALOG_SOURCE, object: { metadata: { name: SOURCE } } });
    await removeApplications(kube);
    await kube.close();
    await browser.close();
    await Promise.all([product.stop(), gitea.stop()]);
  });

  it('change one line of the file, in the name of the person, and follow the merge until the instance is healthy', async () => {
    const { status: code, headers, body } = await propose('orders', { spec: { replicas: 2 } });
    assert.equal(code, 202, stringifyJson(body));
    assert.equal(headers.get('location'), `/api/v1/proposals/${SOURCE}/1`);
    assert.deepEqual([textAt(body, 'status'), textAt(body, 'title'), textAt(body, 'proposedBy')], ['Open', 'Change orders', 'oidc:dev-a']);
    const branch = textAt(body, 'branch') ?? '';
    assert.match(branch, /^chandlery\/change-orders-[0-9a-f]{8}$/);
    const [commit] = listAt(await gitea.api('GET', `${REPOSITORY}/pulls/1/commits`));
    assert.match(textAt(commit, 'commit', 'author', 'name') ?? '', /^Asha Rao$/);
    assert.equal(textAt(commit, 'commit', 'committer', 'name'), 'Chandlery');
    assert.equal(
      textAt(commit, 'commit', 'message'),
      `Change orders\n\nChandlery-Resource: samples.chandlery.dev/v1alpha1 Cache ${SPACE}/orders\nChandlery-Proposed-By: oidc:dev-a\n`,
    );
    assert.match(textAt(await gitea.api('GET', `${REPOSITORY}/pulls/1`), 'body') ?? '', /^ {4}For the sale\n\nChandlery-Resource: /);
    const files = listAt(await gitea.api('GET', `${REPOSITORY}/pulls/1/files`));
    assert.deepEqual(
      files.map((file) => textAt(file, 'filename')),
      ['clusters/one/apps.yaml'],
    );
    assert.equal(await fileAt(gitea, branch, 'clusters/one/apps.yaml'), APPS.replace('replicas:   1  #', 'replicas:   2  #'));
    assert.equal(await status(1), 'Open');
    await gitea.api('POST', `${REPOSITORY}/pulls/1/merge`, { Do: 'merge' });
    await until(async () => (await status(1)) === 'Healthy', 'the proposal is healthy', 60_000);
    const cache = { group: 'samples.chandlery.dev', version: 'v1alpha1', resource: 'caches', namespace: SPACE, name: 'orders' };
    assert.equal(numberAt(await kube.asController().get(cache), 'spec', 'replicas'), 2);
  });

  it('are made in the page without JavaScript, where the owner is named and a direct change is not the default', async () => {
    const { page } = dev;
    await page.goto(instance('sessions'));
    const owner = page.getByRole('heading', { name: `Managed in git by the CatalogSource ${SOURCE}` });
    await owner.waitFor();
    await page.getByRole('link', { name: 'Propose a change' }).click();
    await owner.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save the change' }).count(), 0);
    await page.getByLabel('Replicas', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByLabel('Message to the reviewer').fill('The queue grows');
    await dev.check();
    await page.getByRole('button', { name: 'Propose the change' }).click();
    await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor();
    const row = page.getByRole('row', { name: /Change sessions/ });
    assert.match(await row.innerText(), new RegExp(`Cache ${SPACE}/sessions\\s+${SOURCE}\\s+oidc:dev-a\\s+Open`));
    assert.equal(await row.getByRole('link').getAttribute('href'), `${gitea.origin}/chandlery/catalog/pulls/2`);
    await dev.check();
    await gitea.api('POST', `${REPOSITORY}/pulls/2/merge`, { Do: 'squash' });
    await until(async () => (await status(2)) === 'Healthy', 'the proposal is healthy', 60_000);
    await page.reload();
    assert.match(await row.innerText(), /Healthy/);
    const others = await product.api('dev-b', '/proposals');
    assert.equal(others.status, 200);
    assert.ok(!stringifyJson(others.body).includes(SOURCE), 'of others nothing is reported');
  });

  it('add installations as files, and reject what a person may not propose and what does not belong into git', async () => {
    const draft = { app: CACHES, name: 'basket', spec: { replicas: 1 } };
    const path = `/environments/${SPACE}/instances?propose=${SOURCE}`;
    assert.equal((await product.api('dev-a', path, { method: 'POST', body: draft })).status, 202);
    assert.deepEqual(await filesOf(gitea, 3), [`clusters/one/caches/${SPACE}/basket.yaml`]);
    const operator = {
      apiVersion: 'operatorcontroller.kubeplus/v1',
      kind: 'Operator',
      metadata: { name: 'second', namespace: 'chandlery-system' },
      spec: { name: 'second', chartURL: 'file://samples/none-1.0.0.tgz' },
    };
    const denied = await product.api('dev-a', `/operators?propose=${SOURCE}`, { method: 'POST', body: operator });
    assert.deepEqual([denied.status, textAt(denied.body, 'missing', 'resource')], [403, 'proposals']);
    const secrets = [{ name: 'basket-key', key: 'password' }];
    const withSecret = await product.api('dev-a', path, { method: 'POST', body: { ...draft, name: 'purse', secrets } });
    assert.deepEqual([withSecret.status, textAt(withSecret.body, 'code')], [422, 'ProposalImpossible']);
    const wrong = await propose('orders', { spec: { replicas: -1 } });
    assert.deepEqual([wrong.status, textAt(wrong.body, 'code')], [422, 'InvalidInput']);
    const same = await own.api(proposing('orders'), { method: 'PATCH', body: { spec: { replicas: 2 } } });
    assert.deepEqual([same.status, textAt(same.body, 'code')], [422, 'ProposalImpossible']);
    const elsewhere = await product.api('dev-a', `${instance('orders')}?propose=catalog`, {
      method: 'PATCH',
      body: { spec: { replicas: 4 } },
    });
    assert.match(textAt(elsewhere.body, 'detail') ?? '', /nothing says which forge/);
    const kept = await product.api('admin', `/audit-events?environment=${SPACE}&person=${own.user}`);
    assert.deepEqual(
      listAt(kept.body, 'items').map((line) => [textAt(line, 'action'), textAt(line, 'outcome')]),
      [['propose to update instance', 'rejected']],
    );
  });

  it('add an Operator that an admin has checked on its page, and whose file the source applies after the merge', async () => {
    const admin = await signIn(browser, product.origin, 'admin', { javaScript: 'off' });
    const { page } = admin;
    await page.goto('/operators/new');
    await offerChart(product.chartsDir, { name: CHART, version: '1.0.0', image: '1.0.0' });
    const chart = `chart: { repoURL: file://samples, name: ${CHART}, version: 1.0.0 }`;
    const metadata = `metadata: { name: ${THIRD}, namespace: chandlery-system }`;
    await page
      .getByLabel('Resource (YAML)')
      .fill(`apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\n${metadata}\nspec: { name: ${THIRD}, suspend: true, ${chart} }\n`);
    await page.getByRole('button', { name: 'Check it' }).click();
    await page.getByText('Propose the change in git').click({ timeout: 60_000 });
    await admin.check();
    await page.getByRole('button', { name: 'Propose the change' }).click();
    const row = page.getByRole('row', { name: `Add the operator ${THIRD}` });
    const [number = ''] = /[0-9]+$/.exec((await row.getByRole('link').getAttribute('href')) ?? '') ?? [];
    assert.deepEqual(await filesOf(gitea, Number(number)), [`clusters/one/operators/chandlery-system/${THIRD}.yaml`]);
    await gitea.api('POST', `${REPOSITORY}/pulls/${number}/merge`, { Do: 'merge' });
    const operator = `/operators/chandlery-system/${THIRD}`;
    await until(async () => (await product.api('admin', operator)).status === 200, 'the Operator is there', 60_000);
    const { body } = await product.api('admin', `${operator}/owner`);
    assert.deepEqual(
      [textAt(body, 'owner', 'name'), textAt(body, 'owner', 'path')],
      [SOURCE, `clusters/one/operators/chandlery-system/${THIRD}.yaml`],
    );
  });

  it('leave no branch behind when the forge opens no merge request', async () => {
    const wrong = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${SOURCE}-wrong`, namespace: 'chandlery-system' } };
    const data = { bearerToken: 'd3Jvbmc=', 'ca.crt': Buffer.from(gitea.credentials['ca.crt']).toString('base64') };
    await kube.asController().create(SECRET, { ...wrong, data });
    const forge = (name: string) => ({ spec: { git: { forge: { secretRef: { name } } } } });
    const source = { ...CATALOG_SOURCE, name: SOURCE };
    await kube.asController().patch(source, { type: 'merge', body: forge(wrong.metadata.name) });
    const branches = async (): Promise<readonly unknown[]> => listAt(await gitea.api('GET', `${REPOSITORY}/branches`));
    let before = 0;
    const failed = async (): Promise<boolean> => {
      before = (await branches()).length;
      const failure = await own.api(proposing('orders'), { method: 'PATCH', body: { spec: { replicas: 7 } } });
      return textAt(failure.body, 'code') === 'ForgeUnavailable';
    };
    await until(failed, 'the forge rejects the token', 30_000);
    assert.equal((await branches()).length, before);
    await kube.asController().patch(source, { type: 'merge', body: forge(SOURCE) });
  });

  it('are not needed where a source reads by ssh, with a key that may only read', async () => {
    const name = `by-ssh-${RUN}`;
    await gitea.repository(name, { 'apps.yaml': APPS.replaceAll('sessions', 'lobby').replaceAll('orders', 'till') });
    const { url, credentials } = await gitea.deployKey(name);
    assert.match(url, new RegExp(`^ssh://git@localhost:\\d+/chandlery/${name}\\.git$`));
    await createSecret(kube, name, credentials);
    const git = { url, secretRef: { name } };
    const metadata = { name };
    const spec = { git, allowedKinds: [{ group: 'samples.chandlery.dev', kind: 'Cache' }], interval: '1h' };
    await kube.asController().create(CATALOG_SOURCE, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata, spec });
    await until(async () => (await product.api('dev-a', instance('lobby'))).status === 200, 'the source is applied', 60_000);
    await deleteWithIntent(kube.asController(), { type: CATALOG_SOURCE, object: { metadata: { name } } });
    await until(async () => (await product.api('dev-a', instance('lobby'))).status === 404, 'its instances are gone', 60_000);
  });

  it('name the owner where Argo CD or Flux is it, with what the person may read of its repository', async () => {
    const cluster = kube.asController();
    const cache = { group: 'samples.chandlery.dev', version: 'v1alpha1', resource: 'caches' };
    const made = {
      argo: { 'argocd.argoproj.io/instance': 'shop' },
      flux: { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
    };
    for (const [name, labels] of Object.entries(made)) {
      await cluster.create(cache, {
        apiVersion: 'samples.chandlery.dev/v1alpha1',
        kind: 'Cache',
        metadata: { name, namespace: SPACE, labels },
        spec: { replicas: 1 },
      });
    }
    const owner = async (name: string): Promise<unknown> => (await product.api('dev-a', `${instance(name)}/owner`)).body;
    assert.deepEqual(await owner('argo'), { owner: { tool: 'ArgoCD', name: 'shop', namespace: ARGO }, sources: [SOURCE] });
    assert.deepEqual(await owner('flux'), { owner: { tool: 'Flux', name: 'apps', namespace: 'flux-system' }, sources: [SOURCE] });
    await letReadApplication(kube, `${gitea.origin}/chandlery/catalog`);
    const read = {
      tool: 'ArgoCD',
      name: 'shop',
      namespace: ARGO,
      repository: `${gitea.origin}/chandlery/catalog`,
      path: 'clusters/one',
    };
    await until(async () => isDeepStrictEqual(objectAt(await owner('argo'), 'owner'), read), 'the application is read', 20_000);
  });
});

/** Nothing else tells the source of a merge in time. */
async function addWebhook({ api }: Gitea, origin: string): Promise<void> {
  const config = { url: `${origin}/hooks/${SOURCE}`, content_type: 'json', secret: HOOK_TOKEN };
  await api('POST', `${REPOSITORY}/hooks`, { type: 'gitea', active: true, events: ['push'], config });
}

async function followRepository(kube: Kube, { credentials }: Gitea, url: string): Promise<void> {
  const hook = `${SOURCE}-hook`;
  await createSecret(kube, SOURCE, credentials);
  await createSecret(kube, hook, { token: HOOK_TOKEN });
  const allowedKinds = [
    { group: 'samples.chandlery.dev', kind: 'Cache' },
    { group: OPERATOR.group, kind: OPERATOR.kind },
  ];
  const git = { url, path: 'clusters/one', secretRef: { name: SOURCE }, forge: { kind: 'Gitea' } };
  await kube.asController().create(CATALOG_SOURCE, {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: SOURCE },
    spec: { git, allowedKinds, interval: '1h', receiver: { type: 'Gitea', secretRef: { name: hook } } },
  });
}

async function createSecret(kube: Kube, name: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  await kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'chandlery-system' }, data });
}

async function filesOf(gitea: Gitea, number: number): Promise<readonly (string | undefined)[]> {
  return listAt(await gitea.api('GET', `${REPOSITORY}/pulls/${number}/files`)).map((file) => textAt(file, 'filename'));
}

/** An Application of Argo CD, without Argo CD, that team a may read. */
async function letReadApplication(kube: Kube, repoURL: string): Promise<void> {
  const cluster = kube.asController();
  const { group, version, resource: plural, kind } = ARGO_APPLICATION;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await cluster.create(CRD, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [{ name: version, served: true, storage: true, schema }] },
  });
  await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGO } });
  const application = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'shop', namespace: ARGO },
    spec: { source: { repoURL, path: 'clusters/one' } },
  };
  const create = async (): Promise<boolean> =>
    await cluster.create(ARGO_APPLICATION, application).then(
      () => true,
      () => false,
    );
  await until(create, 'applications are served', 20_000);
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: ARGO_READER };
  const rules = [{ apiGroups: [group], resources: [plural], verbs: ['get'] }];
  await cluster.create(CLUSTER_ROLE, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules });
  const subjects = [{ apiGroup: rbac, kind: 'Group', name: 'oidc:team-a' }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: ARGO_READER };
  await cluster.create(ROLE_BINDING, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { ...metadata, namespace: ARGO },
    roleRef,
    subjects,
  });
}

/** Without these, Argo CD is as unknown as it was before. */
async function removeApplications(kube: Kube): Promise<void> {
  const cluster = kube.asController();
  const crd = { ...CRD, name: `${ARGO_APPLICATION.resource}.${ARGO_APPLICATION.group}` };
  for (const ref of [{ ...CLUSTER_ROLE, name: ARGO_READER }, { ...NAMESPACE, name: ARGO }, crd]) {
    await ifFound(cluster.delete(ref));
    await until(async () => (await ifFound(cluster.get(ref))) === undefined, `${ref.name} is gone`, 60_000);
  }
}

async function fileAt(gitea: Gitea, branch: string, path: string): Promise<string> {
  const content = textAt(await gitea.api('GET', `${REPOSITORY}/contents/${path}?ref=${encodeURIComponent(branch)}`), 'content') ?? '';
  return Buffer.from(content, 'base64').toString('utf8');
}
