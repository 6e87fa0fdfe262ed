import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { RUN } from '../support/run-name.ts';
import { addSource } from '../support/own-source.ts';
import { until } from '../support/product.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';

const CACHES = 'caches.samples.chandlery.dev';

describe('the catalogue of the whole product by the REST API', { timeout: 300_000 }, () => {
  let product: SharedProduct;

  before(async () => {
    const shared = await sharedProduct();
    product = { ...shared, ...checkedProduct(shared) };
  });
  after(async () => {
    await product.stop();
  });

  it('finds out what a new Operator would bring, and what a developer lacks to create it', async () => {
    const chart = { repoURL: 'file://charts', name: 'cache-operator', version: '0.1.0' };
    const spec = { name: 'rival', chart, targetNamespace: 'rival', createNamespace: true };
    const body = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'rival' }, spec };
    const asked = await product.api('admin', '/operators?dryRun=All', { method: 'POST', body });
    assert.deepEqual([asked.status, textAt(asked.body, 'verdict')], [200, 'Blocked']);
    const blocked = listAt(asked.body, 'findings', 'blocked').map((line) => textAt(line, 'message'));
    assert.ok(
      blocked.includes(`CustomResourceDefinition ${CACHES}: the Operator "chandlery-system/cache" owns it; remove one of the two`),
      blocked.join(),
    );
    const rejected = await product.api('dev-a', '/operators?dryRun=All', { method: 'POST', body });
    assert.equal(textAt(rejected.body, 'missing', 0, 'resource'), 'operators');
    assert.deepEqual(listAt(rejected.body, 'findings', 'created'), []);
    assert.equal((await product.api('dev-a', '/operators', { method: 'POST', body })).status, 403);
    assert.equal((await product.api('admin', '/operators', { method: 'POST', body: { ...body, kind: 'Secret' } })).status, 422);
  });

  it('says what a chart needs before it is offered, and finds the values with which it needs less', async () => {
    const chart = `cage${RUN}`;
    const rbac = 'apiVersion: rbac.authorization.k8s.io/v1';
    const role = `${rbac}\nkind: {{ if .Values.rbac.namespaced }}Role{{ else }}ClusterRole{{ end }}\nmetadata: {name: {{ .Release.Name }}}\nrules: [{apiGroups: [""], resources: [nodes], verbs: [list]}]\n`;
    const files = {
      ...chartFiles(chart, '1.0.0'),
      'values.yaml': 'rbac: {namespaced: false}\nroute: true\n',
      'templates/role.yaml': role,
      'templates/route.yaml':
        '{{ if .Values.route }}\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: route}\n{{ end }}',
    };
    await writeFile(join(product.chartsDir, `${chart}-1.0.0.tgz`), await packChart(chart, files));
    const { status, body } = await product.api('admin', `/chart-preview?repoURL=file://samples&name=${chart}`);
    assert.equal(status, 200);
    const [outside] = listAt(body, 'requirements', 'outside');
    assert.deepEqual([textAt(outside, 'kind'), listAt(outside, 'effects')], ['ClusterRole', ['list on nodes']]);
    assert.deepEqual(at(body, 'scopeDefaults', 'values'), { rbac: { namespaced: true } });
    assert.deepEqual(at(body, 'scopeDefaults', 'requirements', 'outside'), []);
    assert.deepEqual(at(body, 'requirements', 'unserved'), [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' }]);
    assert.deepEqual(listAt(body, 'requirements', 'permissions'), []);
    const ofRole = [{ group: '', resource: 'nodes', verbs: ['list'] }];
    assert.deepEqual(listAt(body, 'scopeDefaults', 'requirements', 'permissions'), ofRole);
  });

  it('keeps admin things from developers with a sentence that names the missing permission', async () => {
    const rejected = await product.api('dev-a', '/operators');
    assert.equal(rejected.status, 403);
    assert.equal(textAt(rejected.body, 'missing', 'resource'), 'operators');
    const operators = listAt((await product.api('admin', '/operators?limit=500')).body, 'items');
    const samples = operators.filter((one) => ['cache', 'postgres'].includes(textAt(one, 'name') ?? ''));
    assert.deepEqual(
      samples.map((one) => textAt(one, 'status')),
      ['READY', 'READY'],
    );
    const notes = (await product.api('admin', '/operators/chandlery-system/cache/notes')).body;
    assert.equal(textAt(notes, 'notes'), '');
    assert.equal(textAt(notes, 'missing', 0, 'name'), 'sh.helm.release.v1.cache-operator.v1');
  });

  it('reports a faulty file with its line, keeps everything else, and takes the mended one up', async (t) => {
    const source = await addSource(product, `broken-${process.pid}`);
    t.after(async () => await source.remove());
    const mended = `mended-${process.pid}`;
    const head = `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata:\n  name: ${mended}\nspec:\n`;
    await source.write('broken.yaml', `${head}  teir: staging\n`);
    const items = async (person: string, path: string): Promise<readonly unknown[]> =>
      listAt((await product.api(person, `${path}?limit=500`)).body, 'items');
    const faults = async (): Promise<readonly unknown[]> =>
      (await items('admin', '/catalog/faults')).filter((one) => textAt(one, 'source') === source.name);
    await until(async () => (await faults()).length > 0, 'the fault is reported');
    const [fault] = await faults();
    assert.equal(textAt(fault, 'file'), 'broken.yaml');
    assert.equal(numberAt(fault, 'line'), 6);
    assert.match(textAt(fault, 'message') ?? '', /teir/);
    assert.equal((await product.api('admin', `/environments/${source.name}`)).status, 200);

    await source.write('broken.yaml', `${head}  tier: staging\n  groups: [{name: "oidc:team-a", role: developer}]\n`);
    const isLive = async (): Promise<boolean> => (await items('dev-a', '/environments')).some((one) => textAt(one, 'name') === mended);
    await until(isLive, 'the mended environment is live');
    await until(async () => (await faults()).length === 0, 'the fault is gone');
    await rm(join(product.folder, 'sources', source.name, 'broken.yaml'));
    await until(async () => !(await isLive()), 'the environment is gone with its file');
  });
});
