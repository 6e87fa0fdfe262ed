import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { repoRoot } from '../support/cluster.ts';
import { until, type Answer } from '../support/product.ts';
import { addEnvironment, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

const CACHES = 'caches.samples.chandlery.dev';
const INSTANCES = '/environments/locks/instances';
const CACHE_FILE = join('operators', 'cache.yaml');

const OVERLAY = `  overlay:
    - app: ${CACHES}
      values: {spec: {evictionPolicy: noeviction, memory: 256Mi}}
      locked: [spec.evictionPolicy]
`;

describe('locked fields of the whole product', { timeout: 400_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    const kind = '        displayName: Cache\n';
    const text = await catalogFile();
    assert.ok(text.includes(kind));
    await addToCatalog(product, CACHE_FILE, text.replace(kind, `${kind}        locked: [spec.version]\n`));
    await addEnvironment(product, 'locks', OVERLAY);
    await untilVersionIs('Blocked');
  });
  after(async () => {
    await addToCatalog(product, CACHE_FILE, await catalogFile());
    await untilVersionIs('Ready');
    await browser.close();
    await product.stop();
  });

  async function catalogFile(): Promise<string> {
    return await readFile(join(repoRoot, 'catalog', CACHE_FILE), 'utf8');
  }

  async function untilVersionIs(verdict: 'Blocked' | 'Ready'): Promise<void> {
    const seen = async (): Promise<boolean> =>
      textAt((await create('seen', { version: '7.2' }, '?dryRun=All')).body, 'verdict') === verdict;
    await until(seen, `another version is ${verdict}`);
  }

  async function create(name: string, spec: object, query = ''): Promise<Answer> {
    return await product.api('dev-a', `${INSTANCES}${query}`, { method: 'POST', body: { app: CACHES, name, spec } });
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
      ['spec.evictionPolicy', { evictionPolicy: 'allkeys-lfu' }, 'the environment locks'],
      ['spec.version', { version: '7.2' }, 'the Operator chandlery-system/cache'],
    ] as const) {
      const answer = await create('rejected', spec);
      assert.equal(answer.status, 422, stringifyJson(answer.body));
      assert.equal(textAt(answer.body, 'errors', 0, 'field'), field);
      assert.match(textAt(answer.body, 'errors', 0, 'detail') ?? '', new RegExp(`locked by ${by}`));
      const dry = await create('rejected', spec, '?dryRun=All');
      assert.equal(textAt(dry.body, 'verdict'), 'Blocked');
      assert.equal(textAt(dry.body, 'faults', 0, 'field'), field);
    }
    assert.equal((await product.api('dev-a', `${INSTANCES}/${CACHES}/rejected`)).status, 404);
  });

  it('rejects a change of what is locked, and takes any other', async () => {
    assert.equal((await create('kept', {})).status, 201);
    const path = `${INSTANCES}/${CACHES}/kept`;
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
    const { body } = await product.api('dev-a', `/apps/${CACHES}/form?environment=locks`);
    const childOf = (parent: unknown, key: string): unknown => listAt(parent, 'children').find((child) => textAt(child, 'key') === key);
    const field = (key: string): unknown => childOf(childOf(at(body, 'root'), 'spec'), key);
    assert.deepEqual(
      ['locked', 'fallback', 'fallbackSource'].map((name) => at(field('evictionPolicy'), name)),
      ['the environment locks', 'noeviction', 'environment'],
    );
    assert.equal(textAt(field('version'), 'locked'), 'the Operator chandlery-system/cache');
    assert.equal(at(field('memory'), 'locked'), undefined);
  });

  it('shows a locked field greyed with its value, and rejects a form that was made by hand, without JavaScript', async () => {
    const visitor = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    const { page } = visitor;
    await page.goto(`/apps/${CACHES}/install?environment=locks&name=by-hand`);
    const policy = page.locator('[name="v.spec.evictionPolicy"]');
    assert.deepEqual([await policy.isDisabled(), await policy.inputValue()], [true, 'noeviction']);
    await page.getByText('Locked by the environment locks.').waitFor();
    await visitor.check();
    const form = { environment: 'locks', name: 'by-hand', 'v.spec.evictionPolicy': 'allkeys-lfu', _do: 'install' };
    const headers = { Origin: product.origin, 'Sec-Fetch-Site': 'same-origin' };
    for (const sent of [form, { ...form, 'v.spec.evictionPolicy': '', 'y.spec': 'evictionPolicy: allkeys-lfu' }]) {
      const answer = await page.request.post(`/apps/${CACHES}/install`, { form: sent, headers, maxRedirects: 0 });
      assert.equal(answer.status(), 422);
      assert.match(await answer.text(), /It is locked by the environment locks/);
    }
    assert.equal((await product.api('dev-a', `${INSTANCES}/${CACHES}/by-hand`)).status, 404);

    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'by-hand' }).waitFor();
    const made = await product.api('dev-a', `${INSTANCES}/${CACHES}/by-hand`);
    assert.equal(textAt(made.body, 'object', 'spec', 'evictionPolicy'), 'noeviction');
    await page.goto(`${INSTANCES}/${CACHES}/by-hand/edit`);
    assert.equal(await page.locator('[name="v.spec.evictionPolicy"]').isDisabled(), true);
    await visitor.check();
    await visitor.close();
  });
});
