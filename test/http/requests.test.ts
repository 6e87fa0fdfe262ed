import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { type House, openHouse } from './support/house.ts';

interface Problem {
  readonly type: string;
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
}

const PARTS = 'multipart/form-data; boundary=x';

describe('a request', () => {
  let house: House;
  let authorization: string;
  before(async () => {
    house = await openHouse();
    authorization = `Bearer ${await house.issuer.mintToken('dev-a')}`;
  });
  after(() => house.close());

  const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${house.origin}${path}`, { ...options, headers: { authorization, ...(options.headers as Record<string, string>) } });
  const post = (type: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
    ask('/api/v1/echo', { method: 'POST', headers: { 'content-type': type }, body });
  const problemOf = async (answer: Response): Promise<Problem> => {
    assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8');
    return (await answer.json()) as Problem;
  };

  it('cannot say who it acts as: Impersonate-* and X-Remote-* are dropped before anything reads them', async () => {
    const names = [
      'Impersonate-User',
      'impersonate-group',
      'IMPERSONATE-EXTRA-scopes',
      'Impersonate-Uid',
      'X-Remote-User',
      'x-remote-group',
    ];
    const answer = await ask('/api/v1/me', { headers: Object.fromEntries(names.map((name) => [name, 'system:masters'])) });
    const { actor, headers, raw } = (await answer.json()) as { actor: { user: string }; headers: object; raw: string[] };
    assert.equal(actor.user, 'oidc:dev-a');
    assert.deepEqual(
      Object.keys(headers).filter((name) => /impersonate|remote/.test(name)),
      [],
    );
    assert.equal(raw.includes('system:masters'), false);
    assert.equal(raw.includes('authorization'), true, 'the others are still there');
  });

  it('gets an id, its own when that is harmless', async () => {
    const given = await ask('/healthz', { headers: { 'x-request-id': 'from-proxy-0001' } });
    assert.equal(given.headers.get('x-request-id'), 'from-proxy-0001');
    const odd = await ask('/healthz', { headers: { 'x-request-id': 'evil id {}' } });
    assert.match(odd.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('is logged once, with its user and without its query', async () => {
    const before = house.log.length;
    await (await ask('/api/v1/me?token=secret')).text();
    const lines = house.log.slice(before).filter(({ message }) => message === 'request');
    assert.equal(lines.length, 1);
    const { method, path, status, user } = lines[0]?.keys ?? {};
    assert.deepEqual({ method, path, status, user }, { method: 'GET', path: '/api/v1/me', status: 200, user: 'oidc:dev-a' });
    assert.doesNotMatch(stringifyJson(lines), /token=secret/);
  });

  it('gets a page that bounds itself', async () => {
    const answer = await ask('/apps', { headers: { accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "img-src 'self' data:"]) {
      assert.ok(policy.split(';').includes(part), `${part} in ${policy}`);
    }
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(answer.headers.get('referrer-policy'), 'same-origin');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('x-frame-options'), 'DENY');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('strict-transport-security'), null, 'not over plain http');
    assert.equal(answer.headers.get('x-powered-by'), null);
  });

  it('may carry a form with the same field twice, in its order, and with odd names', async () => {
    const answer = await post('application/x-www-form-urlencoded', 'b=1&a[0]=x&b=2&__proto__=y&n%C3%A4me=%2B');
    assert.deepEqual(await answer.json(), {
      body: [
        ['b', '1'],
        ['a[0]', 'x'],
        ['b', '2'],
        ['__proto__', 'y'],
        ['näme', '+'],
      ],
    });
  });

  it('may carry a form with a file, which is no field of it', async () => {
    const form = new FormData();
    for (const [name, value] of [
      ['b', '1'],
      ['näme', 'x\r\ny'],
      ['b', '2'],
    ] as const)
      form.append(name, value);
    form.append('file', new File(['a: 1\n'], 'a.yaml'));
    const answer = await ask('/api/v1/echo', { method: 'POST', body: form });
    assert.deepEqual(await answer.json(), {
      body: [
        ['b', '1'],
        ['näme', 'x\r\ny'],
        ['b', '2'],
      ],
    });
  });

  it('may carry a form of five thousand fields', async () => {
    const form = new URLSearchParams(Array.from({ length: 5000 }, (_, index): [string, string] => [`spec.users[${index}]`, 'x']));
    const { body } = (await (await post('application/x-www-form-urlencoded', form.toString())).json()) as { body: unknown[] };
    assert.equal(body.length, 5000);
  });

  it('may carry JSON or a merge patch', async () => {
    assert.deepEqual(await (await post('application/json', '{"a":[1]}')).json(), { body: { a: [1] } });
    assert.deepEqual(await (await post('application/merge-patch+json', '{"a":null}')).json(), { body: { a: null } });
  });

  const UNREADABLE: readonly [string, string, string | Uint8Array<ArrayBuffer>, number, string][] = [
    ['broken JSON', 'application/json', '{"password":"hunter2"', 400, 'MalformedRequest'],
    ['JSON that is only a word', 'application/json', '"hunter2"', 400, 'MalformedRequest'],
    ['JSON nested without end', 'application/json', '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000), 400, 'MalformedRequest'],
    ['a number beyond all numbers', 'application/json', '{"a":[1e999]}', 422, 'InvalidInput'],
    ['a form that is not UTF-8', 'application/x-www-form-urlencoded', new Uint8Array([0x61, 0x3d, 0xff]), 400, 'MalformedRequest'],
    ['JSON in another charset', 'application/json; charset=koi8-r', '{}', 400, 'MalformedRequest'],
    ['a form larger than 5 MiB', 'application/x-www-form-urlencoded', `a=${'x'.repeat(5_300_000)}`, 413, 'TooLarge'],
    ['a form of more than 20,000 fields', 'application/x-www-form-urlencoded', 'a=&'.repeat(20_000), 413, 'TooLarge'],
    ['JSON larger than 1 MiB', 'application/json', JSON.stringify({ a: 'x'.repeat(1_100_000) }), 413, 'TooLarge'],
    [
      'a form with a file whose parts have no end',
      PARTS,
      '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2',
      400,
      'MalformedRequest',
    ],
    ['a form with a file that does not say what parts it', 'multipart/form-data', 'hunter2', 400, 'MalformedRequest'],
    ['a form with a file of more than 8 MiB', PARTS, partsOf(1, 'x'.repeat(9_000_000)), 413, 'TooLarge'],
    ['a form with a file and an input of more than 5 MiB', PARTS, partsOf(1, 'x'.repeat(5_300_000)), 413, 'TooLarge'],
    ['a form with a file of more than 20,000 fields', PARTS, partsOf(20_001, ''), 413, 'TooLarge'],
  ];
  for (const [what, type, body, status, code] of UNREADABLE) {
    it(`is rejected with ${code} when it carries ${what}`, async () => {
      const problem = await problemOf(await post(type, body));
      assert.deepEqual([problem.status, problem.code], [status, code]);
      assert.doesNotMatch(problem.detail, /hunter2/);
    });
  }

  it('that fails inside shows its id and nothing else, and the log has the rest once', async () => {
    const answer = await ask('/api/v1/crash');
    const problem = await problemOf(answer);
    assert.deepEqual(
      { ...problem, requestId: '' },
      {
        type: 'urn:chandlery:error:Internal',
        title: 'Internal error',
        status: 500,
        detail: 'The request failed. Try again; if the error persists, give the request id to an admin.',
        instance: '/api/v1/crash',
        code: 'Internal',
        requestId: '',
      },
    );
    assert.equal(problem.requestId, answer.headers.get('x-request-id'));
    const lines = house.log.filter(({ keys, level }) => level === 'error' && keys['requestId'] === problem.requestId);
    assert.equal(lines.length, 1);
  });

  it('for a page that fails inside gets a page that says nothing either', async () => {
    const answer = await ask('/crash', { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 500);
    const text = await answer.text();
    assert.doesNotMatch(text, /hunter2|secret|node:/);
    assert.equal(JSON.parse(text).code, 'Internal');
  });

  it('for an address that does not exist gets that answer, as a page or as a problem', async () => {
    const page = await ask('/nowhere/at/all', { headers: { accept: 'text/html,*/*' } });
    assert.equal(page.status, 404);
    assert.equal(JSON.parse(await page.text()).message, 'address: nothing exists at "/nowhere/at/all"');
    const problem = await problemOf(await ask('/api/v1/nowhere?x=1'));
    assert.deepEqual([problem.code, problem.instance], ['NotFound', '/api/v1/nowhere']);
  });

  it('with broken percent-encoding is the caller’s fault', async () => {
    const problem = await problemOf(await ask('/apps/%E0%A4%A', { headers: { accept: 'application/json' } }));
    assert.deepEqual([problem.status, problem.code], [400, 'MalformedRequest']);
  });

  it('for a page by nobody leads to the sign-in, and for the API is rejected', async () => {
    const page = await fetch(`${house.origin}/apps?q=1`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    assert.equal(page.headers.get('location'), '/login?return=%2Fapps%3Fq%3D1');
    const api = await fetch(`${house.origin}/api/v1/me`, { headers: { accept: 'text/html' } });
    assert.deepEqual([api.status, api.headers.get('www-authenticate')], [401, 'Bearer realm="chandlery"']);
  });

  it('for what anyone may see needs nobody', async () => {
    assert.deepEqual(await (await fetch(`${house.origin}/public/who`)).json(), { user: 'nobody' });
    assert.deepEqual(await (await ask('/public/who')).json(), { user: 'oidc:dev-a' });
  });

  it('is answered even when it ends before the body does', async () => {
    const url = new URL('/api/v1/echo', house.origin);
    const headers = { authorization, 'content-type': 'application/json', 'content-length': '100' };
    const req = request(url, { method: 'POST', headers });
    req.on('error', () => undefined);
    req.write('{"a":');
    req.destroy();
    assert.equal((await fetch(`${house.origin}/healthz`)).status, 200);
  });
});

describe('an error of the table', () => {
  it('reaches programs with its faults as pointers, the missing permission and the time to wait', async () => {
    const error = new AppError('Forbidden', 'install: no', {
      faults: [{ field: 'spec.users[0].na/me', message: 'must not be empty' }],
      missing: { verb: 'create', group: 'samples.chandlery.dev', resource: 'caches', namespace: 'team-b' },
      retryAfter: 7,
    });
    const house = await openHouse({
      http: { routers: [{ path: '/', access: 'anyone', handler: (_req, _res, next) => next(error) }] },
    });
    const answer = await fetch(`${house.origin}/api/v1/x`);
    const problem = (await answer.json()) as object;
    await house.close();
    assert.equal(answer.headers.get('retry-after'), '7');
    assert.deepEqual(problem, {
      type: 'urn:chandlery:error:Forbidden',
      title: 'Permission denied',
      status: 403,
      detail: 'install: no',
      instance: '/api/v1/x',
      code: 'Forbidden',
      requestId: answer.headers.get('x-request-id'),
      errors: [{ detail: 'must not be empty', pointer: '#/spec/users/0/na~1me', field: 'spec.users[0].na/me' }],
      missing: { verb: 'create', group: 'samples.chandlery.dev', resource: 'caches', namespace: 'team-b' },
    });
  });

  it('of something that is away says when to come back, to programs and to people', async () => {
    const error = new AppError('ClusterUnavailable', 'check of your permissions: the cluster does not answer: it rejected the connection');
    const house = await openHouse({
      http: { routers: [{ path: '/', access: 'anyone', handler: (_req, _res, next) => next(error) }] },
    });
    const answers = await Promise.all(['/api/v1/x', '/operators'].map(async (path) => await fetch(house.origin + path)));
    await house.close();
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('retry-after')]),
      [
        [503, '5'],
        [503, '5'],
      ],
    );
  });

  it('is reported even when the page for it cannot be rendered', async () => {
    const house = await openHouse({
      http: {
        renderError: () => {
          throw new Error('the template is broken');
        },
      },
    });
    const answer = await house.browser().visit('/auth/callback');
    await house.close();
    assert.equal(answer.status, 401);
    assert.match(answer.text, /^<!doctype html>.*<h1>Something went wrong<\/h1><p>Request [\w-]+<\/p>$/);
  });
});

describe('the metrics', () => {
  it('name one route by one label, no matter what answers it, and everything that no route takes by another', async () => {
    const seen: string[] = [];
    const house = await openHouse({ http: { observe: ({ method, route, status }) => void seen.push(`${method} ${route} ${status}`) } });
    const authorization = `Bearer ${await house.issuer.mintToken('dev-a')}`;
    const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<unknown> =>
      await (await fetch(`${house.origin}${path}`, { method, headers, redirect: 'manual' })).text();
    await ask('/api/v1/me?x=1', { authorization });
    await ask('/api/v1/me', { authorization: 'Bearer forged' });
    await ask('/api/v1/me', { authorization, 'content-encoding': 'gzip' }, 'DELETE');
    await ask('/api/v1/crash', { authorization });
    await ask('/wp-login.php');
    await ask('/%ff');
    await ask('/healthz');
    await ask('/issuer/.well-known/openid-configuration');
    await house.close();
    assert.deepEqual(seen.filter((line) => !line.includes('/issuer') || line.startsWith('GET')).slice(-8), [
      'GET /api/v1/me 200',
      'GET /api/v1/me 401',
      'DELETE /api/v1/me 404',
      'GET /api/v1/crash 500',
      'GET unmatched 302',
      'GET unmatched 302',
      'GET /healthz 200',
      'GET /issuer/*rest 200',
    ]);
  });
});

describe('too many requests', () => {
  it('are rejected with a time to wait, sign-ins sooner than others, probes never', async () => {
    const house = await openHouse({ http: { rateLimits: { all: 8, signIn: 3 } } });
    const statuses = async (path: string, count: number): Promise<number[]> => {
      const found: number[] = [];
      for (let index = 0; index < count; index++) found.push((await fetch(`${house.origin}${path}`, { redirect: 'manual' })).status);
      return found;
    };
    assert.deepEqual(await statuses('/auth/callback', 4), [401, 401, 401, 429]);
    assert.deepEqual(await statuses('/public/who', 5), [200, 200, 200, 200, 429]);
    const rejected = await fetch(`${house.origin}/api/v1/me`);
    assert.deepEqual([rejected.status, rejected.headers.get('retry-after')], [429, '60']);
    assert.equal(((await rejected.json()) as Problem).code, 'TooManyRequests');
    assert.deepEqual(
      await statuses('/healthz', 10),
      Array.from({ length: 10 }, () => 200),
    );
    await house.close();
  });

  it('are those of a person who is signed in, whatever the token, and never those of the address or of our own calls', async () => {
    const house = await openHouse({ http: { rateLimits: { all: 8, signIn: 3 } } });
    const get = async (token?: string): Promise<Response> =>
      await fetch(`${house.origin}/api/v1/me`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
    const statuses = async (count: number, token: () => Promise<string>): Promise<number[]> => {
      const found: number[] = [];
      for (let index = 0; index < count; index++) found.push((await get(await token())).status);
      return found;
    };
    for (let index = 0; index < 8; index++) await get();
    assert.equal((await get()).status, 429, 'the address has sent enough as nobody');
    const mint = (person: string) => async (): Promise<string> => await house.issuer.mintToken(person);
    assert.deepEqual(await statuses(9, mint('dev-a')), [200, 200, 200, 200, 200, 200, 200, 200, 429]);
    const rejected = await get(await mint('dev-a')());
    assert.match(rejected.headers.get('retry-after') ?? '', /^(60|5\d)$/);
    assert.match(rejected.headers.get('ratelimit') ?? '', /r=0/);
    assert.deepEqual(await statuses(8, mint('dev-b')), [200, 200, 200, 200, 200, 200, 200, 200], 'another person at the same address');
    assert.deepEqual(await statuses(9, async () => 'forged'), [401, 401, 401, 401, 401, 401, 401, 401, 429]);
    await house.close();
  });
});

function partsOf(count: number, value: string): string {
  return `${`--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${value}\r\n`.repeat(count)}--x--\r\n`;
}
