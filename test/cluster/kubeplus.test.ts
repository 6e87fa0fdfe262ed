import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { APP_DEFINITION } from '../../src/domain/kubernetes/resource-types.ts';
import { createKube } from '../../src/kube/kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { type Answer, until } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const CACHES = 'caches.samples.chandlery.dev';

describe('what KubePlus does, by the REST API', { timeout: 120_000 }, () => {
  let product: SharedProduct;
  const names = (answer: Answer, key: string): (string | undefined)[] => listAt(answer.body, 'items').map((item) => textAt(item, key));

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
  });
  after(async () => {
    await product.stop();
  });

  it('describes apps by their kind, as JSON and as text', async () => {
    const manual = (await product.api('dev-a', '/kinds/Cache/man')).body;
    assert.equal(textAt(manual, 'app'), CACHES);
    assert.ok(listAt(manual, 'fields').some((field) => textAt(field, 'field') === 'spec.memory'));
    const field = (await product.api('dev-a', '/kinds/caches/explain?field=spec.users.name')).body;
    assert.deepEqual([textAt(field, 'field'), at(field, 'required')], ['spec.users[*].name', true]);
    const authorization = `Bearer ${await product.token('dev-a')}`;
    const text = await fetch(`${product.origin}/api/v1/kinds/cache/explain?field=spec.memory`, {
      headers: { authorization, accept: 'text/plain' },
    });
    assert.match(text.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(await text.text(), /^FIELD: {3}spec\.memory <quantity>\nDEFAULT: 128Mi$/m);
    assert.equal((await product.api('dev-a', '/kinds/cache/composition')).status, 200);
    assert.equal((await product.api('dev-a', '/kinds/nothing/man')).status, 404);
  });

  it('keeps an uploaded chart for AppDefinitions, as it is, while one of them refers to it', async () => {
    const [name, id] = ['uploaded-here', 'uploaded-here-1.0.0'];
    const upload = async (person: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
      const archive = (await packChart(name, chartFiles(name, '1.0.0', more))).toString('base64');
      return await product.api(person, '/charts', { method: 'POST', body: { archive } });
    };
    const rejected = await upload('dev-a');
    assert.deepEqual([rejected.status, textAt(rejected.body, 'missing', 'resource')], [403, 'chartarchives']);
    const uploaded = await upload('admin');
    assert.deepEqual([uploaded.status, textAt(uploaded.body, 'address')], [201, `file://uploaded/${id}.tgz`]);
    assert.equal((await upload('admin', { 'templates/a.yaml': '' })).status, 409);
    const broken = await product.api('admin', '/charts', { method: 'POST', body: { archive: 'bm8gY2hhcnQ=' } });
    assert.equal(textAt(broken.body, 'code'), 'ChartInvalid');
    const spec = { chartURL: textAt(uploaded.body, 'address') };
    const definition = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name }, spec };
    assert.equal((await product.api('admin', '/app-definitions', { method: 'POST', body: definition })).status, 201);
    await until(
      async () => textAt((await product.api('admin', `/app-definitions/${name}`)).body, 'state') === 'Ready',
      'its kind is offered',
    );
    const inUse = await product.api('admin', `/charts/${id}`, { method: 'DELETE' });
    assert.deepEqual([inUse.status, textAt(inUse.body, 'code')], [409, 'ChartInUse']);
    const kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'chandlery-test' });
    await kube.asController().delete({ ...APP_DEFINITION, name });
    await kube.close();
    await until(async () => (await product.api('admin', `/charts/${id}`, { method: 'DELETE' })).status === 202, 'it can be deleted');
    assert.ok(!names(await product.api('admin', '/charts'), 'id').includes(id));
  });
});
