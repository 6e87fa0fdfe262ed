import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../../../src/domain/app/app.ts';
import { appPage, parseAppTab } from '../../../../src/web/app/app-page.ts';
import { listParameters } from '../../../../src/web/page/parameters.ts';
import { sampleApp } from '../../../support/sample-apps.ts';

const APP = sampleApp('postgresclusters.samples.chandlery.dev') as App;
const VIEW = { tab: 'overview', search: '', admin: false } as const;

test('the parameters are the leaves below spec, with lists, maps and groups by their paths', () => {
  const rows = listParameters(APP.schema, []).map(({ path, type, required, default: fallback }) =>
    [path, type, required, fallback].join(' | '),
  );
  assert.deepEqual(rows, [
    'instances | integer | true | 1',
    'version | 15 | 16 | 17 | false | 17',
    'storage | object | true | ',
    'storage.size | string | true | 10Gi',
    'storage.className | string | false | ',
    'users | list of object | false | ',
    'users[].name | string | true | ',
    'users[].superuser | boolean | false | false',
    'labels | map of string | false | ',
    'password | string (password) | false | ',
    'port | integer or string | false | 5432',
  ]);
});

test('a default that is sensitive is not among the parameters, by its name or by the catalogue', () => {
  const text = (fallback: string) => ({ type: 'string', default: fallback });
  const row = { type: 'object', properties: { pin: text('1234'), role: text('reader') } };
  const spec = {
    type: 'object',
    properties: { adminPassword: text('hunter22'), license: text('XKCD-936'), users: { type: 'array', items: row } },
  };
  assert.deepEqual(
    listParameters({ properties: { spec } }, ['spec.license', 'spec.users[*].pin']).map(
      (parameter) => `${parameter.path} ${parameter.default}`,
    ),
    ['adminPassword ', 'license ', 'users ', 'users[].pin ', 'users[].role reader'],
  );
});

test('a kind without a schema has no parameters, and a schema without end is cut', () => {
  assert.deepEqual(listParameters({}, []), []);
  let schema: App['schema'] = { type: 'string' };
  for (let level = 0; level < 50; level += 1) schema = { type: 'object', description: 'level', properties: { a: schema } };
  assert.ok(listParameters({ properties: { spec: schema } }, []).length < 20);
});

test('the parameters are searched by path and description', () => {
  const { parameters } = appPage(APP, { ...VIEW, tab: 'parameters', search: 'VOLUME' });
  assert.deepEqual(
    parameters.rows.map(({ path }) => path),
    ['storage', 'storage.size'],
  );
  assert.equal(parameters.total, 11);
});

test('what cannot be installed has no Install button, and says why', () => {
  const page = appPage({ ...APP, availability: 'Unavailable', availabilityMessage: 'The chart is gone.' }, VIEW);
  assert.equal(page.installHref, undefined);
  assert.equal(page.message, 'The chart is gone.');
  assert.equal(appPage(APP, VIEW).installHref, '/apps/postgresclusters.samples.chandlery.dev/install');
});

test('the Operator is a link for admins only', () => {
  const hrefOf = (admin: boolean): string | undefined =>
    appPage(APP, { ...VIEW, admin }).facts.find(({ term }) => term === 'Installed by the Operator')?.href;
  assert.equal(hrefOf(false), undefined);
  assert.equal(hrefOf(true), '/operators/chandlery-system/postgres-operator');
});

test('documentation is linked by http and https only', () => {
  assert.equal(appPage({ ...APP, docsURL: 'javascript:alert(1)' }, VIEW).docsHref, undefined);
  assert.equal(appPage({ ...APP, docsURL: 'https://docs.test' }, VIEW).docsHref, 'https://docs.test');
});

test('an unknown tab is the overview', () => {
  assert.equal(parseAppTab('parameters'), 'parameters');
  assert.equal(parseAppTab('__proto__'), 'overview');
  assert.equal(parseAppTab(null), 'overview');
});
