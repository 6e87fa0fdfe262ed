import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import { parse } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { renderAuthentication } from '../../src/identity/claims/render-authentication.ts';
import { CookieBrowser, type Visit } from '../http/support/cookie-browser.ts';
import { repoRoot } from '../support/cluster.ts';
import { type Dex, startDex } from '../support/dex.ts';
import { freePort } from '../support/free-port.ts';
import { type Product, startProduct, until } from '../support/product.ts';

// Runs in test:all: it builds and runs Dex.

const CACHES = 'caches.samples.chandlery.dev';
const INSTANCES = '/api/v1/environments/team-a/instances';
const CLI = { id: 'kubectl', redirectURI: 'http://localhost:8000' };
const SECRET = 'secret of chandlery';
/** `ada` and `bo` are developers of team A; `vera` may read there. */
const PEOPLE = { ada: ['team-a'], bo: ['team-a'], vera: ['platform'] };
/** So that a session is renewed while the test runs. */
const ID_TOKENS = '30s';

describe('people of a second provider behind Dex, whose tokens pass to the api-server', { timeout: 300_000 }, () => {
  let dex: Dex;
  let product: Product;
  let folder: string;
  let kubectl: string;

  before(async () => {
    kubectl = (await loadTools(repoRoot)).kubectl ?? 'kubectl';
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-dex-test-'));
    const origin = `http://localhost:${await freePort()}`;
    const client = { id: 'chandlery', secret: SECRET, redirectURI: `${origin}/auth/callback` };
    dex = await startDex({ clients: [client, CLI], people: PEOPLE, idTokens: ID_TOKENS });
    const entry = {
      issuer: { url: dex.issuer, audiences: ['chandlery', CLI.id], certificateAuthority: dex.authority },
      claimMappings: { username: { claim: 'email', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' }, extra: [] },
      claimValidationRules: [],
      userValidationRules: [],
    };
    await writeFile(join(folder, 'authentication.yaml'), renderAuthentication([entry]));
    await writeFile(join(folder, 'secret'), SECRET);
    const serving = ['--port', new URL(origin).port, '--public-url', origin, '--user-identity', 'PassThrough'];
    const signingIn = ['--issuer', dex.issuer, '--client-id', 'chandlery', '--client-secret-file', join(folder, 'secret')];
    const trusted = ['--cli-client-id', CLI.id, '--authentication-config', join(folder, 'authentication.yaml')];
    product = await startProduct([...serving, ...signingIn, ...trusted, '--scopes', 'groups offline_access']);
  });
  after(async () => {
    await product?.stop();
    await dex?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Through the pages of the second provider, which a sign-in at Dex leads to. */
  async function through(browser: CookieBrowser, address: string | URL, person: string): Promise<Visit> {
    const form = await browser.visit(address);
    const consent = await browser.submit(form.url, { prompt: 'login', login: person, password: 'x' });
    return await browser.visit(consent.url, { method: 'POST', body: new URLSearchParams({ prompt: 'consent' }), redirects: 'follow' });
  }
  async function signIn(person: string): Promise<CookieBrowser> {
    const browser = new CookieBrowser(product.origin, dex.fetch);
    const home = await through(browser, '/login?return=/environments', person);
    assert.equal(home.status, 200, home.text);
    assert.equal(new URL(home.url).pathname, '/environments');
    return browser;
  }
  const ask = async (
    browser: CookieBrowser,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly json: unknown; readonly text: string }> => {
    const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const sent = body === undefined ? {} : { method: 'POST', body: stringifyJson(body) };
    const { status, text } = await browser.visit(path, { headers, redirects: 'stop', ...sent });
    return { status, text, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined };
  };

  /** An ID token of the client of kubectl. */
  async function idToken(person: string): Promise<string> {
    const verifier = randomPKCECodeVerifier();
    const query = {
      client_id: CLI.id,
      redirect_uri: CLI.redirectURI,
      response_type: 'code',
      scope: 'openid email groups',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const browser = new CookieBrowser(dex.issuer, dex.fetch);
    const code = await codeFor(browser, `${dex.issuer}/auth?${new URLSearchParams(query).toString()}`, person);
    const form = { grant_type: 'authorization_code', client_id: CLI.id, redirect_uri: CLI.redirectURI, code, code_verifier: verifier };
    const answer = await dex.fetch(`${dex.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
    const tokens: unknown = await answer.json();
    assert.equal(answer.status, 200, stringifyJson(tokens));
    return textAt(tokens, 'id_token') ?? '';
  }

  /** The code that Dex sends to the client of kubectl, which nobody listens for. */
  async function codeFor(browser: CookieBrowser, address: string, person: string): Promise<string> {
    const form = await browser.visit(address);
    const consent = await browser.submit(form.url, { prompt: 'login', login: person, password: 'x' });
    let next = await browser.visit(consent.url, { method: 'POST', body: new URLSearchParams({ prompt: 'consent' }), redirects: 'stop' });
    for (;;) {
      const location = new URL(next.headers.get('location') ?? '', next.url);
      if (location.origin === CLI.redirectURI) return location.searchParams.get('code') ?? '';
      next = await browser.visit(location, { redirects: 'stop' });
    }
  }

  /** kubectl with a token alone. */
  async function run(token: string, ...args: readonly string[]) {
    const admin: unknown = parse(await readFile(product.kubeconfigPath, 'utf8'));
    const cluster = ['clusters', 0, 'cluster'] as const;
    await writeFile(join(folder, 'ca.crt'), Buffer.from(textAt(admin, ...cluster, 'certificate-authority-data') ?? '', 'base64'));
    const options = [`--server=${textAt(admin, ...cluster, 'server') ?? ''}`, `--certificate-authority=${join(folder, 'ca.crt')}`];
    return await execa(kubectl, [...options, `--token=${token}`, '--kubeconfig=/dev/null', ...args], { reject: false });
  }

  it('sign in with the groups that the provider gives them, and are the same by session, bearer token and kubectl', async () => {
    const browser = await signIn('ada');
    const { json: me } = await ask(browser, '/api/v1/me');
    assert.deepEqual([textAt(me, 'user'), textsAt(me, 'groups')], ['oidc:ada@example.com', ['chandlery:signed-in', 'oidc:team-a']]);
    await until(async () => listAt((await ask(browser, '/api/v1/environments')).json, 'items').length === 2, 'the environments of team A');
    const names = ['team-a', 'team-a-production'];
    const token = await idToken('ada');
    const bearer = await fetch(`${product.origin}/api/v1/environments`, { headers: { authorization: `Bearer ${token}` } });
    const listed: unknown = await bearer.json();
    assert.deepEqual(
      listAt(listed, 'items').map((one) => textAt(one, 'name')),
      names,
      stringifyJson(listed),
    );
    const page = await browser.visit('/environments');
    for (const name of names) assert.ok(page.text.includes(`href="/environments/${name}"`), name);
    assert.ok(!page.text.includes('team-b'));
    const whoami: unknown = JSON.parse((await run(token, 'auth', 'whoami', '-o', 'json')).stdout);
    assert.equal(textAt(whoami, 'status', 'userInfo', 'username'), textAt(me, 'user'));
    assert.ok(textsAt(whoami, 'status', 'userInfo', 'groups').includes('oidc:team-a'));
    assert.match((await run(token, 'get', 'pods', '-n', 'team-b')).stderr, /forbidden/i);
  });

  it('install what they may, as themselves toward the api-server, and see what they may not', async () => {
    const browser = await signIn('ada');
    await until(
      async () => listAt((await ask(browser, `/api/v1/apps?availability=Available&search=cache`)).json, 'items').length > 0,
      'the app is there',
      120_000,
    );
    await until(async () => (await ask(browser, INSTANCES, { app: CACHES, name: 'mine', spec: {} })).status === 201, 'installed', 60_000);
    const events = (await readFile(product.auditLogPath, 'utf8')).split('\n').filter((line) => line.includes('"resource":"caches"'));
    const created = events.map((line): unknown => JSON.parse(line)).find((event) => textAt(event, 'verb') === 'create');
    assert.deepEqual([textAt(created, 'user', 'username'), at(created, 'impersonatedUser')], ['oidc:ada@example.com', undefined]);
    const rejected = await ask(browser, '/api/v1/environments', {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'Environment',
      metadata: { name: 'x' },
      spec: {},
    });
    assert.deepEqual([rejected.status, textAt(rejected.json, 'missing', 'resource')], [403, 'environments']);
    assert.equal((await ask(browser, '/api/v1/environments/team-b/instances')).status, 404);
  });

  it('approve change requests while they are signed in; an approval by kubectl of whoever is not says so', async () => {
    const [vera, ada] = [await signIn('vera'), await signIn('ada')];
    const draft = (name: string): object => ({ environment: 'team-a', app: CACHES, name, spec: {}, message: 'please' });
    const made = await ask(vera, '/api/v1/change-requests', draft('asked'));
    assert.equal(made.status, 201, made.text);
    const id = textAt(made.json, 'id') ?? '';
    const digest = textAt((await ask(ada, `/api/v1/change-requests/${id}`)).json, 'digest') ?? '';
    const approved = await ask(ada, `/api/v1/change-requests/${id}/approval`, { digest });
    assert.equal(approved.status, 200, approved.text);
    const { json: instance } = await ask(ada, `${INSTANCES}/${CACHES}/asked`);
    assert.equal(textAt(instance, 'object', 'metadata', 'annotations', 'chandlery.dev/approved-by'), 'oidc:ada@example.com');

    const other = textAt((await ask(vera, '/api/v1/change-requests', draft('other'))).json, 'id') ?? '';
    const name = other.replace(/^team-a\./, '');
    const decision = { verdict: 'Approved', by: 'oidc:bo@example.com', groups: ['oidc:team-a'] };
    const token = await idToken('bo');
    const patched = await run(
      token,
      'patch',
      'changerequest',
      name,
      '-n',
      'team-a',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { decision } }),
    );
    assert.equal(patched.exitCode, 0, patched.stderr);
    const waited = await run(token, 'wait', 'changerequest', name, '-n', 'team-a', '--for=condition=Applied=false', '--timeout=20s');
    assert.equal(waited.exitCode, 0, waited.stderr);
    const { stdout: message } = await run(token, 'get', 'changerequest', name, '-n', 'team-a', '-o', 'jsonpath={.status.message}');
    assert.match(message, /oidc:bo@example\.com is not signed in .* have it approved on its page/);
    assert.equal((await ask(ada, `${INSTANCES}/${CACHES}/other`)).status, 404, 'nothing is written as anybody else');
  });

  it('stay signed in as long as their provider renews them, and sign in again afterwards', async () => {
    const [ada, vera] = [await signIn('ada'), await signIn('vera')];
    dex.dismiss('ada');
    const page = async (browser: CookieBrowser): Promise<Visit> => await browser.visit('/environments', { redirects: 'stop' });
    assert.equal((await page(ada)).status, 200, 'their token still counts');
    await until(async () => (await page(ada)).status !== 200, 'their token is over', 60_000);
    const rejected = await page(ada);
    assert.equal(rejected.status, 401, rejected.text);
    assert.match(rejected.text, /href="\/login[^"]*"/);
    assert.equal((await ask(ada, '/api/v1/environments')).status, 401);
    assert.equal((await page(vera)).status, 200, 'others are renewed');
  });
});
