import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { newTokenText } from '../../src/domain/access-token/token-text.ts';
import { JOB_CLAIMS } from '../support/ci-issuer.ts';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN, type PersonName } from './people.ts';
import { CI_AUDIENCE, type Target } from './target.ts';

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
      return denied.length + 2;
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
    const sent = body === undefined || method === 'GET' ? {} : { body: JSON.stringify(body) };
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const all = { authorization: `Bearer ${token}`, ...('body' in sent ? { 'content-type': type } : {}), ...headers };
    const response = await fetch(`${origin}${path}`, { method, headers: all, redirect: 'manual', ...sent });
    const text = await response.text();
    return { status: response.status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined };
  };
}
