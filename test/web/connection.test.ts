import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { openBrowser } from '../support/browser.ts';
import { RUN } from '../support/run-name.ts';
import { until } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn, type Visitor } from '../support/visitor.ts';

const CACHES = 'caches.samples.chandlery.dev';
const SPACE = `connected-${RUN}`;
const INSTANCE = `/environments/${SPACE}/instances/${CACHES}/sessions`;
const KEYS = `${INSTANCE}/connection/revealed-keys`;

describe('the connection of an instance', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let browser: Browser;
  let password: string;

  before(async () => {
    [product, browser] = await Promise.all([sharedProduct(), openBrowser()]);
    await addEnvironment(product, SPACE);
    const body = { app: CACHES, name: 'sessions', spec: {} };
    assert.equal((await product.api('dev-a', `/environments/${SPACE}/instances`, { method: 'POST', body })).status, 201);
    await until(async () => {
      const secret = await product.api('dev-a', `/environments/${SPACE}/resources/secrets/sessions-cache-credentials`);
      const keys = listAt((await product.api('dev-a', `${INSTANCE}/connection`)).body, 'keys');
      return secret.status === 200 && keys.every((key) => textAt(key, 'kind') !== 'Unavailable');
    }, 'the operator has made the password and the Service');
    const revealed = await product.api('dev-a', KEYS, { method: 'POST', body: { key: 'password' } });
    assert.equal(revealed.status, 200, stringifyJson(revealed.body));
    password = textAt(revealed.body, 'value') ?? '';
  });
  after(async () => {
    await product.api('dev-a', INSTANCE, { method: 'DELETE' });
    await browser.close();
    await product.stop();
  });

  const visit = async (person: string, javaScript: 'on' | 'off'): Promise<Visitor> => {
    const visitor = await signIn(browser, product.origin, person, { javaScript });
    const headers = (await visitor.page.goto(INSTANCE))?.headers() ?? {};
    assert.equal(headers['cache-control'], 'no-store');
    assert.ok(!(await visitor.page.content()).includes(password), 'no page has the value before somebody asks for it');
    return visitor;
  };

  it('has what the catalogue describes, with values, and a Service by its port', async () => {
    const { body } = await product.api('dev-a', `${INSTANCE}/connection`);
    assert.ok(password.length > 20 && !stringifyJson(body).includes(password));
    const keys = listAt(body, 'keys').map((key) => [textAt(key, 'name'), textAt(key, 'value') ?? textAt(key, 'kind')]);
    assert.deepEqual(keys, [
      ['type', 'redis'],
      ['host', `sessions-cache.${SPACE}.svc`],
      ['port', '6379'],
      ['address', `sessions-cache.${SPACE}.svc:6379`],
      ['username', 'default'],
      ['password', 'Secret'],
      ['uri', 'Secret'],
    ]);
  });

  it('is revealed to a developer key by key without JavaScript, each with an entry of the audit log', async () => {
    const visitor = await visit('dev-a', 'off');
    await visitor.page.getByRole('button', { name: 'Reveal password' }).click();
    assert.equal(await visitor.page.getByText(password, { exact: true }).count(), 1);
    assert.equal((await visitor.page.content()).split(password).length, 2, 'and its URI stays masked');
    await visitor.check();
    await visitor.close();
    const { body } = await product.api('admin', `/audit-events?environment=${SPACE}&text=reveal`);
    const [entry] = listAt(body, 'items');
    assert.deepEqual(
      ['user', 'action', 'target', 'outcome', 'via'].map((key) => textAt(entry, key)),
      ['oidc:dev-a', 'reveal connection key', `${SPACE}/${CACHES}/sessions password`, 'succeeded', 'page'],
    );
    assert.ok(!stringifyJson(body).includes(password));
  });

  it('is copied without being drawn', async () => {
    const visitor = await visit('dev-a', 'on');
    await visitor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.page.getByRole('button', { name: 'Copy password' }).click();
    await visitor.page.getByRole('button', { name: 'Copied password' }).waitFor();
    assert.equal(await visitor.page.evaluate('navigator.clipboard.readText()'), password);
    assert.ok(!(await visitor.page.content()).includes(password));
    await visitor.check();
    await visitor.close();
  });

  it('keeps its secrets from a viewer, and names the permission that is missing', async () => {
    const visitor = await visit('admin', 'off');
    const sentence = `The permission to get secrets "sessions-cache-credentials" in the namespace "${SPACE}" is missing.`;
    assert.equal(await visitor.page.getByText(sentence).count(), 2);
    assert.equal(await visitor.page.getByRole('button', { name: /^Reveal / }).count(), 0);
    await visitor.check();
    await visitor.close();
    assert.equal((await product.api('admin', KEYS, { method: 'POST', body: { key: 'password' } })).status, 403);
  });
});
