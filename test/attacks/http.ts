import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { isTooLong, type Attack } from './attack.ts';
import { ATTACKED, FOREIGN } from './people.ts';
import { open, rawStatus, statusOf } from './raw-request.ts';
import type { Target } from './target.ts';
import { elapse } from '../support/elapse.ts';

const MIB = 1024 * 1024;
const INSTANCES = `/api/v1/environments/${ATTACKED}/instances`;
const DRY_RUN = `${INSTANCES}?dryRun=All`;
const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';

/** Addresses that take bodies, of every sort. */
const TAKERS: readonly (readonly [string, string])[] = [
  [INSTANCES, JSON_TYPE],
  ['/api/v1/operators', JSON_TYPE],
  ['/api/v1/nowhere', JSON_TYPE],
  ['/apps/caches.samples.chandlery.dev/install', FORM_TYPE],
  ['/nowhere', FORM_TYPE],
  ['/auth/backchannel-logout', FORM_TYPE],
  ['/issuer/token', FORM_TYPE],
  ['/issuer/interaction/nobody', FORM_TYPE],
  ['/logout', FORM_TYPE],
];

export const attacks: readonly Attack[] = [
  {
    title: 'nobody announces a megabyte: it is answered without being waited for',
    run: async ({ origin }) => {
      for (const [path, type] of TAKERS) {
        const status = await rawStatus(origin, { head: [...headOf(origin, path), type, `Content-Length: ${MIB}`], body: '{"a":[' });
        assert.ok(status >= 300 && status < 500, `${path} answered ${status}`);
      }
      return TAKERS.length;
    },
  },
  {
    title: 'somebody sends JSON that takes long to read',
    run: async (target) => {
      const bodies = heavyBodies();
      for (const [what, body] of bodies) {
        const { status } = await target.call('stranger', DRY_RUN, json(body));
        assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
      }
      await within50(target, 'JSON');
      return bodies.length;
    },
  },
  {
    title: 'forty large bodies of one person at once leave room for another',
    run: async (target) => {
      const body = JSON.stringify({ app: 'a', name: 'b', spec: { text: 'x'.repeat(900_000) } });
      const flood = Array.from({ length: 40 }, async () => (await target.call('stranger', DRY_RUN, json(body))).status);
      const began = performance.now();
      assert.equal((await target.call('developer', '/api/v1/me')).status, 200);
      const ms = performance.now() - began;
      const statuses = await Promise.all(flood);
      assert.ok(
        statuses.every((status) => [404, 409, 413, 422].includes(status)),
        statuses.join(),
      );
      assert.ok(ms < 3_000, `another person waited ${ms} ms`);
      await within50(target, 'a flood');
      return flood.length;
    },
  },
  {
    title: 'one person installs as fast as requests can be sent',
    run: async (target) => {
      const install = { method: 'POST', body: { app: 'none.example.com', name: 'many', spec: {} } };
      const address = `/api/v1/environments/${FOREIGN}/instances`;
      const answers = await Promise.all(Array.from({ length: 40 }, async () => await target.call('neighbour', address, install)));
      const rejected = answers.filter(({ status }) => status === 429);
      assert.ok(rejected.length >= 5, answers.map(({ status }) => status).join());
      const wait = Math.max(...rejected.map(({ headers }) => Number(headers.get('retry-after'))));
      assert.ok(wait >= 1 && wait <= 4, `Retry-After: ${wait}`);
      await elapse(wait * 1000);
      assert.equal((await target.call('neighbour', address, install)).status, 404, 'and one more after that time');
      return answers.length;
    },
  },
  {
    title: 'a body is compressed, so that it becomes a thousand times as large',
    run: async (target) => {
      const body = gzipSync(Buffer.alloc(50 * MIB, ' '));
      for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding };
        assert.equal((await target.call('developer', INSTANCES, { method: 'POST', body, headers })).status, 415, coding);
      }
      return 5;
    },
  },
  {
    title: 'a header that says who or what stands twice',
    run: async (target) => {
      const token = `Authorization: Bearer ${await target.token('developer')}`;
      const doubles: readonly (readonly [string, string])[] = [
        [token, `Authorization: Bearer ${await target.token('admin')}`],
        [token, 'authorization: Basic YTpi'],
        ['Cookie: a=b', 'Cookie: c=d'],
        [JSON_TYPE, 'content-type: text/plain'],
        [`Origin: ${target.origin}`, 'Origin: https://evil.example'],
        ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
        ['Content-Length: 2', 'Content-Length: 3'],
        ['Content-Length: 2', 'Transfer-Encoding: chunked'],
        [`Host: ${new URL(target.origin).host}`, 'Host: evil.example'],
      ];
      for (const pair of doubles) {
        const head = ['POST /api/v1/me HTTP/1.1', ...pair, ...(pair[0].startsWith('Host') ? [] : [hostOf(target.origin)])];
        assert.equal(await rawStatus(target.origin, { head, body: '{}' }), 400, pair.join(' and '));
      }
      return doubles.length;
    },
  },
  {
    title: 'a second session cookie is planted beside the first',
    run: async (target) => {
      const name = `chandlery-${new URL(target.origin).port}`;
      for (const cookie of [`${name}=a; ${name}=b`, `${name}=a; x=y; ${name}=a`]) {
        for (const path of ['/apps', '/api/v1/me', '/logout']) {
          const method = path === '/logout' ? 'POST' : 'GET';
          assert.equal((await target.call('anonymous', path, { method, headers: { cookie } })).status, 400, `${path} with ${cookie}`);
        }
      }
      return 6;
    },
  },
  {
    title: 'a page whose name was made to lead here asks',
    run: async ({ origin, token }) => {
      const { port } = new URL(origin);
      const authorization = `Authorization: Bearer ${await token('developer')}`;
      const foreign = [
        'evil.example',
        `evil.example:${port}`,
        'localhost.evil.example',
        '127.0.0.1.nip.io',
        'localhost@evil.example',
        'evil',
        '',
      ];
      for (const host of foreign) {
        for (const path of ['/', '/apps', '/api/v1/me', '/issuer/.well-known/openid-configuration', '/login', '/static/none'])
          assert.ok(
            [400, 421].includes(await rawStatus(origin, { head: [`GET ${path} HTTP/1.1`, `Host: ${host}`, authorization] })),
            `${host}${path}`,
          );
      }
      assert.equal(await rawStatus(origin, { head: ['GET http://evil.example/api/v1/me HTTP/1.1', hostOf(origin), authorization] }), 400);
      for (const host of ['localhost', `LOCALHOST:${port}`, '127.0.0.1', '[::1]', 'localhost.'])
        assert.equal(await rawStatus(origin, { head: ['GET /api/v1/me HTTP/1.1', `Host: ${host}`, authorization] }), 200, host);
      for (const path of ['/healthz', '/livez', '/readyz'])
        assert.equal(await rawStatus(origin, { head: [`GET ${path} HTTP/1.1`, 'Host: 10.1.2.3:8080'] }), 200, path);
      assert.equal(await rawStatus(origin, { head: ['GET /metrics HTTP/1.1', 'Host: 10.1.2.3:8080'] }), 401, '/metrics');
      return foreign.length * 6 + 1;
    },
  },
  {
    title: 'a line sends its headers, or its body, one byte at a time',
    pace: 'slow',
    run: async ({ origin, token }) => {
      const authorization = `Authorization: Bearer ${await token('developer')}`;
      const head = [...headOf(origin, INSTANCES), JSON_TYPE, authorization, `Content-Length: ${MIB}`];
      const began = performance.now();
      const headers = drip(origin, `GET / HTTP/1.1\r\n${hostOf(origin)}\r\nX-Slow: `, 14_000);
      const body = drip(origin, `${head.join('\r\n')}\r\n\r\n{`, 36_000);
      assert.equal(await headers, 408);
      assert.ok(performance.now() - began > 9_000);
      assert.equal(await body, 408);
      assert.ok(performance.now() - began > 29_000);
      return 2;
    },
  },
];

