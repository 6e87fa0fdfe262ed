import assert from 'node:assert/strict';
import { createAuditPort } from '../../../src/compose/create-audit-port.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { createLog } from '../../../src/observe/log.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import express from 'express';
import { createApiRouter } from '../../../src/api/router.ts';
import { bindOperations } from '../../../src/operation/operations.ts';
import { type Actor, EVERYBODY } from '../../../src/domain/kubernetes/actor.ts';
import { isAppError } from '../../../src/domain/core/errors.ts';
import { at, listAt } from '../../../src/domain/core/read.ts';
import { startContext } from '../../../src/http/request-context.ts';
import { compareSavedConfiguration } from '../../../src/operation/saved-configuration/compare-saved-configuration.ts';
import {
  listSavedConfigurationVersions,
  listSavedConfigurations,
  showSavedConfiguration,
} from '../../../src/operation/saved-configuration/list-saved-configurations.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import {
  changeSavedConfiguration,
  deleteSavedConfiguration,
  type SavedConfigurationDraft,
  saveConfiguration,
} from '../../../src/operation/saved-configuration/save-configuration.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { unknownFields } from '../../../src/form/model/unknown-fields.ts';
import { createStore } from '../../../src/store/create-store.ts';
import { sampleSeal } from '../../support/sample-seal.ts';
import type { Store } from '../../../src/store/store.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { savedConfigurationWorld } from '../../support/saved-configuration-world.ts';

const SILENT = createLog({ level: 'silent', format: 'json', write: () => undefined });

const APP = 'caches.example.com';
const ANNA: Actor = { user: 'oidc:anna', groups: ['oidc:team', 'oidc:all'] };
const BEN: Actor = { user: 'oidc:ben', groups: ['oidc:team'] };
const ADMIN: Actor = { user: 'oidc:admin', groups: ['oidc:platform'] };
const EVE: Actor = { user: 'oidc:eve', groups: ['oidc:anna'] };
const SPEC = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    users: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, password: { type: 'string' } } } },
  },
};
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: APP, labels: { 'chandlery.dev/operator': 'sys.cache' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } } }],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
};
const OPERATOR = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'sys' },
  spec: { name: 'cache', catalog: { kinds: [{ kind: 'Cache' }] } },
  status: { status: 'READY', crds: [{ name: APP, kind: 'Cache', established: true }] },
};

let folder: string;
let store: Store;
let world: ReturnType<typeof savedConfigurationWorld>;
let ports: Ports;
let count = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chandlery-savedConfigurations-'));
});
after(() => rm(folder, { recursive: true }));

async function start(): Promise<void> {
  count += 1;
  store = await createStore({ file: join(folder, `${count}.json`), seal: sampleSeal() });
  world = savedConfigurationWorld({ admin: ADMIN.user, members: [ANNA.user, BEN.user] });
  ports = {
    catalog: {
      operators: () => [OPERATOR],
      customResourceDefinitions: () => [CRD],
      appDefinitions: () => [],
      environments: () => [world.environment],
      catalogSources: () => [],
    },
    chart: async () => undefined,
    publicUrl: 'http://h',
    clusters: world.clusters,
    savedConfigurations: world.savedConfigurations,
    auditLog: createAuditPort({ auditLog: store.auditLog, log: SILENT }),
  } as unknown as Ports;
}

const draft = (change: Partial<SavedConfigurationDraft> = {}): SavedConfigurationDraft => ({
  app: APP,
  title: ' Small ',
  description: 'For a try',
  values: { size: 1 },
  owner: { user: ANNA.user },
  via: 'page',
  requestId: 'r1',
  ...change,
});
const code = async (act: Promise<unknown>): Promise<string> => {
  try {
    await act;
    return 'done';
  } catch (error) {
    return isAppError(error) ? error.code : assert.fail(String(error));
  }
};

