import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedIn } from '../../../../src/domain/core/session.ts';
import type { MessageView } from '../../../../src/http/http-deps.ts';
import { messagePage, missingSentence } from '../../../../src/web/page/message-page.ts';
import { createRenderError } from '../../../../src/web/router.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';
import { sampleViews } from '../../../support/sample-web.ts';

const VIEW: MessageView = {
  status: 404,
  code: 'NotFound',
  title: 'Not found',
  message: 'app "x": no such app',
  faults: [],
  requestId: 'r-1',
};

test('a missing permission is named in a sentence', () => {
  const permission = { verb: 'list', group: 'operatorcontroller.kubeplus', resource: 'operators' };
  assert.equal(
    missingSentence(permission),
    'The permission to list operators.operatorcontroller.kubeplus in the whole cluster is missing.',
  );
  assert.equal(
    missingSentence({ verb: 'get', group: '', resource: 'secrets', namespace: 'shop', name: 'x' }),
    'The permission to get secrets "x" in the namespace "shop" is missing.',
  );
});

const DANA: SignedIn = { actor: { user: 'oidc:dev-a', groups: [] }, person: { name: 'Dana Able' } };
const renderError = createRenderError({ views: sampleViews(), operations: sampleOperations() });

test('an error page says what happened, what to do, and the id of the request', async () => {
  const html = await renderError({ ...VIEW, message: 'app "<b>": no such app' });
  assert.match(html, /<h1>Not found<\/h1>/);
  assert.match(html, /app &quot;&lt;b&gt;&quot;: no such app/);
  assert.match(html, /The URL may be mistyped/);
  assert.match(html, /<code>r-1<\/code>/);
});

test('the faults of an input stand with their fields', () => {
  const page = messagePage({
    ...VIEW,
    code: 'InvalidInput',
    status: 422,
    faults: [
      { field: 'spec.size', message: 'is too large' },
      { file: 'a.yaml', line: 3, message: 'tab' },
    ],
  });
  assert.deepEqual(page.faults, [
    { place: 'spec.size', message: 'is too large' },
    { place: 'a.yaml:3', message: 'tab' },
  ]);
});

test('the one thing to do comes first, and the catalogue is not offered twice', () => {
  const actions = messagePage({ ...VIEW, action: { label: 'Sign in', href: '/login' } }).actions;
  assert.deepEqual(
    actions.map(({ label, primary }) => [label, primary]),
    [
      ['Sign in', true],
      ['Go to the start page', false],
    ],
  );
  assert.equal(messagePage({ ...VIEW, action: { label: 'Go to the catalogue', href: '/' } }).actions.length, 1);
});

test('a missing permission is said once, in our words and not in those of the api-server', async () => {
  const missing = { verb: 'list', group: 'operatorcontroller.kubeplus', resource: 'operators' };
  const message = 'list operators: User "oidc:dev-a" cannot list resource "operators" at the cluster scope';
  const html = await renderError({ ...VIEW, code: 'Forbidden', status: 403, message, missing });
  assert.match(html, /The permission to list operators/);
  assert.doesNotMatch(html, /cannot list resource/);
});

test('an error page leads an admin to the pages of admins, and nobody else', async () => {
  const admin = { actor: { user: 'oidc:admin', groups: ['oidc:platform'] }, person: { name: 'Ada Min' } };
  assert.match(await renderError({ ...VIEW, ...admin }), /href="\/operators"/);
  const html = await renderError({ ...VIEW, ...DANA });
  assert.match(html, /href="\/environments"/);
  assert.doesNotMatch(html, /href="\/operators"/);
});

test('an error page is there as well when nobody can tell who is an admin', async () => {
  const away = async (): Promise<never> => Promise.reject(new Error('the cluster is away'));
  const render = createRenderError({ views: sampleViews(), operations: sampleOperations({ me: away }) });
  assert.match(await render({ ...VIEW, ...DANA }), /<h1>Not found<\/h1>/);
});
