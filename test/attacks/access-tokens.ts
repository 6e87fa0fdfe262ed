import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { newTokenText } from '../../src/domain/access-token/token-text.ts';
import { CI_AUDIENCE, JOB_CLAIMS } from '../support/ci-issuer.ts';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN, type PersonName } from './people.ts';
import type { Target } from './target.ts';

// What somebody can do with a personal access token that they found, or made up.

const INSTANCES = `/api/v1/environments/${ATTACKED}/instances`;
const INSTALL = { app: 'caches.samples.chandlery.dev', name: 'by-token', spec: {} };

export const attacks: readonly Attack[] = [
  {
    title: 'somebody sends a personal access token that is wrong, cut short, upper-cased, revoked, or in the wrong place',
    run: async (target) => {
      const { id, token } = await create(target, 'developer', { name: 'victim' });
      assert.equal(await statusWith(target, `Bearer ${token}`), 200);
      const powerless = [
        `Bearer ${newTokenText()}`,
        `Bearer ${token.slice(0, -1)}`,
        `Bearer ${token.slice(0, 20)}`,
        `Bearer ${token.toUpperCase()}`,
        `Bearer ${token.toLowerCase()}`,
        `Bearer ${token}0`,
        `Bearer ${token}.${token}`,
        `Bearer chp_`,
        `Basic ${Buffer.from(`oidc:developer:${token}`).toString('base64')}`,
        `token ${token}`,
        token,
      ];
      for (const authorization of powerless) assert.equal(await statusWith(target, authorization), 401, authorization.slice(0, 24));
      const query = ['access_token', 'token', 'private_token', 'authorization'].map((name) => `${name}=${token}`).join('&');
      assert.equal((await fetch(`${target.origin}/api/v1/me?${query}`)).status, 401, 'in the query');
      const form = { method: 'POST', body: new URLSearchParams({ access_token: token }), headers: { origin: target.origin } };
      assert.equal((await fetch(`${target.origin}/api/v1/me/tokens`, form)).status, 401, 'in the body');
      const browser = target.browser();
      browser.setCookie(`chandlery-${new URL(target.origin).port}`, token);
      assert.equal((await browser.visit('/api/v1/me', { headers: { accept: 'application/json' } })).status, 401, 'in the cookie');
      await target.call('developer', `/api/v1/me/tokens/${id}/revocation`, { method: 'POST' });
      assert.equal(await statusWith(target, `Bearer ${token}`), 401, 'revoked');
      return powerless.length + 4;
    },
  },
  {
    title: 'a token with the scope read is used to write, by any method on any route of the API',
    run: async (target) => {
      const { token } = await create(target, 'maintainer', { name: 'reader', scope: 'read' });
      const send = sender(target, token);
      assert.equal((await send('GET', INSTANCES)).status, 200);
      const paths = [
        INSTANCES,
        `${INSTANCES}/caches.samples.chandlery.dev/x`,
        '/api/v1/saved-configurations',
        '/api/v1/me/tokens',
        '/apps',
      ];
      for (const path of paths)
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
          assert.equal((await send(method, path, INSTALL)).status, 403, method + path);
      const override = { 'X-HTTP-Method-Override': 'POST', 'X-HTTP-Method': 'POST', 'X-Method-Override': 'POST' };
      assert.equal((await send('GET', INSTANCES, undefined, override)).status, 200);
      assert.equal((await send('GET', `${INSTANCES}/caches.samples.chandlery.dev/by-token`)).status, 404, 'nothing was installed');
      return paths.length * 4 + 1;
    },
  },
  {
    title: 'an admin’s token for one environment is used elsewhere in the cluster',
    run: async (target) => {
      const { token } = await create(target, 'admin', { name: 'limited', scope: 'write', environments: [ATTACKED] });
      const send = sender(target, token);
      assert.equal((await send('GET', `/api/v1/environments/${ATTACKED}`)).status, 200);
      const { json } = await send('GET', '/api/v1/environments');
      assert.deepEqual(
        listAt(json, 'items').map((one) => textAt(one, 'name')),
        [ATTACKED],
      );
      const denied: readonly (readonly [string, string])[] = [
        ['GET', `/api/v1/environments/${FOREIGN}`],
        ['GET', `/api/v1/environments/${FOREIGN}/instances`],
        ['POST', `/api/v1/environments/${FOREIGN}/instances`],
        ['GET', '/api/v1/operators'],
        ['GET', '/api/v1/sources'],
        ['GET', '/api/v1/audit-events'],
        ['GET', '/api/v1/access-tokens'],
        ['GET', '/api/v1/me/tokens'],
        ['GET', '/api/v1/catalog/faults'],
        ['DELETE', `/api/v1/environments/${ATTACKED}`],
        ['PATCH', `/api/v1/environments/${ATTACKED}`],
        ['GET', '/admin/audit-log'],
        ['GET', `/environments/${FOREIGN}`],
      ];
      for (const [method, path] of denied) {
        const { status } = await send(method, path, method === 'PATCH' ? { spec: { groups: [] } } : INSTALL);
        assert.ok(status === 403 || status === 404, `${method} ${path} answered ${status}`);
      }
      assert.deepEqual(listAt((await send('GET', '/api/v1/saved-configurations')).json, 'items'), []);
      return denied.length + 2 + (await useLimited(target));
    },
  },
  {
    title: 'somebody makes tokens with a token, out of a job, for an environment of others, or for ever',
    run: async (target) => {
      const { id, token } = await create(target, 'developer', { name: 'parent', scope: 'write' });
      const send = sender(target, token);
      assert.equal((await send('POST', '/api/v1/me/tokens', { name: 'child' })).status, 403);
      assert.equal((await send('GET', '/account/tokens')).status, 403);
      assert.equal((await send('POST', `/api/v1/me/tokens/${id}/revocation`)).status, 403);
      const job = await target.ci.sign({ ...JOB_CLAIMS, aud: CI_AUDIENCE });
      assert.equal((await sender(target, job)('POST', '/api/v1/me/tokens', { name: 'of a job' })).status, 403);
      const never = new Date(Date.now() + 366 * 86_400_000).toISOString();
      const wrong = [
        { name: 'x', environments: [FOREIGN] },
        { name: 'x', environments: [] },
        { name: 'x', expires: never },
        { name: 'x', expires: 'never' },
        { name: 'x', expires: new Date(0).toISOString() },
        { name: 'x', scope: 'admin' },
        { name: 'x', user: 'oidc:admin' },
        { name: 'x', groups: ['oidc:platform'] },
        { name: '\u202e' },
        { name: ' ' },
      ];
      for (const body of wrong)
        assert.equal((await target.call('developer', '/api/v1/me/tokens', { method: 'POST', body })).status, 422, JSON.stringify(body));
      const { json } = await send('GET', '/api/v1/me');
      assert.deepEqual([textAt(json, 'user'), textsAt(json, 'groups')], ['oidc:developer', ['chandlery:signed-in', 'oidc:developers']]);
      assert.equal(
        (await target.call('rival', `/api/v1/me/tokens/${id}/revocation`, { method: 'POST' })).status,
        404,
        'revoked by somebody else',
      );
      assert.equal((await target.call('rival', `/api/v1/access-tokens/${id}/revocation`, { method: 'POST' })).status, 403);
      return wrong.length + 6;
    },
  },
  {
    title: 'a registration token is used for anything else than its Environments, more often than it says, or after its rotation',
    run: async (target) => {
      const spec = { tier: 'testing', owner: 'team-x', groups: [{ name: 'oidc:developers', role: 'viewer' }] };
      const draft = { name: 'team x', names: 'token-x-*', uses: 2, projects: [{ name: 'team-x/*', role: 'viewer' }], spec };
      const issue = async (person: PersonName, body: object) =>
        await target.call(person, '/api/v1/registration-tokens', { method: 'POST', body });
      assert.equal((await issue('developer', draft)).status, 403, 'by whoever may create no Environments');
      for (const wrong of [
        { names: 'a*b*' },
        { uses: 0 },
        { uses: 101 },
        { spec: { namespace: 'kube-system' } },
        { spec: { tier: 'Not a tier' } },
        { user: 'oidc:x' },
      ])
        assert.equal((await issue('admin', { ...draft, ...wrong })).status, 422, JSON.stringify(wrong));
      const issued = await issue('admin', draft);
      assert.equal(issued.status, 201, issued.text);
      const [id, token] = [textAt(issued.json, 'registrationToken', 'id') ?? '', textAt(issued.json, 'token') ?? ''];
      const send = sender(target, token);
      const elsewhere: readonly (readonly [string, string])[] = [
        ...['/me', '/apps', '/environments', '/audit-events', '/registration-tokens', '/environment-registrations', '/operators'].map(
          (path) => ['GET', `/api/v1${path}`] as const,
        ),
        ['POST', '/api/v1/environments'],
        ['POST', '/api/v1/environment-registrations/'],
        ['POST', '/API/v1/environment-registrations'],
        ['PUT', '/api/v1/environment-registrations'],
        ['POST', `/api/v1/registration-tokens/${id}/rotation`],
        ['POST', '/api/v1/me/tokens'],
        ['DELETE', `/api/v1/environments/${ATTACKED}`],
        ['GET', '/'],
        ['GET', `/environments/${ATTACKED}/resources/stream`],
      ];
      for (const [method, path] of elsewhere)
        assert.equal((await send(method, path, { name: 'token-x-1' })).status, 403, `${method} ${path}`);
      const register = async (body: object) => await send('POST', '/api/v1/environment-registrations', body);
      const wrong: readonly object[] = [
        { name: ATTACKED },
        { name: 'token-y-1' },
        { name: 'token-x-1', owner: 'somebody' },
        { name: 'token-x-1', projects: [{ name: 'team-y/shop' }] },
        { name: 'token-x-1', projects: [{ name: 'team-x/shop', role: 'maintainer' }] },
        { name: 'token-x-1', groups: [{ name: 'oidc:rivals', role: 'maintainer' }] },
        { name: 'token-x-1', spec: { namespace: 'kube-system' } },
        { name: 'token-x-1', namespace: 'kube-system' },
        { name: 'token-x-UP' },
      ];
      for (const body of wrong) assert.equal((await register(body)).status, 422, stringifyJson(body));
      const many = await Promise.all(Array.from({ length: 6 }, async (_, index) => (await register({ name: `token-x-${index}` })).status));
      assert.deepEqual(
        many.toSorted((a, b) => a - b),
        [201, 201, 403, 403, 403, 403],
        'two, however many come at once',
      );
      const { json } = await target.call('admin', `/api/v1/environments/token-x-${many.indexOf(201)}`);
      assert.deepEqual([textAt(json, 'tier'), textAt(json, 'object', 'spec', 'owner')], ['testing', 'team-x']);
      assert.equal((await target.call('rival', `/api/v1/registration-tokens/${id}/rotation`, { method: 'POST' })).status, 404);
      const rotated = await target.call('admin', `/api/v1/registration-tokens/${id}/rotation`, { method: 'POST' });
      assert.equal(await statusWith(target, `Bearer ${token}`), 401, 'the earlier text');
      const next = sender(target, textAt(rotated.json, 'token') ?? '');
      assert.equal((await next('POST', '/api/v1/environment-registrations', { name: 'token-x-9' })).status, 403, 'the count stays');
      await target.call('admin', `/api/v1/registration-tokens/${id}/revocation`, { method: 'POST' });
      assert.equal((await next('POST', '/api/v1/environment-registrations', { name: 'token-x-9' })).status, 401, 'revoked');
      const events = await target.call('admin', '/api/v1/audit-events?text=register');
      assert.ok(
        listAt(events.json, 'items').some((entry) => textAt(entry, 'token') === `team x (${id})`),
        events.text,
      );
      return elsewhere.length + wrong.length + many.length + 12;
    },
  },
  {
    title: 'somebody reads the state folder and the audit log to find tokens, or acts without a trace of the token',
    run: async (target) => {
      const { id, token } = await create(target, 'developer', { name: 'traced', scope: 'write' });
      await sender(target, token)('POST', '/api/v1/saved-configurations', { app: INSTALL.app, title: 'by token', values: {} });
      for (const name of await readdir(target.stateDir, { recursive: true })) {
        if (!/store|log/.test(name) || !/\.(json|jsonl|log)$/.test(name)) continue;
        assert.ok(!(await readFile(join(target.stateDir, name), 'utf8')).includes(token.slice(4, 40)), name);
      }
      const { json } = await target.call('admin', '/api/v1/audit-events?person=developer');
      assert.ok(listAt(json, 'items').some((entry) => textAt(entry, 'token') === `traced (${id})`));
      return 2;
    },
  },
];

