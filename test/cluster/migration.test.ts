import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { previewInstanceMigration } from '../../src/operation/instance/preview-migration.ts';
import { OPERATOR as OPERATORS } from '../../src/domain/kubernetes/resource-types.ts';
import { gadgetOperator, GADGET_SPEC, offerGadgets } from '../support/gadgets.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { type Answer, until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

// Runs in test:all: test/web/migration.test.ts walks the same journey.

const GADGET = `gizmo${process.pid}`;
const HERE = `moves-${process.pid}`;
const OPERATOR = `/operators/chandlery-system/${GADGET}`;
const { kind, plural, group } = kindsOf(GADGET);
const APP = `${plural}.${group}`;
const INSTANCES = `/environments/${HERE}/instances`;
const MAX_MS = 120_000;

describe('a kind that moves to another version of which nothing converts', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let kube: Kube;

  before(async () => {
    product = await sharedProduct();
    await offerGadgets(product.chartsDir, GADGET);
    await addEnvironment(product, HERE);
    kube = openKube(product.kubeconfigPath);
    await kube.asController().create(OPERATORS, gadgetOperator(GADGET));
    await until(async () => (await version()) === '1.0.0', '1.0.0 is installed', MAX_MS);
    await until(async () => (await product.api('dev-a', `/apps/${APP}`)).status === 200, 'the app is offered', MAX_MS);
    for (const name of ['one', 'two', 'three']) {
      const install = (query: string): Promise<Answer> =>
        product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: { app: APP, name, spec: GADGET_SPEC } });
      await until(async () => textAt((await install('?dryRun=All')).body, 'verdict') === 'Ready', `${name} can be made`, MAX_MS);
      assert.equal((await install('')).status, 201);
    }
  });
  after(async () => {
    await kube.close();
    await product.stop();
  });

  async function version(): Promise<string | undefined> {
    const { body } = await product.api('admin', OPERATOR);
    return textAt(body, 'status') === 'READY' ? textAt(body, 'chart', 'version') : undefined;
  }

  async function stored(name: string, in_: 'v1' | 'v2'): Promise<unknown> {
    const object = await kube.asController().get({ group, version: in_, resource: plural, namespace: HERE, name });
    return object.spec;
  }

  it('shows an admin beforehand how many instances have values to decide about', async () => {
    const { status, body } = await product.api('admin', `${OPERATOR}/upgrade-preview?version=2.0.0`);
    assert.equal(status, 200);
    const [definition] = listAt(body, 'crds', 'items');
    assert.equal(numberAt(definition, 'faultCount'), 3);
    assert.match(textAt(definition, 'faults', 0, 'path') ?? '', /^v2 spec\./);
    assert.equal(numberAt(definition, 'affected', 'total'), 3);
    const changes = listAt(definition, 'affected', 'changes').map(
      (one) => `${textAt(one, 'change')} ${listAt(one, 'fields').join()} ${numberAt(one, 'instances')}`,
    );
    assert.deepEqual(changes, [
      'removed v2 spec.colour 3',
      'renamed v2 spec.storageSize 3',
      'required v2 spec.team 3',
      'type v2 spec.size 3',
      'narrowed v2 spec.level 3',
    ]);
    assert.deepEqual(
      listAt(definition, 'affected', 'instances').map((one) => `${textAt(one, 'environment')}/${textAt(one, 'name')}`),
      ['one', 'three', 'two'].map((name) => `${HERE}/${name}`),
    );
    assert.doesNotMatch(stringifyJson(body), /crimson/);
  });

  it('asks about values of the Operator, and writes them with the approval', async () => {
    const preview = (await product.api('admin', `${OPERATOR}/upgrade-preview?version=2.0.0`)).body;
    assert.deepEqual(
      listAt(preview, 'decisions', 'rows').map((row) => `${textAt(row, 'path')} ${textAt(row, 'change')}`),
      ['values.colour removed', 'values.logLevel renamed', 'values.replicas default'],
    );
    const decisions = { 'values.logLevel': 'move:values.loggingLevel', 'values.colour': 'remove' };
    const decided = await product.api('admin', `${OPERATOR}/upgrade-preview`, { method: 'POST', body: { version: '2.0.0', decisions } });
    assert.equal(textAt(decided.body, 'decisions', 'state'), 'Complete');
    assert.ok(
      listAt(decided.body, 'values', 'items').some((leaf) => textAt(leaf, 'path') === 'loggingLevel' && textAt(leaf, 'to') === '"debug"'),
    );
    const digest = textAt(preview, 'to', 'digest') ?? '';
    const approve = (body: object): Promise<Answer> => product.api('admin', `${OPERATOR}/approval`, { method: 'POST', body });
    const undecided = await approve({ version: '2.0.0', digest, decisions: { 'values.colour': 'remove' } });
    assert.deepEqual([undecided.status, textAt(undecided.body, 'errors', 0, 'field')], [422, 'values.logLevel']);
    assert.equal((await approve({ version: '2.0.0', digest, decisions })).status, 202);
    const operator = await kube.asController().get({ ...OPERATORS, namespace: 'chandlery-system', name: GADGET });
    assert.deepEqual(at(operator.spec, 'values'), { loggingLevel: 'debug' });
    await until(async () => (await version()) === '2.0.0', '2.0.0 is installed', MAX_MS);
  });

  it('keeps what is stored until somebody writes it, and loses then what nobody moved', async () => {
    assert.deepEqual(await stored('two', 'v1'), GADGET_SPEC);
    assert.equal(at(await stored('two', 'v2'), 'storageSize'), undefined);
    const ref = { group, version: 'v1', resource: plural, namespace: HERE, name: 'two' };
    await kube.asController().patch(ref, { type: 'merge', body: { metadata: { labels: { affected: 'yes' } } } });
    assert.deepEqual(await stored('two', 'v1'), { level: 9, size: 3 });
  });

  it('gives the rows of both versions together, over REST and by the operation, to who may read the instance', async () => {
    const path = `${INSTANCES}/${APP}/one/migration`;
    const { status, body } = await product.api('dev-a', path);
    assert.deepEqual([status, textAt(body, 'version'), textAt(body, 'from')], [200, 'v2', 'v1']);
    const rows = listAt(body, 'rows').map((row) => `${textAt(row, 'path')} ${textAt(row, 'change')}`);
    assert.deepEqual(rows.sort(), [
      'spec.colour removed',
      'spec.level narrowed',
      'spec.size type',
      'spec.storageSize renamed',
      'spec.team required',
    ]);
    assert.equal((await product.api('dev-b', path)).status, 404);
    const actor = { user: 'oidc:dev-a', groups: ['oidc:team-a'] };
    const crds = await kube.asController().list({ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' });
    const operators = await kube.asController().list(OPERATORS);
    const catalog = {
      environments: () => [],
      catalogSources: () => [],
      appDefinitions: () => [],
      operators: () => operators.items,
      customResourceDefinitions: () => crds.items,
    };
    const preview = await previewInstanceMigration({ clusters: kube, catalog }, actor, { environment: HERE, app: APP, name: 'one' });
    assert.deepEqual(preview.values, GADGET_SPEC);
    assert.equal(preview.rows.length, 5);
  });

  it('is written once in the new version, and lost nothing', async () => {
    const before_ = await product.api('dev-a', `${INSTANCES}/${APP}/one?version=v2`);
    const spec = { storageCapacity: '1Gi', level: 5, size: '3', team: 'a' };
    const headers = { 'If-Match': before_.headers.get('etag') ?? '' };
    const moved = await product.api('dev-a', `${INSTANCES}/${APP}/one?version=v2`, { method: 'PATCH', body: { spec }, headers });
    assert.equal(moved.status, 200, stringifyJson(moved.body));
    assert.deepEqual(await stored('one', 'v2'), spec);
    const { body } = await product.api('dev-a', `${INSTANCES}/${APP}/one/migration`);
    assert.deepEqual(listAt(body, 'rows'), []);
  });

  it('takes nothing from an instance that was made in the new version', async () => {
    const spec: JsonObject = { storageCapacity: '2Gi', team: 'a', shape: 'round' };
    const made = await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: APP, name: 'young', spec } });
    assert.equal(made.status, 201, stringifyJson(made.body));
    const { body } = await product.api('dev-a', `${INSTANCES}/${APP}/young/migration`);
    assert.deepEqual(listAt(body, 'rows'), []);
    assert.equal(
      textAt(await kube.asController().get({ group, version: 'v2', resource: plural, namespace: HERE, name: 'young' }), 'kind'),
      kind,
    );
  });
});
