import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { until, type Answer } from '../support/product.ts';
import { addEnvironment, addOperator, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: it is another walk through the form of an instance.

/** An Operator of these tests alone: what the sample one locks, it would lock for all others, too. */
const NAME = `lock${RUN}`;
const { kind, plural, group } = kindsOf(NAME);
const APP = `${plural}.${group}`;
const SPACE = `locks-${RUN}`;
const INSTANCES = `/environments/${SPACE}/instances`;
const POLICIES = '[noeviction, allkeys-lru, allkeys-lfu, allkeys-random, volatile-lru]';
const PROPERTIES = [
  "version: {type: string, enum: ['7.2', '8.1'], default: '8.1'}",
  `evictionPolicy: {type: string, enum: ${POLICIES}, default: allkeys-lru}`,
  'memory: {type: string, default: 128Mi}',
  'replicas: {type: integer, default: 1}',
].join(', ');

const OPERATOR = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {namespace: chandlery-system, name: ${NAME}}
spec:
  chart: {repoURL: "file://samples", name: ${NAME}, version: 1.0.0}
  catalog:
    displayName: Store
    kinds:
      - kind: ${kind}
        fields: [spec.memory, spec.replicas, spec.evictionPolicy, spec.version]
        locked: [spec.version]
`;
const OVERLAY = `  overlay:
    - app: ${APP}
      values: {spec: {evictionPolicy: noeviction, memory: 256Mi}}
      locked: [spec.evictionPolicy]
`;

describe('locked fields of the whole product', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await offerChart(product.chartsDir, { name: NAME, version: '1.0.0', properties: PROPERTIES });
    await addEnvironment(product, SPACE, OVERLAY);
    await addOperator(product, { name: NAME, text: OPERATOR, app: APP });
    const isReady = async (): Promise<boolean> => textAt((await create('seen', {}, '?dryRun=All')).body, 'verdict') === 'Ready';
    await until(isReady, 'an instance can be made');
  });
  after(async () => {
    await browser.close();
    await product.stop();
  });

  async function create(name: string, spec: object, query = ''): Promise<Answer> {
    return await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: { app: APP, name, spec } });
  }

  it('lays the values of the environment over the catalogue, under those of the person, and says who sets what', async () => {
    const { body } = await create('layers', { memory: '512Mi' }, '?dryRun=All');
    assert.deepEqual(at(body, 'object', 'spec'), { evictionPolicy: 'noeviction', memory: '512Mi' });
    assert.deepEqual(at(body, 'changes'), [
      { path: 'spec.evictionPolicy', from: 'allkeys-lru', to: 'noeviction', layer: 'environment', secret: false },
      { path: 'spec.memory', from: '256Mi', to: '512Mi', layer: 'you', secret: false },
    ]);
  });

  it('rejects another value on create, by the field and who locked it, and writes nothing', async () => {
    for (const [field, spec, by] of [
      ['spec.evictionPolicy', { evictionPolicy: 'allkeys-lfu' }, `the environment ${SPACE}`],
      ['spec.version', { version: '7.2' }, `the Operator chandlery-system/${NAME}`],
    ] as const) {
      const answer = await create('rejected', spec);
      assert.equal(answer.status, 422, stringifyJson(answer.body));
      assert.equal(textAt(answer.body, 'errors', 0, 'field'), field);
      assert.match(textAt(answer.body, 'errors', 0, 'detail') ?? '', new RegExp(`locked by ${by}`));
      const dry = await create('rejected', spec, '?dryRun=All');
      assert.equal(textAt(dry.body, 'verdict'), 'Blocked');
      assert.equal(textAt(dry.body, 'faults', 0, 'field'), field);
    }
    assert.equal((await product.api('dev-a', `${INSTANCES}/${APP}/rejected`)).status, 404);
  });

  it('rejects a change of what is locked, and takes any other', async () => {
    assert.equal((await create('kept', {})).status, 201);
    const path = `${INSTANCES}/${APP}/kept`;
    const patch = async (spec: object, query = ''): Promise<Answer> =>
      await product.api('dev-a', `${path}${query}`, { method: 'PATCH', body: { spec } });
    const rejected = await patch({ evictionPolicy: 'allkeys-lfu' });
    assert.equal(rejected.status, 422);
    assert.equal(textAt(rejected.body, 'errors', 0, 'field'), 'spec.evictionPolicy');
    assert.equal(textAt((await patch({ evictionPolicy: null }, '?dryRun=All')).body, 'verdict'), 'Blocked');
    assert.equal((await patch({ replicas: 2 })).status, 200);
    assert.equal(textAt((await product.api('dev-a', path)).body, 'object', 'spec', 'evictionPolicy'), 'noeviction');
  });

  it('shows in the form as data who locked a field', async () => {
    const { body } = await product.api('dev-a', `/apps/${APP}/form?environment=${SPACE}`);
    const childOf = (parent: unknown, key: string): unknown => listAt(parent, 'children').find((child) => textAt(child, 'key') === key);
    const field = (key: string): unknown => childOf(childOf(at(body, 'root'), 'spec'), key);
    assert.deepEqual(
      ['locked', 'fallback', 'fallbackSource'].map((name) => at(field('evictionPolicy'), name)),
      [`the environment ${SPACE}`, 'noeviction', 'environment'],
    );
    assert.equal(textAt(field('version'), 'locked'), `the Operator chandlery-system/${NAME}`);
    assert.equal(at(field('memory'), 'locked'), undefined);
  });

  it('shows a locked field greyed with its value, and rejects a form that was made by hand, without JavaScript', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(`/apps/${APP}/install?environment=${SPACE}&name=by-hand`);
    const policy = page.locator('[name="v.spec.evictionPolicy"]');
    assert.deepEqual([await policy.isDisabled(), await policy.inputValue()], [true, 'noeviction']);
    await page.getByText(`Locked by the environment ${SPACE}.`).waitFor();
    await visitor.check();
    const form = { environment: SPACE, name: 'by-hand', 'v.spec.evictionPolicy': 'allkeys-lfu', _do: 'install' };
    const headers = { Origin: product.origin, 'Sec-Fetch-Site': 'same-origin' };
    for (const sent of [form, { ...form, 'v.spec.evictionPolicy': '', 'y.spec': 'evictionPolicy: allkeys-lfu' }]) {
      const answer = await page.request.post(`/apps/${APP}/install`, { form: sent, headers, maxRedirects: 0 });
      assert.equal(answer.status(), 422);
      assert.match(await answer.text(), new RegExp(`It is locked by the environment ${SPACE}`));
    }
    assert.equal((await product.api('dev-a', `${INSTANCES}/${APP}/by-hand`)).status, 404);

    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'by-hand' }).waitFor();
    const made = await product.api('dev-a', `${INSTANCES}/${APP}/by-hand`);
    assert.equal(textAt(made.body, 'object', 'spec', 'evictionPolicy'), 'noeviction');
    await page.goto(`${INSTANCES}/${APP}/by-hand/edit`);
    assert.equal(await page.locator('[name="v.spec.evictionPolicy"]').isDisabled(), true);
    await visitor.check();
    await visitor.close();
  });
});