function hostOf(origin: string): string {
  return `Host: ${new URL(origin).host}`;
}

function headOf(origin: string, path: string): string[] {
  return [`POST ${path} HTTP/1.1`, hostOf(origin)];
}

function json(body: string): { method: string; body: string; headers: Record<string, string> } {
  return { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
}

async function within50(target: Target, what: string): Promise<void> {
  const { workMs } = await target.measure();
  assert.ok(!isTooLong(workMs), `${what} held the event loop for ${workMs.toFixed(0)} ms`);
}

/** A megabyte each, of what costs a parser or what comes after it most. */
function heavyBodies(): readonly (readonly [string, string])[] {
  const list = (item: string): string => `{"spec":{"a":[${`${item},`.repeat(Math.floor(1_000_000 / (item.length + 1)))}0]}}`;
  return [
    ['numbers', list('0')],
    ['long numbers', list('1234567890123456')],
    ['objects', list('{}')],
    ['lists', list('[]')],
    ['texts', list('"abc"')],
    ['fields', `{"spec":{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":${index}`).join(',')}}}`],
    ['a number of a million digits', `{"spec":{"a":1.${'0'.repeat(1_000_000)}1}}`],
    ['depth', `{"spec":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
    ['the allowed number of values', `{"spec":{"a":[${'{"b":1.25},'.repeat(4_500)}0]}}`],
    ['escapes', `{"spec":{"a":"${'\\u0041'.repeat(160_000)}"}}`],
  ];
}

async function drip(origin: string, beginning: string, withinMs: number): Promise<number> {
  const socket = await open(origin);
  socket.write(beginning);
  const timer = setInterval(() => socket.write('a'), 500);
  try {
    return await statusOf(socket, withinMs);
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}
