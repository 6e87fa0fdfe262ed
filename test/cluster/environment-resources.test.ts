import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const ENVIRONMENT = `ci-${process.pid}`;
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
    await addEnvironment(product, ENVIRONMENT);
    kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'ci' });
    const labels = { app: 'shop' };
    const container = { name: 'shop', image: 'registry.example.com/shop:1', envFrom: [{ configMapRef: { name: 'settings' } }] };
    await kube.asController().create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'shop', namespace: ENVIRONMENT, annotations: { 'app.gitlab.com/app': 'group/shop' } },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    });
    await kube.asController().create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: ENVIRONMENT, labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } },
      data: { mode: 'fast' },
    });
    await product.api('dev-a', `/environments/${ENVIRONMENT}/instances`, {
      method: 'POST',
      body: { app: CACHES, name: 'visits', spec: {} },
    });
  });
  after(async () => {
    await kube.close();
    await product.stop();
  });

  const rows = async (query = '', person = 'dev-a'): Promise<string[]> => {
    const { status, body } = await product.api(person, `${RESOURCES}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return listAt(body, 'items').map((item) => {
      const [owner, app] = [textAt(item, 'owner', 'name') ?? '-', textAt(item, 'instance', 'app') ?? '-'];
      return `${textAt(item, 'resource')} ${textAt(item, 'health', 'status') ?? '-'} ${owner} ${app} ${textAt(item, 'managedBy', 'tool')}`;
    });
  };

  it('are there whoever made them, with health, owner and manager', async () => {
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
      `statefulsets.apps Healthy visits ${CACHES} FieldManager`,
      `secrets - visits ${CACHES} FieldManager`,
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

  it('are read as the person: what may not be listed is named, and strangers learn nothing', async () => {
    const { body } = await product.api('admin', RESOURCES);
    const missing = listAt(body, 'missing').map(
      (one) => `${textAt(one, 'verb')} ${textAt(one, 'resource')} in ${textAt(one, 'namespace')}`,
    );
    assert.ok(missing.includes(`list secrets in ${ENVIRONMENT}`), missing.join('\n'));
    assert.ok(!(await rows('', 'admin')).some((row) => row.startsWith('secrets ')));
    assert.equal((await product.api('dev-b', RESOURCES)).status, 404);
  });
});