test('A saved configuration is seen, changed and deleted by its person alone; in a group, by all who are in it', async () => {
  await start();
  const own = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  const ours = (await saveConfiguration(ports, ANNA, draft({ title: 'Ours', owner: { group: 'oidc:team' } }))).savedConfiguration;
  const titles = async (actor: Actor): Promise<string[]> =>
    (await listSavedConfigurations(ports, actor, { app: APP, search: '' })).map(({ title }) => title);
  assert.deepEqual([await titles(ANNA), await titles(BEN), await titles(EVE)], [['Ours', 'Small'], ['Ours'], []]);
  for (const [actor, id, answer] of [
    [BEN, own.id, 'NotFound'],
    [EVE, own.id, 'NotFound'],
    [EVE, ours.id, 'NotFound'],
    [BEN, ours.id, 'done'],
  ] as const) {
    assert.equal(await code(showSavedConfiguration(ports, actor, id)), answer);
    assert.equal(await code(changeSavedConfiguration(ports, actor, { id, description: 'x', via: 'page', requestId: 'r2' })), answer);
  }
  assert.equal(await code(deleteSavedConfiguration(ports, EVE, { id: ours.id, via: 'page', requestId: 'r3' })), 'NotFound');
  assert.equal(await code(deleteSavedConfiguration(ports, BEN, { id: ours.id, via: 'page', requestId: 'r3' })), 'done');
});

test('What is for everybody is changed and deleted by its author and by admins alone', async () => {
  await start();
  const everybody = (actor: Actor): Actor => ({ ...actor, groups: [...actor.groups, EVERYBODY] });
  const [anna, ben, admin] = [everybody(ANNA), everybody(BEN), everybody(ADMIN)];
  const asked = { via: 'page', requestId: 'r4' } as const;
  const { id } = (await saveConfiguration(ports, anna, draft({ owner: { group: EVERYBODY } }))).savedConfiguration;
  const own = { owner: { user: ben.user } };
  assert.equal(await code(showSavedConfiguration(ports, ben, id)), 'done');
  for (const change of [{ description: 'x' }, { values: { size: 2 } }, own]) {
    assert.equal(await code(changeSavedConfiguration(ports, ben, { id, ...change, ...asked })), 'Forbidden');
  }
  assert.equal(await code(deleteSavedConfiguration(ports, ben, { id, ...asked })), 'Forbidden');
  assert.equal(await code(changeSavedConfiguration(ports, anna, { id, description: 'x', ...asked })), 'done');
  assert.equal(await code(changeSavedConfiguration(ports, admin, { id, description: 'y', ...asked })), 'done');
  assert.equal(await code(deleteSavedConfiguration(ports, ben, { id, ...asked })), 'Forbidden', 'whoever changed it last');
  assert.equal(await code(deleteSavedConfiguration(ports, admin, { id, ...asked })), 'done');
  const ours = (await saveConfiguration(ports, anna, draft({ owner: { group: 'oidc:team' } }))).savedConfiguration;
  assert.equal(await code(changeSavedConfiguration(ports, ben, { id: ours.id, owner: { group: EVERYBODY }, ...asked })), 'done');
  assert.equal(
    await code(deleteSavedConfiguration(ports, anna, { id: ours.id, ...asked })),
    'Forbidden',
    'it is of the one who gave it to everybody',
  );
  assert.equal(await code(deleteSavedConfiguration(ports, ben, { id: ours.id, ...asked })), 'done');
});

test('Nobody saves for another person or for a group that they are not in', async () => {
  await start();
  for (const owner of [{ user: BEN.user }, { group: 'oidc:admins' }, { group: ANNA.user }]) {
    assert.equal(await code(saveConfiguration(ports, ANNA, draft({ owner }))), 'Forbidden');
  }
});

