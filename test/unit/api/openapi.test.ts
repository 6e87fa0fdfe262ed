import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiOf } from '../../../src/api/openapi.ts';
import { nameSchemas } from '../../../src/api/named-schemas.ts';
import type { JsonSchema } from '../../../src/api/route.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { validatorOf } from '../../../src/api/validator.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { at, objectAt } from '../../../src/domain/core/read.ts';

const description = openApiOf(ROUTES, 'http://localhost:8080');
const route = (operationId: string): (typeof ROUTES)[number] => {
  const found = ROUTES.find((candidate) => candidate.operationId === operationId);
  assert.ok(found !== undefined);
  return found;
};

describe('the OpenAPI description', () => {
  it('names each route once', () => {
    const ids = ROUTES.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(Object.values(objectAt(description, 'paths')).flatMap((path) => Object.keys(path as object)).length, ROUTES.length);
  });

  it('has the core paths', () => {
    for (const path of [
      '/apps/{app}',
      '/environments/{environment}/instances/{app}/{name}/tree',
      '/operators/{namespace}/{name}',
      '/catalog/faults',
      '/catalog/drafts',
      '/me',
    ]) {
      assert.ok(at(description, 'paths', path, 'get') !== undefined, path);
    }
  });

  it('offers If-Match for exactly what has a strong ETag, and If-None-Match for every read', () => {
    const strong = new Set(ROUTES.flatMap(({ method, etag, path }) => (method === 'get' && etag === 'strong' ? [path] : [])));
    for (const { method, path, etag } of ROUTES) {
      const parameters = stringifyJson(at(description, 'paths', path, method, 'parameters'));
      const writes = method === 'put' || method === 'patch' || method === 'delete';
      if (writes) assert.ok(strong.has(path) && etag === 'strong', `${method} ${path} writes what has no strong ETag`);
      assert.equal(parameters.includes('/IfMatch"'), etag === 'strong', `${method} ${path}`);
      assert.equal(parameters.includes('/IfNoneMatch"'), method === 'get', `${method} ${path}`);
    }
  });

  it('is what a linter of OpenAPI 3.1 takes without a word, with every object a named component', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: stringifyJson(openApiOf(ROUTES, 'https://apps.example.test')), config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''} ${message}`),
      [],
    );
    const inline = stringifyJson(at(description, 'paths')).match(/"type":"object","properties"/g);
    assert.deepEqual(inline ?? [], []);
  });

  it('rejects two objects of one name', () => {
    const object = (key: string): JsonSchema => ({ type: 'object', properties: { [key]: { type: 'string' } } });
    assert.throws(
      () => nameSchemas({ A: { type: 'object', properties: { b: object('x') } }, AB: object('y') }),
      /two schemas would be called AB/,
    );
  });

  it('holds schemas that compile, with references that resolve', () => {
    const schemas = objectAt(description, 'components', 'schemas');
    const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'description', components: { schemas } });
    for (const name of Object.keys(schemas)) assert.ok(ajv.getSchema(`description#/components/schemas/${name}`), name);
    const named = [...stringifyJson(description).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
    assert.deepEqual(
      named.filter((name) => schemas[name] === undefined),
      [],
    );
  });
});

describe('a request', () => {
  it('has the schemas of its own route compiled once, and the start compiles none', () => {
    let reads = 0;
    const counted = (schema: JsonSchema): JsonSchema => {
      const get = (target: JsonSchema, key: string): unknown => {
        reads += 1;
        return target[key];
      };
      return new Proxy(schema, { get });
    };
    const { query = {}, body = {}, ...rest } = route('createInstance');
    const validator = validatorOf({ ...rest, query: counted(query) as typeof query, body: counted(body) });
    assert.equal(reads, 0);
    const ask = (): void => {
      validator.query({});
      assert.throws(() => validator.body({}), { code: 'InvalidInput' });
    };
    ask();
    const compiled = reads;
    ask();
    assert.deepEqual([compiled > 0, reads], [true, compiled]);
  });

  it('gets its query as the numbers and lists that the schema asks for', () => {
    const checked = validatorOf(route('listApps')).query({ limit: '20', category: 'Caches' });
    assert.deepEqual(checked, { limit: 20, category: ['Caches'], search: '' });
  });

  for (const [title, query] of [
    ['a parameter that does not exist', { serach: 'x' }],
    ['a limit of nothing', { limit: '0' }],
    ['a limit that is no number', { limit: 'many' }],
  ] as const) {
    it(`with ${title} is rejected`, () => assert.throws(() => validatorOf(route('listApps')).query(query), { code: 'InvalidInput' }));
  }

  for (const [title, body] of [
    ['no body that we could read', undefined],
    ['a form', new URLSearchParams('app=x&name=a')],
    ['YAML', 'app: x'],
  ] as const) {
    it(`with ${title} is asked for JSON`, () =>
      assert.throws(() => validatorOf(route('createInstance')).body(body), { code: 'UnsupportedMediaType' }));
  }

  it('with a word that is not in the list gets the list as an answer', () => {
    assert.throws(() => validatorOf(route('createInstance')).query({ dryRun: 'none' }), { message: 'query: "dryRun" must be one of All' });
  });

  for (const [title, body, field] of [
    ['a body without an app', { name: 'a' }, 'app'],
    ['a name that is a number', { app: 'x', name: 1 }, 'name'],
    ['a member of metadata that people do not set', { app: 'x', name: 'a', metadata: { uid: 'x' } }, 'metadata.uid'],
  ] as const) {
    it(`with ${title} is rejected`, () => {
      assert.throws(
        () => validatorOf(route('createInstance')).body(body),
        (error: { code?: string; faults?: { field?: string }[] }) => error.code === 'InvalidInput' && error.faults?.[0]?.field === field,
      );
    });
  }
});
