import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { CookieBrowser } from '../http/support/cookie-browser.ts';
import { eventually } from '../support/eventually.ts';
import { type Product, startProduct, untilOffered } from '../support/product.ts';

// Runs in test:all: it runs a product with another way of acting as people.

const PERSON = 'oidc:dev-a';

describe('Chandlery that passes the tokens of people on', () => {
  let product: Product;
  before(async () => {
    product = await startProduct(['--user-identity', 'PassThrough']);
    await untilOffered(product);
  });
  after(async () => await product?.stop());

  it('shows pages to a person who signed in, with calls in which the api-server sees the person itself', async () => {
    const browser = new CookieBrowser(product.origin);
    const home = await browser.signIn('dev-a');
    assert.equal(home.status, 200, home.text);
    const since = await logLength();
    const page = await browser.visit('/environments/team-a');
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /<h1[^>]*>[\s\S]*team-a/i);
    await calledAs(PERSON, since, (event) => textAt(event, 'objectRef', 'namespace') === 'team-a');
  });

  it('keeps a page live by a watch of the person itself', async () => {
    const browser = new CookieBrowser(product.origin);
    await browser.signIn('dev-a');
    const since = await logLength();
    const leave = new AbortController();
    const stream = await fetch(`${product.origin}/environments/team-a/resources/stream`, {
      headers: { accept: 'text/event-stream', cookie: cookiesOf(browser) },
      signal: leave.signal,
    });
    assert.equal(stream.status, 200);
    assert.match(stream.headers.get('content-type') ?? '', /event-stream/);
    await calledAs(PERSON, since, (event) => textAt(event, 'verb') === 'watch');
    leave.abort();
  });

  it('writes for a bearer token as the person itself', async () => {
    const since = await logLength();
    const instance = { app: 'caches.samples.chandlery.dev', name: 'passed', spec: {} };
    await eventually(async () => {
      const { status, body } = await product.api('dev-a', '/environments/team-a/instances', { method: 'POST', body: instance });
      // The roles of a new kind take a moment until Kubernetes has aggregated them.
      if (status === 403) return undefined;
      assert.equal(status, 201, stringifyJson(body));
      return body;
    }, 'the roles are aggregated');
    await calledAs(PERSON, since, (event) => textAt(event, 'verb') === 'create' && textAt(event, 'objectRef', 'resource') === 'caches');
  });

  it('never impersonated anybody but the accounts of releases', async () => {
    const impersonated = (await events(0)).map((event) => textAt(event, 'impersonatedUser', 'username') ?? '');
    assert.deepEqual(
      impersonated.filter((user) => user !== '' && !user.endsWith(':chandlery-deployer')),
      [],
    );
  });

  it('shows a stranger the answer of the api-server, not that of its own account', async () => {
    const { status } = await product.api('dev-b', '/environments/team-a/instances');
    assert.ok(status === 403 || status === 404, String(status));
    assert.equal(at((await product.api('admin', '/me')).body, 'admin'), true);
  });

  it('makes no personal access tokens, because the api-server would not know them', async () => {
    const browser = new CookieBrowser(product.origin);
    await browser.signIn('dev-a');
    const answer = await browser.visit('/api/v1/me/tokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'ci', scope: 'read' }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /PassThrough/);
  });

  /** Waits for a call of Chandlery with the person as its user, and with nobody impersonated. */
  async function calledAs(user: string, since: number, holds: (event: unknown) => boolean): Promise<void> {
    const found = await eventually(async () => {
      const calls = (await events(since)).filter((event) => textAt(event, 'userAgent') === 'chandlery' && holds(event));
      return calls.find((event) => textAt(event, 'user', 'username') === user);
    }, `a call as ${user}`);
    assert.equal(at(found, 'impersonatedUser'), undefined);
    assert.ok(listAt(found, 'user', 'groups').includes('chandlery:signed-in'), stringifyJson(at(found, 'user')));
  }

  async function events(since: number): Promise<readonly unknown[]> {
    const lines = (await readFile(product.auditLogPath)).subarray(since).toString().split('\n');
    return lines.slice(0, -1).map((line): unknown => JSON.parse(line));
  }

  async function logLength(): Promise<number> {
    return (await readFile(product.auditLogPath)).length;
  }

  function cookiesOf(browser: CookieBrowser): string {
    return browser
      .cookieNames()
      .map((name) => `${name}=${browser.cookie(name) ?? ''}`)
      .join('; ');
  }
});