test('Secrets, and what stands for them, are left out and reported', async () => {
  await start();
  const users = [{ name: 'a', password: 'hunter2' }, { name: '<masked: spec.users[1].name>' }];
  const values = { size: 1, users, other: [{ adminPassword: 'x' }, '<masked: spec.a>', 'b'] };
  const { savedConfiguration, omittedSecrets } = await saveConfiguration(ports, ANNA, draft({ values }));
  assert.deepEqual(savedConfiguration.values, { size: 1, users: [{ name: 'a' }, {}], other: [{}, 'b'] });
  assert.deepEqual(
    omittedSecrets,
    ['spec.users[0].password', 'spec.users[1].name', 'spec.other[0].adminPassword', 'spec.other[1]'].toSorted(
      (a, b) => omittedSecrets.indexOf(a) - omittedSecrets.indexOf(b),
    ),
  );
  assert.equal(omittedSecrets.length, 4);
});

test('Of two who read the same version one changes it, and the other learns of it', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  const change = async (title: string): Promise<string> =>
    await code(changeSavedConfiguration(ports, ANNA, { id, title, version: 1, via: 'page', requestId: 'r' }));
  assert.deepEqual((await Promise.all([change('x'), change('y')])).toSorted(), ['Conflict', 'done']);
  assert.equal(await code(deleteSavedConfiguration(ports, ANNA, { id, version: 1, via: 'page', requestId: 'r' })), 'Conflict');
  assert.equal((await showSavedConfiguration(ports, ANNA, id)).version, 2);
});

test('A saved configuration is given to a group of the one who gives it, and to nobody else', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  const give = async (owner: SavedConfigurationDraft['owner']): Promise<string> =>
    await code(changeSavedConfiguration(ports, ANNA, { id, owner, via: 'page', requestId: 'r' }));
  assert.equal(await give({ user: BEN.user }), 'Forbidden');
  assert.equal(await give({ group: 'oidc:admins' }), 'Forbidden');
  assert.equal(await give({ group: 'oidc:team' }), 'done');
  assert.equal((await showSavedConfiguration(ports, BEN, id)).title, 'Small');
});

test('What a saved configuration was before is seen by those who see it, and by nobody else', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  await changeSavedConfiguration(ports, ANNA, { id, values: { size: 2 }, via: 'page', requestId: 'r' });
  assert.deepEqual(
    (await listSavedConfigurationVersions(ports, ANNA, id)).map(({ version, values }) => [version, values]),
    [[1, { size: 1 }]],
  );
  assert.equal(await code(listSavedConfigurationVersions(ports, BEN, id)), 'NotFound');
});

test('The members of an environment share what is saved for it, and a token that is limited to it reaches that alone', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft({ owner: { environment: 'team' } }))).savedConfiguration;
  await saveConfiguration(ports, BEN, draft({ owner: { user: BEN.user } }));
  assert.equal(await code(showSavedConfiguration(ports, EVE, id)), 'NotFound');
  assert.equal(await code(saveConfiguration(ports, EVE, draft({ owner: { environment: 'team' } }))), 'NotFound');
  assert.equal(await code(changeSavedConfiguration(ports, BEN, { id, description: 'x', via: 'page', requestId: 'r' })), 'done');
  const limits = { id: 't', name: 't', scope: 'write', environments: [{ name: 'team', namespace: 'team-ns' }] } as const;
  const found = await listSavedConfigurations(ports, { ...BEN, limits }, { app: '', search: '' });
  assert.deepEqual(
    found.map(({ owner, description }) => [owner, description]),
    [[{ environment: 'team' }, 'x']],
  );
});

