import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SCHEMAS } from '../../src/api/schemas.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { checkedProduct } from '../support/answer-check.ts';
import { callsInNamespace, usersOfRequest } from '../support/audit.ts';
import { removeChildren, writeChild } from '../support/write-child.ts';
import { pythonMissing, runPythonClient, runTypeScriptClient } from '../support/generated-clients.ts';
import { until, type Answer } from '../support/product.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { inAll } from '../support/test-set.ts';

const CACHES = 'caches.samples.chandlery.dev';
const HERE = `product-api-${process.pid}`;
const INSTANCES = `/environments/${HERE}/instances`;
/** A sample Operator that no other test changes. */
const OPERATOR = '/operators/chandlery-system/postgres';

describe('the REST API of the whole product', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  /** The ids of the requests of these tests. */
  const requests = new Set<string>();
  const names = (answer: Answer): (string | undefined)[] => listAt(answer.body, 'items').map((item) => textAt(item, 'name'));

  /** Does something to exactly what was read, and reads it again while its status moves, as clients do. */
  async function asRead(path: string, act: (headers: { 'If-Match': string }) => Promise<Answer>): Promise<{ seen: string; done: Answer }> {
    for (let attempt = 1; ; attempt += 1) {
      const seen = (await product.api('dev-a', path)).headers.get('etag') ?? '';
      const done = await act({ 'If-Match': seen });
      if (done.status !== 412 || attempt === 20) return { seen, done };
    }
  }

  before(async () => {
    const shared = await sharedProduct();
    const { api } = checkedProduct(shared);
    const recorded: SharedProduct['api'] = async (...call) => {
      const answer = await api(...call);
      requests.add(answer.headers.get('x-request-id') ?? '');
      return answer;
    };
    product = { ...shared, api: recorded };
    await addEnvironment(product, HERE);
  });
  after(async () => {
    await product.stop();
  });

  it('shows people who they are for the api-server', async () => {
    const { body } = await product.api('dev-a', '/me');
    assert.equal(textAt(body, 'user'), 'oidc:dev-a');
    assert.ok(listAt(body, 'groups').includes('oidc:team-a'));
    assert.equal(at(body, 'admin'), false);
    assert.equal(at((await product.api('admin', '/me')).body, 'admin'), true);
  });

  it('shows the catalogue with facets, and an app with its schema and README', async () => {
    const { body } = await product.api('dev-a', '/apps?search=cache');
    assert.equal(textAt(body, 'items', 0, 'id'), CACHES);
    assert.ok(listAt(body, 'facets', 'category').length > 0);
    const app = (await product.api('dev-a', `/apps/${CACHES}`)).body;
    assert.ok((textAt(app, 'readme') ?? '').length > 100);
    assert.ok(at(app, 'schema', 'properties', 'spec') !== undefined);
  });

  it('gives the form of an app as plain data that fits its documented type', async () => {
    const { status, body } = await product.api('dev-a', `/apps/${CACHES}/form`);
    assert.equal(status, 200);
    assert.equal(textAt(body, 'root', 'kind'), 'group');
    assert.deepEqual(listAt(body, 'coverage', 'unreachable'), []);
    const isForm = new Ajv2020({ strict: false }).compile({ ...SCHEMAS.Form, components: { schemas: SCHEMAS } });
    assert.ok(isForm(body), stringifyJson(isForm.errors));
    assert.equal((await product.api('dev-a', '/apps/nothing.example.com/form')).status, 404);
  });

  it("answers for another team's environment exactly as for one that does not exist", async () => {
    const theirs = await product.api('dev-b', INSTANCES);
    const nobodys = await product.api('dev-b', '/environments/team-x/instances');
    assert.equal(theirs.status, 404);
    assert.equal(withoutNames(theirs.body, HERE), withoutNames(nobodys.body, 'team-x'));
    assert.ok(!names(await product.api('dev-b', '/environments?limit=500')).includes(HERE));
  });

  it('finds out what would happen and writes nothing', async () => {
    const good = await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body: { app: CACHES, name: 'dry', spec: {} } });
    assert.equal(textAt(good.body, 'verdict'), 'Ready');
    const bad = await product.api('dev-a', `${INSTANCES}?dryRun=All`, {
      method: 'POST',
      body: { app: CACHES, name: 'dry', spec: { replicas: 'many' } },
    });
    assert.equal(textAt(bad.body, 'verdict'), 'Blocked');
    assert.equal(textAt(bad.body, 'faults', 0, 'field'), 'spec.replicas');
    assert.equal((await product.api('dev-a', `${INSTANCES}/${CACHES}/dry`)).status, 404);
  });

  it('replaces the spec of an instance, for the version that was read', async () => {
    const instance = `${INSTANCES}/${CACHES}/replaced`;
    await product.api('dev-a', INSTANCES, {
      method: 'POST',
      body: { app: CACHES, name: 'replaced', spec: { replicas: 2, memory: '64Mi' } },
    });
    const put = async (spec: object, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
      await product.api('dev-a', `${instance}${query}`, { method: 'PUT', body: { spec }, headers });
    const dry = await put({ memory: '80Mi' }, '?dryRun=All');
    const { seen, done } = await asRead(instance, async (headers) => await put({ memory: '80Mi' }, '', headers));
    assert.equal(done.status, 200, stringifyJson(done.body));
    const { memory, replicas } = objectAt(done.body, 'object', 'spec');
    assert.deepEqual([memory, replicas], ['80Mi', 1]);
    assert.deepEqual(objectAt(done.body, 'object', 'spec'), objectAt(dry.body, 'result', 'spec'));
    assert.equal((await put({ memory: '90Mi' }, '', { 'If-Match': seen })).status, 412);
  });

  it('gives one ETag in header and body, and holds every write against it', async () => {
    await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: CACHES, name: 'tagged', spec: {} } });
    const instance = `${INSTANCES}/${CACHES}/tagged`;
    const asked = await product.api('dev-a', '/change-requests', {
      method: 'POST',
      body: { environment: HERE, app: CACHES, name: 'asked', spec: {} },
    });
    const requestPath = (asked.headers.get('location') ?? '').replace('/api/v1', '');
    for (const [as, path] of [
      ['dev-a', instance],
      ['admin', OPERATOR],
      ['dev-a', requestPath],
    ] as const) {
      const status = async (method: string, headers: Record<string, string>): Promise<number> =>
        (await product.api(as, path, { method, headers, ...(method === 'PATCH' ? { body: { spec: {} } } : {}) })).status;
      const shown = await product.api(as, path);
      const etag = shown.headers.get('etag') ?? '';
      assert.match(etag, /^"[^"]+"$/, path);
      if (path !== requestPath) assert.equal(textAt(shown.body, 'etag'), etag);
      for (const ifMatch of ['"other"', `W/${etag}`, '"a", "b"']) {
        const rejected = await product.api(as, path, { method: 'DELETE', headers: { 'If-Match': ifMatch } });
        assert.deepEqual([rejected.status, textAt(rejected.body, 'code')], [412, 'PreconditionFailed'], `${path} ${ifMatch}`);
        assert.equal(rejected.headers.get('etag'), null);
      }
      assert.equal(await status('DELETE', { 'If-Match': 'unquoted' }), 400);
      assert.equal(await status('DELETE', { 'If-None-Match': '*' }), 412);
      assert.equal(await status('GET', { 'If-Match': '"other"' }), 412);
    }
    const operator = (await product.api('admin', OPERATOR)).headers.get('etag') ?? '';
    const unchanged = await product.api('admin', OPERATOR, { headers: { 'If-None-Match': `"x", W/${operator}` } });
    assert.deepEqual([unchanged.status, unchanged.headers.get('etag'), unchanged.body], [304, operator, '']);
    const request = { method: 'POST', headers: { 'If-Match': '"x"' } };
    assert.equal((await product.api('admin', `${OPERATOR}/reconcile`, request)).status, 412);
    const planTag = (await product.api('dev-a', requestPath)).headers.get('etag') ?? '';
    assert.equal((await product.api('dev-a', requestPath, { method: 'DELETE', headers: { 'If-Match': `"x", ${planTag}` } })).status, 200);
    const list = await product.api('dev-a', INSTANCES, {
      method: 'POST',
      body: { app: CACHES, name: 'never' },
      headers: { 'If-Match': '"x"' },
    });
    assert.equal(list.status, 412);
  });

  it('takes merge patches of different fields at the same time, and nothing that is no merge patch', async () => {
    const instance = `${INSTANCES}/${CACHES}/tagged`;
    const patches = [{ replicas: 2 }, { memory: '96Mi' }, { evictionPolicy: 'noeviction' }].flatMap((spec) => [spec, spec, spec]);
    const answers = await Promise.all(
      patches.map(async (spec) => await product.api('dev-a', instance, { method: 'PATCH', body: { spec } })),
    );
    assert.deepEqual(
      answers.map(({ status, body }) => (status === 200 ? '' : stringifyJson(body))),
      answers.map(() => ''),
    );
    const { replicas, memory, evictionPolicy } = objectAt((await product.api('dev-a', instance)).body, 'object', 'spec');
    assert.deepEqual([replicas, memory, evictionPolicy], [2, '96Mi', 'noeviction']);
    for (const type of ['application/json-patch+json', 'application/apply-patch+yaml', 'application/strategic-merge-patch+json']) {
      const rejected = await product.api('dev-a', instance, { method: 'PATCH', body: [], headers: { 'Content-Type': type } });
      assert.deepEqual(
        [rejected.status, rejected.headers.get('accept-patch')],
        [415, 'application/merge-patch+json, application/json'],
        type,
      );
    }
    const deletion = await product.api('dev-a', instance, { method: 'DELETE', headers: { 'If-Match': '*' } });
    assert.equal(deletion.status, 202);
  });

  it('lays what the catalogue starts new instances with under the values that were sent', async () => {
    const post = async (spec: object): Promise<Answer> =>
      await product.api('dev-a', `${INSTANCES}?dryRun=All`, {
        method: 'POST',
        body: { app: 'postgresclusters.samples.chandlery.dev', name: 'dry', spec },
      });
    const size = async (spec: object): Promise<string | undefined> => textAt((await post(spec)).body, 'object', 'spec', 'storage', 'size');
    assert.deepEqual([await size({}), await size({ storage: { size: '3Gi' } })], ['1Gi', '3Gi']);
    const changes = async (spec: object): Promise<unknown> => at((await post(spec)).body, 'changes');
    const path = 'spec.storage.size';
    assert.deepEqual(await changes({}), [{ path, to: '1Gi', layer: 'operator', secret: false }]);
    assert.deepEqual(await changes({ storage: { size: '3Gi' } }), [{ path, from: '1Gi', to: '3Gi', layer: 'you', secret: false }]);
  });

  it('lists the presets of an app, each of which the cluster takes as it is', async () => {
    for (const app of [CACHES, 'postgresclusters.samples.chandlery.dev']) {
      const presets = listAt((await product.api('dev-a', `/apps/${app}`)).body, 'presets');
      assert.deepEqual(
        presets.map((preset) => textAt(preset, 'name')),
        ['small', 'production'],
      );
      for (const preset of presets) {
        const body = { app, name: 'dry', spec: at(preset, 'values', 'spec') };
        const answer = await product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body });
        assert.equal(textAt(answer.body, 'verdict'), 'Ready', stringifyJson(answer.body));
      }
    }
  });

  it('rejects an unknown field by its name', async () => {
    const { status, body } = await product.api('dev-a', INSTANCES, {
      method: 'POST',
      body: { app: CACHES, name: 'odd', spec: { repicas: 1 } },
    });
    assert.equal(status, 422);
    assert.match(textAt(body, 'errors', 0, 'field') ?? '', /spec\.repicas/);
  });

  it('installs, shows the tree become healthy, changes, and deletes', async () => {
    const created = await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: CACHES, name: 'visits', spec: {} } });
    assert.equal(created.status, 201, stringifyJson(created.body));
    const path = `${INSTANCES}/${CACHES}/visits`;
    assert.equal(created.headers.get('location'), `/api/v1${path}`);
    assert.equal((await product.api('dev-a', INSTANCES, { method: 'POST', body: { app: CACHES, name: 'visits', spec: {} } })).status, 409);

    await until(
      async () => textAt((await product.api('dev-a', `${path}/tree`)).body, 'health', 'status') === 'Healthy',
      'the cache is healthy',
      90_000,
    );
    const tree = (await product.api('dev-a', `${path}/tree`)).body;
    const kinds = kindsOf(at(tree, 'root'));
    for (const kind of ['Cache', 'StatefulSet', 'Pod', 'Service', 'Secret']) assert.ok(kinds.includes(kind), `${kind} in ${kinds.join()}`);
    assert.ok(
      linksOf(at(tree, 'root')).includes('StatefulSet visits-cache Mount ConfigMap Found spec.template.spec.volumes[0].configMap.name'),
      linksOf(at(tree, 'root')).join('\n'),
    );
    assert.ok(listAt((await product.api('dev-a', `${path}/events`)).body, 'items').length > 0);

    const health = async (): Promise<unknown> => at((await product.api('dev-a', `${path}/tree`)).body, 'health');
    for (const [reason, status] of [
      ['Issuing', 'Progressing'],
      ['Rejected', 'Degraded'],
    ] as const) {
      await writeChild(product, at(tree, 'root'), { conditions: [{ type: 'Ready', status: 'False', reason, message: 'because' }] });
      await until(async () => isDeepStrictEqual(await health(), { status, message: 'A child: because' }), `${reason} counts as ${status}`);
    }
    await removeChildren(product);

    const { seen: etag, done: changed } = await asRead(
      path,
      async (headers) => await product.api('dev-a', path, { method: 'PATCH', body: { spec: { replicas: 2 } }, headers }),
    );
    assert.equal(changed.status, 200);
    assert.equal(numberAt(changed.body, 'object', 'spec', 'replicas'), 2);
    const stale = await product.api('dev-a', path, { method: 'PATCH', body: { spec: { replicas: 3 } }, headers: { 'If-Match': etag } });
    assert.equal(stale.status, 412);

    const hasty = await product.api('dev-a', path, { method: 'DELETE', headers: { 'If-Match': etag } });
    assert.equal(hasty.status, 412);
    assert.equal((await product.api('dev-a', path, { method: 'DELETE' })).status, 202);
    await until(async () => (await product.api('dev-a', path)).status === 404, 'the cache is gone');
  });

  it('answers every odd request with a problem that names it', async () => {
    const cache = `${INSTANCES}/${CACHES}`;
    const post = (body: unknown, type = 'application/json'): Promise<Answer> =>
      product.api('dev-a', `${INSTANCES}?dryRun=All`, { method: 'POST', body, headers: { 'Content-Type': type } });
    const answers = [
      [404, await product.api('dev-a', '/environments/%2e%2e')],
      [404, await product.api('dev-a', `${cache}/${'x'.repeat(300)}`)],
      [404, await product.api('dev-a', `${cache}/%00`)],
      [404, await product.api('dev-a', `${cache}/constructor/tree`)],
      [400, await product.api('dev-a', '/apps/%ff')],
      [404, await product.api('admin', '/operators/%2e%2e/x')],
      [404, await product.api('admin', '/operators/chandlery-system/nobody')],
      [422, await product.api('dev-a', '/apps?__proto__=1')],
      [422, await product.api('dev-a', '/apps?limit=501')],
      [405, await product.api('dev-a', '/apps', { method: 'PUT' })],
      [405, await product.api('dev-a', '/openapi.json', { method: 'DELETE' })],
      [415, await post('app=x', 'application/x-www-form-urlencoded')],
      [415, await post('app: x', 'application/yaml')],
      [400, await post(`{"app":"${CACHES}","name":"x","spec":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`)],
      [413, await post({ app: CACHES, name: 'x', spec: { a: 'x'.repeat(2_000_000) } })],
      [422, await post({ app: CACHES, name: 'X_' })],
      [404, await post('{"app":"x","name":"y","__proto__":{}}')],
    ] as const;
    assert.deepEqual(
      answers.map(([, answer]) => answer.status),
      answers.map(([status]) => status),
    );
  });

  it('lets nobody in without a token, and says how to get one', async () => {
    const response = await fetch(`${product.origin}/api/v1/apps`);
    assert.equal(response.status, 401);
    assert.match(response.headers.get('content-type') ?? '', /application\/problem\+json/);
    assert.equal((await fetch(`${product.origin}/api/v1/openapi.json`)).status, 200);
  });

  it('serves clients that are generated from its description: Python', inAll('it generates a client'), async (t) => {
    const missing = await pythonMissing();
    if (missing !== undefined) return t.skip(missing);
    assert.match(await runPythonClient({ product, person: 'dev-a', app: CACHES, environment: HERE }), /^done$/m);
  });

  it('serves clients that are generated from its description: TypeScript', inAll('it generates a client'), async () => {
    assert.match(await runTypeScriptClient({ product, person: 'dev-a', app: CACHES, environment: HERE }), /^done$/m);
  });

  it('never touches what is in an environment under another name than the person’s', async () => {
    const id = (await product.api('dev-a', INSTANCES)).headers.get('x-request-id') ?? '';
    await until(async () => (await usersOfRequest(product.auditLogPath, id)).includes('oidc:dev-a'), 'its calls carry its id');
    const { count, bare, requests: taken } = await callsInNamespace(product.auditLogPath, HERE);
    assert.ok(count > 20, `${count} calls were audited`);
    // Of its own kind the controller writes the status, and Events: never the instance that a request asks for.
    const ofRequests = /^(get \S+\/changerequests\/[^/]+|patch \S+\/changerequests\/[^/]+\/status\?\S+|create \S+\/events\?\S+)$/;
    assert.deepEqual(
      bare.filter((call) => !ofRequests.test(call)),
      [],
    );
    // Tests beside this one look at all environments, as an admin.
    const users = [...taken].filter(([, ids]) => !requests.isDisjointFrom(ids)).map(([user]) => user);
    assert.deepEqual(users, ['oidc:dev-a']);
  });
});

function withoutNames(body: unknown, name: string): string {
  return JSON.stringify(body, (key, value: unknown) => (key === 'requestId' ? '' : value)).replaceAll(name, 'NAME');
}

function linksOf(node: unknown): string[] {
  const [kind, name] = [textAt(node, 'kind'), textAt(node, 'name')];
  const own = listAt(node, 'links').map((link) => {
    const [relation, to, state, path] = ['class', 'kind', 'state', 'path'].map((key) => textAt(link, key));
    return `${kind} ${name} ${relation} ${to} ${state} ${path}`;
  });
  return [...own, ...listAt(node, 'children').flatMap(linksOf)];
}

function kindsOf(node: unknown): string[] {
  return [textAt(node, 'kind') ?? '', ...listAt(node, 'children').flatMap(kindsOf)];
}