interface Created {
  readonly id: string;
  readonly token: string;
}

async function create(target: Target, person: PersonName, body: object): Promise<Created> {
  const { status, json, text } = await target.call(person, '/api/v1/me/tokens', { method: 'POST', body });
  assert.equal(status, 201, text);
  return { id: textAt(json, 'accessToken', 'id') ?? '', token: textAt(json, 'token') ?? '' };
}

/** What a developer's token for one environment is for works in that environment, the catalogue included. */
async function useLimited(target: Target): Promise<number> {
  const { token } = await create(target, 'developer', { name: 'installer', scope: 'write', environments: [ATTACKED] });
  const send = sender(target, token);
  const { json: apps } = await send('GET', '/api/v1/apps');
  assert.ok(listAt(apps, 'items').some((one) => textAt(one, 'id') === INSTALL.app));
  const wanted = { ...INSTALL, name: 'by-limited-token' };
  const preflight = await send('POST', `${INSTANCES}?dryRun=All`, wanted);
  assert.deepEqual([preflight.status, textAt(preflight.json, 'verdict')], [200, 'Ready'], stringifyJson(preflight.json));
  assert.deepEqual(listAt(preflight.json, 'findings', 'unchecked'), []);
  const instance = `${INSTANCES}/${INSTALL.app}/${wanted.name}`;
  const calls: readonly (readonly [string, string, number])[] = [
    ['GET', `/api/v1/apps/${INSTALL.app}`, 200],
    ['GET', `/api/v1/apps/${INSTALL.app}/form`, 200],
    ['POST', INSTANCES, 201],
    ['GET', instance, 200],
    ['GET', `${instance}/tree`, 200],
    ['GET', `${instance}/logs`, 200],
    ['GET', `/api/v1/environments/${ATTACKED}/resources`, 200],
    ['GET', `/apps/${INSTALL.app}/install?environment=${ATTACKED}`, 200],
    ['GET', `/environments/${ATTACKED}`, 200],
    ['DELETE', instance, 202],
  ];
  for (const [method, path, status] of calls) {
    const answer = await send(method, path, method === 'POST' ? wanted : undefined);
    assert.equal(answer.status, status, `${method} ${path} ${stringifyJson(answer.json)}`);
  }
  return calls.length + 2;
}

async function statusWith({ origin }: Target, authorization: string): Promise<number> {
  return (await fetch(`${origin}/api/v1/me`, { headers: { authorization } })).status;
}

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly json: unknown }>;

function sender({ origin }: Target, token: string): Send {
  return async (method, path, body, headers = {}) => {
    const sent = body === undefined || method === 'GET' ? {} : { body: stringifyJson(body) };
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const all = { authorization: `Bearer ${token}`, ...('body' in sent ? { 'content-type': type } : {}), ...headers };
    const response = await fetch(`${origin}${path}`, { method, headers: all, redirect: 'manual', ...sent });
    const text = await response.text();
    return { status: response.status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined };
  };
}