test('What kubectl wrote is shown without its secrets, and with what is wrong with it', async () => {
  await start();
  const title = 'From git';
  world.apply('team-ns', 'good', { app: APP, title, values: { size: 3 } });
  world.apply('team-ns', 'secret', { app: APP, title, values: { size: 3, users: [{ name: 'a', password: 'hunter2' }] } });
  world.apply('team-ns', 'lost', { app: 'nothing.example.com', title, values: { adminPassword: 'hunter2' } });
  world.apply('team-ns', 'large', { app: APP, title, values: { note: 'x'.repeat(300 * 1024) } });
  world.apply('team-ns', 'none', { app: APP, values: 7 });
  const found = await listSavedConfigurations(ports, ANNA, { app: '', search: '' });
  assert.deepEqual(
    found.toSorted((a, b) => a.id.localeCompare(b.id)).map(({ id, values, fault }) => [id, values, fault?.kind]),
    [
      ['team-ns.good', { size: 3 }, undefined],
      ['team-ns.large', {}, 'TooLarge'],
      ['team-ns.lost', {}, 'UnknownApp'],
      ['team-ns.none', {}, 'Malformed'],
      ['team-ns.secret', { size: 3, users: [{ name: 'a' }] }, 'Secrets'],
    ],
  );
  assert.doesNotMatch(stringifyJson(found), /hunter2/);
  for (const [id, answer] of [
    ['good', 'done'],
    ['large', 'TooLarge'],
    ['none', 'InvalidInput'],
    ['lost', 'done'],
  ] as const) {
    const change = { id: `team-ns.${id}`, description: 'x', via: 'page', requestId: 'r' } as const;
    assert.equal(await code(changeSavedConfiguration(ports, ANNA, change)), answer, id);
  }
});

test('The last five versions are kept, and the number goes on when it is given away', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  for (let size = 2; size < 9; size += 1)
    await changeSavedConfiguration(ports, ANNA, { id, values: { size }, via: 'page', requestId: 'r' });
  await changeSavedConfiguration(ports, ANNA, { id, owner: { group: 'oidc:team' }, via: 'page', requestId: 'r' });
  assert.equal((await showSavedConfiguration(ports, BEN, id)).version, 9);
  assert.deepEqual(
    (await listSavedConfigurationVersions(ports, BEN, id)).map(({ version }) => version),
    [8, 7, 6, 5, 4],
  );
});

test('A saved configuration is compared with the defaults of today', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft({ values: { size: 1 } }))).savedConfiguration;
  const { changes } = await compareSavedConfiguration(ports, ANNA, { id });
  assert.deepEqual(
    changes.map(({ path, from, to }) => [path, from, to]),
    [['spec.size', undefined, 1]],
  );
});

test('What is too much or says nothing is rejected', async () => {
  await start();
  for (const [change, answer] of [
    [{ title: ' ' }, 'InvalidInput'],
    [{ title: 'a\nb' }, 'InvalidInput'],
    [{ title: 'a'.repeat(101) }, 'InvalidInput'],
    [{ description: 'a'.repeat(1001) }, 'InvalidInput'],
    [{ values: { a: 'a'.repeat(256 * 1024) } }, 'TooLarge'],
    [{ app: 'nothing.example.com' }, 'NotFound'],
  ] as const) {
    assert.equal(await code(saveConfiguration(ports, ANNA, draft(change))), answer, JSON.stringify(change).slice(0, 60));
  }
  await Promise.all(Array.from({ length: 100 }, () => saveConfiguration(ports, ANNA, draft())));
  assert.equal(await code(saveConfiguration(ports, ANNA, draft())), 'LimitReached');
});

test('Each write is in the audit log, also one that was rejected', async () => {
  await start();
  const { id } = (await saveConfiguration(ports, ANNA, draft())).savedConfiguration;
  await code(deleteSavedConfiguration(ports, EVE, { id, via: 'page', requestId: 'r2' }));
  await deleteSavedConfiguration(ports, ANNA, { id, via: 'page', requestId: 'r3' });
  const lines = (await store.auditLog.search(EVERY_ENTRY)).map(({ user, action, target, outcome, requestId }) => [
    user,
    action,
    target,
    outcome,
    requestId,
  ]);
  assert.deepEqual(lines, [
    [ANNA.user, 'delete saved configuration', id, 'succeeded', 'r3'],
    [EVE.user, 'delete saved configuration', id, 'rejected', 'r2'],
    [ANNA.user, 'create saved configuration', `${APP}/${id}`, 'succeeded', 'r1'],
  ]);
});

