import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { APP_DEFINITION, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { openKube } from '../support/open-kube.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { repoRoot } from '../support/cluster.ts';
import { type Answer, until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { deleteWhenUnused } from '../support/delete-in-use.ts';

// Runs in test:all: it walks through what operator, app-definition and app-instance prove one by one.

const CACHES = 'caches.samples.chandlery.dev';
const HERE = `kubeplus-${process.pid}`;

describe('what KubePlus does, by the REST API', { timeout: 120_000 }, () => {
  let product: SharedProduct;
  const names = (answer: Answer, key: string): (string | undefined)[] => listAt(answer.body, 'items').map((item) => textAt(item, key));

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
    await addEnvironment(product, HERE);
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
    const name = `uploaded${process.pid}-here`;
    const id = `${name}-1.0.0`;
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
    const kube = openKube(product.kubeconfigPath);
    await kube.asController().delete({ ...APP_DEFINITION, name });
    await kube.close();
    await until(async () => (await product.api('admin', `/charts/${id}`, { method: 'DELETE' })).status === 202, 'it can be deleted');
    assert.ok(!names(await product.api('admin', '/charts?limit=500'), 'id').includes(id));
  });

  it(
    'offers the versions of an uploaded chart as a repository, and follows it as soon as one is uploaded',
    { timeout: 180_000 },
    async () => {
      const [name, plural] = [`followed${process.pid}-here`, `followed${process.pid}heres`];
      const text = '{{ .Chart.Version }}';
      const configMap = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {text: "${text}"}\n`;
      const upload = async (version: string): Promise<void> => {
        const archive = (await packChart(name, chartFiles(name, version, { 'templates/a.yaml': configMap }))).toString('base64');
        assert.equal((await product.api('admin', '/charts', { method: 'POST', body: { archive } })).status, 201);
      };
      const digestOf = async (version: string): Promise<string> =>
        textAt((await product.api('admin', `/charts/${name}-${version}`)).body, 'digest') ?? '';
      const remove = async (version: string): Promise<Answer> =>
        await product.api('admin', `/charts/${name}-${version}`, { method: 'DELETE' });
      const cluster = openKube(product.kubeconfigPath);
      const kube = cluster.asController();
      const chart = { repoURL: 'file://uploaded', name, version: '^1.0.0' };
      const definition = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name } };
      assert.equal(
        (
          await product.api('admin', '/app-definitions', {
            method: 'POST',
            body: { ...definition, spec: { chart, updatePolicy: 'Automatic' } },
          })
        ).status,
        201,
      );
      const shown = async (): Promise<unknown> => (await product.api('admin', `/app-definitions/${name}`)).body;
      await until(async () => (textAt(await shown(), 'message') ?? '').includes('was uploaded'), 'it says that there is no such chart');
      await upload('1.0.0');
      await until(async () => textAt(await shown(), 'state') === 'Ready', 'its kind is offered');
      const app = `${plural}.apps.chandlery.dev`;
      const instance = `/environments/${HERE}/instances/${app}/web`;
      const made = await product.api('dev-a', `/environments/${HERE}/instances`, { method: 'POST', body: { app, name: 'web', spec: {} } });
      assert.ok(made.status < 300, textAt(made.body, 'detail'));
      const metadata = { name, namespace: 'chandlery-system' };
      await kube.create(OPERATOR, { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec: { chart } });
      const operator = async (): Promise<unknown> => (await kube.get({ ...OPERATOR, ...metadata })).status;
      await until(async () => textAt(await operator(), 'status') === 'READY', 'the Operator is ready');
      const releaseOf = async (): Promise<string | undefined> => {
        const found = await kube.list({ group: 'apps.chandlery.dev', version: 'v1alpha1', resource: plural }, { namespace: HERE });
        return textAt(found.items[0]?.status, 'version');
      };
      await until(async () => (await releaseOf()) === '1.0.0', 'the instance is installed');
      await upload('1.1.0');
      await until(async () => textAt(await operator(), 'availableVersion') === '1.1.0', 'the Operator shows the newer version');
      await until(async () => (await releaseOf()) === '1.1.0', 'the instance has the newer version');
      const preview = await product.api('admin', `/chart-preview?repoURL=file://uploaded&name=${name}`);
      assert.deepEqual(at(preview.body, 'versions'), ['1.1.0', '1.0.0']);
      const { kubectl = 'kubectl' } = await loadTools(repoRoot);
      const template = 'go-template={{.spec.archive | base64decode}}';
      const read = ['get', 'chartarchives.chandlery.dev', `${name}-1.1.0`, '-o', template];
      const { stdout } = await execa(kubectl, read, { encoding: 'buffer', env: { KUBECONFIG: product.kubeconfigPath } });
      assert.equal(
        `sha256:${createHash('sha256').update(stdout).digest('hex')}`,
        await digestOf('1.1.0'),
        'as equivalent commands read it',
      );
      await upload('2.0.0');
      const [first, second] = [await remove('1.0.0'), await remove('1.1.0')];
      assert.match(textAt(first.body, 'detail') ?? '', new RegExp(`Operator chandlery-system/${name}, AppRevision ${name}-`));
      assert.match(textAt(second.body, 'detail') ?? '', new RegExp(`AppDefinition ${name}, AppRevision ${name}-`));
      assert.equal((await remove('2.0.0')).status, 202, 'nothing has it');
      await product.api('dev-a', instance, { method: 'DELETE' });
      await until(async () => (await product.api('dev-a', instance)).status === 404, 'the instance is gone');
      await deleteWhenUnused(kube, { ...OPERATOR, ...metadata });
      await deleteWhenUnused(kube, { ...APP_DEFINITION, name });
      await until(async () => (await remove('1.0.0')).status === 202, 'it can be deleted');
      await until(async () => (await remove('1.1.0')).status === 202, 'it can be deleted');
      await cluster.close();
    },
  );
});
