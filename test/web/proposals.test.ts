import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { CATALOG_SOURCE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { type Gitea, startGitea } from '../support/gitea.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const CACHES = 'caches.samples.chandlery.dev';
const SOURCE = 'in-git';
const SPACE = 'gitspace';
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
  const instance = (name: string): string => `/environments/${SPACE}/instances/${CACHES}/${name}`;
  const propose = async (name: string, body: object, person = 'dev-a') =>
    await product.api(person, `${instance(name)}?propose=${SOURCE}&proposalMessage=For%20the%20sale`, { method: 'PATCH', body });
  const status = async (number: number): Promise<string | undefined> =>
    textAt((await product.api('dev-a', `/proposals/${SOURCE}/${number}`)).body, 'status');

  before(async () => {
    [product, gitea] = await Promise.all([sharedProduct(), startGitea()]);
    kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'chandlery-test' });
    const [url] = await Promise.all([
      gitea.repository('catalog', { 'clusters/one/apps.yaml': APPS, 'clusters/two/other.yaml': 'a: 1\n' }),
      addEnvironment(product, SPACE),
    ]);
    await followRepository(kube, gitea, url);
    await until(async () => (await product.api('dev-a', instance('orders'))).status === 200, 'the source is applied', 60_000);
  });
  after(async () => {
    await kube.asController().delete({ ...CATALOG_SOURCE, name: SOURCE });
    await kube.close();
    await Promise.all([product.stop(), gitea.stop()]);
  });

  it('change one line of the file, in the name of the person, and follow the merge until the instance is healthy', async () => {
    const { status: code, headers, body } = await propose('orders', { spec: { replicas: 2 } });
    assert.equal(code, 202, JSON.stringify(body));
    assert.equal(headers.get('location'), `/api/v1/proposals/${SOURCE}/1`);
    assert.deepEqual([textAt(body, 'status'), textAt(body, 'title'), textAt(body, 'proposedBy')], ['Open', 'Change orders', 'oidc:dev-a']);
    const branch = textAt(body, 'branch') ?? '';
    assert.match(branch, /^chandlery\/change-orders-[0-9a-f]{8}$/);
    const [commit] = listAt(await gitea.api('GET', `${REPOSITORY}/pulls/1/commits`));
    assert.match(textAt(commit, 'commit', 'author', 'name') ?? '', /^Asha Rao$/);
    assert.equal(textAt(commit, 'commit', 'committer', 'name'), 'Chandlery');
    assert.match(
      textAt(commit, 'commit', 'message') ?? '',
      /^Change orders\n\nFor the sale\n\nChandlery-Resource: samples\.chandlery\.dev\/v1alpha1 Cache gitspace\/orders\nChandlery-Proposed-By: oidc:dev-a\n$/,
    );
    const files = listAt(await gitea.api('GET', `${REPOSITORY}/pulls/1/files`));
    assert.deepEqual(
      files.map((file) => textAt(file, 'filename')),
      ['clusters/one/apps.yaml'],
    );
    assert.equal(await fileAt(gitea, branch, 'clusters/one/apps.yaml'), APPS.replace('replicas:   1  #', 'replicas:   2  #'));
    assert.equal(await status(1), 'Open');
    await gitea.api('POST', `${REPOSITORY}/pulls/1/merge`, { Do: 'merge' });
    await syncNow(kube);
    await until(async () => (await status(1)) === 'Healthy', 'the proposal is healthy', 60_000);
    const cache = { group: 'samples.chandlery.dev', version: 'v1alpha1', resource: 'caches', namespace: SPACE, name: 'orders' };
    assert.equal(numberAt(await kube.asController().get(cache), 'spec', 'replicas'), 2);
  });
});

async function followRepository(kube: Kube, { credentials }: Gitea, url: string): Promise<void> {
  const cluster = kube.asController();
  const data = Object.fromEntries(Object.entries(credentials).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  await cluster.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name: SOURCE, namespace: 'chandlery-system' }, data });
  const allowedKinds = [
    { group: 'samples.chandlery.dev', kind: 'Cache' },
    { group: OPERATOR.group, kind: OPERATOR.kind },
  ];
  const git = { url, path: 'clusters/one', secretRef: { name: SOURCE }, forge: { kind: 'Gitea' } };
  await cluster.create(CATALOG_SOURCE, {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: SOURCE },
    spec: { git, allowedKinds, interval: '10s' },
  });
}

async function fileAt(gitea: Gitea, branch: string, path: string): Promise<string> {
  const content = textAt(await gitea.api('GET', `${REPOSITORY}/contents/${path}?ref=${encodeURIComponent(branch)}`), 'content') ?? '';
  return Buffer.from(content, 'base64').toString('utf8');
}

/** As a webhook would. */
async function syncNow(kube: Kube): Promise<void> {
  const annotations = { 'chandlery.dev/reconcile-at': String(Date.now()) };
  await kube.asController().patch({ ...CATALOG_SOURCE, name: SOURCE }, { type: 'merge', body: { metadata: { annotations } } });
}