test('Over REST a saved configuration is saved, found, changed by who read it last, and deleted', async () => {
  await start();
  const app = express();
  app.use((_request, response, next) => {
    startContext(response, 'r9');
    next();
  });
  app.use('/api/v1', createApiRouter({ operations: bindOperations(ports), publicUrl: ports.publicUrl, actorOf: () => ANNA }));
  app.use(((error, _request, response, _next) => {
    response.status(isAppError(error) ? error.status : 500).json({ code: isAppError(error) ? error.code : String(error) });
  }) satisfies express.ErrorRequestHandler);
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const call = async (
      method: string,
      path: string,
      sent?: object,
      ifMatch = '',
    ): Promise<{ status: number; body: unknown; headers: Headers }> => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { 'Content-Type': type, ...(ifMatch === '' ? {} : { 'If-Match': ifMatch }) };
      const response = await fetch(origin + path, { method, headers, ...(sent === undefined ? {} : { body: stringifyJson(sent) }) });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
    };
    const saved = await call('POST', '/api/v1/saved-configurations', {
      app: APP,
      title: 'T',
      values: { size: 2 },
      owner: { group: 'oidc:team' },
    });
    assert.equal(saved.status, 201);
    const path = saved.headers.get('location') ?? '';
    const shown = await call('GET', path);
    const tag = shown.headers.get('etag') ?? '';
    assert.deepEqual(at(shown.body, 'owner'), { group: 'oidc:team' });
    assert.equal(listAt((await call('GET', `/api/v1/saved-configurations?app=${APP}&search=t+TEAM`)).body, 'items').length, 1);
    assert.equal(listAt((await call('GET', '/api/v1/saved-configurations?search=nothing')).body, 'items').length, 0);
    const changed = await call('PATCH', path, { values: { size: null, users: [] } }, tag);
    assert.deepEqual([changed.status, at(changed.body, 'savedConfiguration', 'values')], [200, { users: [] }]);
    assert.equal((await call('PATCH', path, { title: 'U' }, tag)).status, 412);
    const given = await call('PATCH', path, { owner: { user: ANNA.user } }, changed.headers.get('etag') ?? '');
    assert.deepEqual([given.status, at(given.body, 'savedConfiguration', 'owner')], [200, { user: ANNA.user }]);
    assert.equal((await call('PATCH', path, { owner: { group: 'oidc:others' } })).status, 403);
    const both = await Promise.all([call('PATCH', path, { title: 'V' }), call('PATCH', path, { description: 'long' })]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    const merged = await call('GET', path);
    assert.deepEqual([at(merged.body, 'title'), at(merged.body, 'description')], ['V', 'long']);
    const versions = listAt((await call('GET', `${path}/versions`)).body, 'items').map((item) => at(item, 'version'));
    assert.deepEqual(versions, [4, 3, 2, 1]);
    assert.deepEqual(at((await call('GET', `${path}/comparison`)).body, 'changes', 0, 'path'), 'spec.users');
    assert.equal((await call('DELETE', path, undefined, tag)).status, 412);
    assert.equal(
      (await call('POST', '/api/v1/saved-configurations', { app: APP, title: 'T', values: {}, owner: { user: 'x', group: 'y' } })).status,
      422,
    );
    assert.equal((await call('DELETE', path, undefined, merged.headers.get('etag') ?? '')).status, 200);
    assert.equal((await call('GET', path)).status, 404);
  } finally {
    server.close();
  }
});

test('Values that the schema has no place for any more are named', () => {
  const model = buildForm({ schema: SPEC, root: 'spec', curated: [], mode: 'create' });
  assert.deepEqual(unknownFields(model, { size: 1, old: 2, users: [{ name: 'a' }, { nick: 'b' }] }), ['spec.old', 'spec.users[1].nick']);
  const open = buildForm({ schema: { ...SPEC, 'x-kubernetes-preserve-unknown-fields': true }, root: 'spec', curated: [], mode: 'create' });
  assert.deepEqual(unknownFields(open, { old: 2 }), []);
});
