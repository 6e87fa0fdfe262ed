import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKube } from '../../../src/kube/kube.ts';
import { guardDryRun, METADATA_OF_ONE } from '../../../src/kube/transport/dry-run-guard.ts';
import { reply, startTinyApiServer } from '../../support/api-server.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' } as const;
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'ns' }, data: { a: 'b' } };
const ACTOR = { user: 'oidc:ann (of) sales', groups: ['oidc:team-a'] };
const CALL = { identity: { kind: 'dryRun', actor: ACTOR }, what: 'try', accept: METADATA_OF_ONE } as const;
const WIDGET = '/apis/a.example/v1/namespaces/ns/widgets';

describe('a previewValues', () => {
  test('leaves as the controller, names for whom, and asks for metadata alone', async () => {
    await using server = await startTinyApiServer((_request, response) =>
      reply(response, 200, { ...OBJECT, status: { userInfo: { username: 'me' } } }),
    );
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    const previewValues = kube.dryRunAsController(ACTOR);
    const options = { fieldManager: 'helm' };
    await previewValues.dryRunApply(CONFIG_MAPS, OBJECT, options);
    await previewValues.dryRunCreate(CONFIG_MAPS, OBJECT, options);
    await previewValues.metadataOf({ ...CONFIG_MAPS, namespace: 'ns', name: 'cm' });
    assert.equal(await previewValues.account(), 'me');
    assert.deepEqual(
      server.requests.map(({ method, url }) => `${method} ${url}`),
      [
        'PATCH /api/v1/namespaces/ns/configmaps/cm?dryRun=All&fieldManager=helm&fieldValidation=Ignore&force=true',
        'POST /api/v1/namespaces/ns/configmaps?dryRun=All&fieldManager=helm&fieldValidation=Ignore',
        'GET /api/v1/namespaces/ns/configmaps/cm',
        'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
      ],
    );
    for (const { headers } of server.requests) {
      assert.equal(headers['user-agent'], 'chandlery/1 (dry run for oidc:ann%20(of)%20sales)');
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('impersonate')),
        [],
      );
    }
    assert.deepEqual(
      server.requests.slice(0, 3).map(({ headers }) => headers.accept),
      Array.from({ length: 3 }, () => METADATA_OF_ONE),
    );
    await kube.close();
  });

  test('is made for nobody that no call could be made for', async () => {
    await using server = await startTinyApiServer((_request, response) => reply(response, 200, OBJECT));
    const kube = createKube({ kubeconfigPath: server.kubeconfigPath, userAgent: 'chandlery/1' });
    assert.throws(() => kube.dryRunAsController({ user: 'oidc:a', groups: [] }), { code: 'ActorMissing' });
    assert.throws(() => kube.dryRunAsController({ user: 'system:admin', groups: ['oidc:a'] }), { code: 'ActorMissing' });
    assert.equal(server.requests.length, 0);
    await kube.close();
  });

  for (const [why, call] of [
    ['without dryRun it would write', { method: 'PATCH', path: `${WIDGET}/w?fieldManager=helm` }],
    ['dryRun means nothing when it is empty', { method: 'POST', path: `${WIDGET}?dryRun=` }],
    ['of two dryRun the server may take the other', { method: 'POST', path: `${WIDGET}?dryRun=All&dryRun=None` }],
    ['a deletion is no previewValues', { method: 'DELETE', path: `${WIDGET}/w?dryRun=All` }],
    ['a replacement is no previewValues', { method: 'PUT', path: `${WIDGET}/w?dryRun=All` }],
    ['a token is made whatever dryRun says', { method: 'POST', path: '/api/v1/namespaces/ns/serviceaccounts/s/token?dryRun=All' }],
    ['a shell opens whatever dryRun says', { method: 'POST', path: '/api/v1/namespaces/ns/pods/p/exec?dryRun=All' }],
    ['a log is more than metadata', { method: 'GET', path: '/api/v1/namespaces/ns/pods/p/log' }],
    ['a list is more than one object', { method: 'GET', path: WIDGET }],
    ['a watch is more than one object', { method: 'GET', path: `${WIDGET}?watch=true` }],
    ['an object has more than metadata', { method: 'GET', path: `${WIDGET}/w`, accept: 'application/json' }],
    ['the answer to a write is an object, too', { method: 'POST', path: `${WIDGET}?dryRun=All`, accept: 'application/json' }],
    ['other questions are about others', { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews' }],
  ] as const) {
    test(`does not leave: ${why}`, () => {
      assert.throws(() => guardDryRun({ ...CALL, ...call }), { code: 'Internal', message: /was not sent/ });
      guardDryRun({ ...CALL, ...call, identity: { kind: 'controller' } });
    });
  }

  test('lets dry runs and questions about itself out', () => {
    guardDryRun({ ...CALL, method: 'PATCH', path: `${WIDGET}/w?dryRun=All` });
    guardDryRun({ ...CALL, method: 'POST', path: '/api/v1/namespaces?dryRun=All' });
    guardDryRun({ ...CALL, method: 'GET', path: '/api/v1/namespaces/ns' });
    guardDryRun({ ...CALL, method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' });
  });
});
