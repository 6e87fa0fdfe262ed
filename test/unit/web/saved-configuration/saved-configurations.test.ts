import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type {
  SavedConfigurationChange,
  SavedConfigurationDraft,
} from '../../../../src/operation/saved-configuration/save-configuration.ts';
import { ownerChoices } from '../../../../src/web/saved-configuration/saved-configuration-page.ts';
import { withoutAsking } from '../../../support/sample-audit-log.ts';
import { SAMPLE_SAVED_CONFIGURATION_OPERATIONS, SAMPLE_SAVED_CONFIGURATIONS } from '../../../support/sample-saved-configurations.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit } from '../../form/submit.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const INSTALL = `/apps/${APP}/install`;
const ORDERS = `/environments/team-a/instances/${APP}/orders`;
const [SMALL, TEAM] = SAMPLE_SAVED_CONFIGURATIONS;
const saved: SavedConfigurationDraft[] = [];
const changed: SavedConfigurationChange[] = [];
const deleted: object[] = [];
let web: SampleWeb | undefined;
after(async () => await web?.stop());

interface Page {
  readonly status: number;
  readonly html: string;
  readonly sent: URLSearchParams;
  readonly location: string;
}

async function ask(path: string, body?: URLSearchParams): Promise<Page> {
  web ??= await startSampleWeb({
    saveConfiguration: async (actor, draft) => {
      saved.push(draft);
      return await SAMPLE_SAVED_CONFIGURATION_OPERATIONS.saveConfiguration(actor, draft);
    },
    changeSavedConfiguration: async (actor, change) => {
      changed.push(change);
      return await SAMPLE_SAVED_CONFIGURATION_OPERATIONS.changeSavedConfiguration(actor, change);
    },
    deleteSavedConfiguration: async (_actor, input) => {
      deleted.push(input);
    },
  });
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const response = await fetch(web.url + path, { headers, redirect: 'manual', ...(body === undefined ? {} : { method: 'POST', body }) });
  const html = await response.text();
  return { status: response.status, html, sent: submit(html), location: response.headers.get('location') ?? '' };
}

function press(page: Page, values: Readonly<Record<string, string>>): URLSearchParams {
  const body = new URLSearchParams(page.sent);
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  return body;
}

test('A form starts from a saved configuration, and a link can say more', async () => {
  const page = await ask(`${INSTALL}?saved-configuration=${SMALL?.id}&v.spec.instances=2&environment=team-a`);
  assert.match(page.html, /Started from “Small, for a try”/);
  assert.deepEqual([page.sent.get('v.spec.instances'), page.sent.get('v.spec.storage.size')], ['2', '2Gi']);
});

test('What kubectl wrote shows its faults, and only whoever may change what is of an environment is offered to', async () => {
  const { html } = await ask(`/apps/${APP}/saved-configurations`);
  assert.match(html, /it contains secrets, which are left out: spec\.password/);
  assert.match(html, /<code>team-a\.stray<\/code>: the catalogue has no app/);
  assert.doesNotMatch(html, /team-a\.from-git\/delete/);
  assert.match(html, new RegExp(`${SMALL?.id}/delete`));
});

test('Fields that the app no longer has are named, and stay until somebody takes them out', async () => {
  const page = await ask(`${INSTALL}?saved-configuration=${TEAM?.id}`);
  assert.match(page.html, /<code>spec\.storage\.tier<\/code>/);
  const yaml = await ask(INSTALL, press(page, { _op: 'yaml:' }));
  assert.match(yaml.sent.get('y.') ?? '', /tier: old/);
});

test('A saved configuration that is not there, or of another app, is not found', async () => {
  assert.equal((await ask(`${INSTALL}?saved-configuration=${'0'.repeat(32)}`)).status, 404);
  assert.equal((await ask(`/apps/caches.samples.chandlery.dev/install?saved-configuration=${SMALL?.id}`)).status, 404);
});

test('What stands in the form is saved under a title, unfinished as it is, and the form comes back', async () => {
  const form = await ask(INSTALL);
  const page = await ask(INSTALL, press(form, { 'v.spec.instances': '5', name: 'later', _do: 'keep' }));
  assert.match(page.html, /For the group oidc:team-a/);
  const nameless = await ask(INSTALL, press(page, { _do: 'keep-now', _description: 'kept words' }));
  assert.equal(nameless.status, 422);
  assert.match(nameless.html, /href="#title">Enter a title/);
  assert.match(nameless.html, /kept words/);
  const done = await ask(INSTALL, press(nameless, { _title: 'Five', _owner: 'group:oidc:team-a', _do: 'keep-now' }));
  assert.equal(done.location, `/apps/${APP}/saved-configurations?saved=${'c'.repeat(32)}`);
  const { requestId, via, person: _person, ...draft } = saved.at(-1) ?? assert.fail('nothing was saved');
  assert.deepEqual([requestId === '', via], [false, 'page']);
  const owner = { group: 'oidc:team-a' };
  assert.deepEqual(draft, { app: APP, title: 'Five', description: 'kept words', owner, values: { instances: 5 } });
  const back = await ask(INSTALL, press(nameless, { _do: 'edit' }));
  assert.deepEqual([back.sent.get('v.spec.instances'), back.sent.get('name')], ['5', 'later']);
});

test('A text that cannot be read is corrected before it is saved', async () => {
  const before = saved.length;
  const page = await ask(INSTALL, press(await ask(INSTALL), { 'v.spec.instances': 'many', _do: 'keep' }));
  assert.deepEqual([page.status, page.sent.get('v.spec.instances'), saved.length], [422, 'many', before]);
});

test('The configuration of an instance is saved from its page, and its secrets are named', async () => {
  assert.match((await ask(ORDERS)).html, new RegExp(`href="${ORDERS}/save"`));
  const page = await ask(`${ORDERS}/save`);
  assert.match(page.html, /Secrets are not saved|Who it is for/);
  const done = await ask(`${ORDERS}/save`, press(page, { _title: 'As orders', _do: 'keep-now' }));
  assert.equal(done.status, 303);
  assert.deepEqual(saved.at(-1)?.owner, { user: 'oidc:dev-a' });
  assert.ok(Object.keys(saved.at(-1)?.values ?? {}).length > 0);
});

test('The saved configurations are listed, searched and deleted', async () => {
  const all = await ask(`/apps/${APP}/saved-configurations?saved=${SMALL?.id}`);
  assert.match(all.html, /You find it here as “Small, for a try”/);
  assert.match(all.html, /Group oidc:team-a/);
  const some = await ask(`/apps/${APP}/saved-configurations?q=team`);
  assert.doesNotMatch(some.html, /Small, for a try/);
  assert.match((await ask(`/apps/${APP}/saved-configurations?q=zzz`)).html, /Nothing is saved/);
  const gone = await ask(`/apps/${APP}/saved-configurations/${TEAM?.id}/delete`, new URLSearchParams({ version: '4' }));
  assert.equal(gone.location, `/apps/${APP}/saved-configurations?deleted`);
  const input = withoutAsking({ requestId: '', via: 'page', ...deleted.at(-1) });
  assert.deepEqual(input, { id: TEAM?.id, version: 4 });
});

const TEAM_PAGE = `/apps/${APP}/saved-configurations/${TEAM?.id}`;

test('A saved configuration is changed in the form of its app, on the version that was opened', async () => {
  const form = await ask(TEAM_PAGE);
  assert.deepEqual(
    [form.sent.get('title'), form.sent.get('owner'), form.sent.get('v.spec.instances')],
    ['What the team uses', 'group:oidc:team-a', '3'],
  );
  const done = await ask(TEAM_PAGE, press(form, { title: 'Ours', owner: 'user', 'v.spec.instances': '4', _do: 'save' }));
  assert.equal(done.location, `/apps/${APP}/saved-configurations?saved=${TEAM?.id}`);
  const change = withoutAsking(changed.at(-1) ?? assert.fail('nothing was changed'));
  const values = { instances: 4, storage: { size: '20Gi', tier: 'old' } };
  assert.deepEqual(change, { id: TEAM?.id, title: 'Ours', description: '', owner: { user: 'oidc:dev-a' }, values, version: 4 });
});

test('Its form can be YAML and a file, and keeps its words meanwhile', async () => {
  const yaml = await ask(TEAM_PAGE, press(await ask(TEAM_PAGE), { title: 'Typed', _op: 'yaml:' }));
  assert.match(yaml.sent.get('y.') ?? '', /tier: old/);
  assert.equal(yaml.sent.get('title'), 'Typed');
});

test('Who was slower keeps what was typed, sees what differs, and may write over it or beside it', async () => {
  const form = await ask(TEAM_PAGE);
  const slow = await ask(TEAM_PAGE, press(form, { version: '3', 'v.spec.instances': '5', _do: 'save' }));
  assert.equal(slow.status, 409);
  assert.match(slow.html, /Somebody else changed the resource meanwhile/);
  assert.match(slow.html, /differ from theirs in <code>spec\.instances<\/code>/);
  assert.deepEqual([slow.sent.get('v.spec.instances'), slow.sent.get('version')], ['5', '4']);
  const beside = await ask(TEAM_PAGE, press(slow, { _do: 'new' }));
  assert.equal(beside.location, `/apps/${APP}/saved-configurations?saved=${'c'.repeat(32)}`);
  assert.deepEqual(saved.at(-1)?.values['instances'], 5);
});

test('What is wrong with it is said at its field', async () => {
  const form = await ask(TEAM_PAGE);
  const nameless = await ask(TEAM_PAGE, press(form, { title: '', _do: 'new' }));
  assert.equal(nameless.status, 422);
  assert.match(nameless.html, /href="#title">Enter a title/);
  const broken = await ask(TEAM_PAGE, press(form, { 'v.spec.instances': 'many', _do: 'save' }));
  assert.deepEqual([broken.status, broken.sent.get('v.spec.instances')], [422, 'many']);
});

test('An earlier version is opened, to be saved as the newest', async () => {
  const form = await ask(`${TEAM_PAGE}?version=3`);
  assert.match(form.html, /Version 3 is in the form/);
  assert.deepEqual([form.sent.get('v.spec.instances'), form.sent.get('version')], ['2', '4']);
});

test('A copy is made for the same owner, and opened', async () => {
  const copy = await ask(`${TEAM_PAGE}/copy`, new URLSearchParams());
  assert.equal(copy.location, `/apps/${APP}/saved-configurations/${'c'.repeat(32)}?copied`);
  assert.deepEqual([saved.at(-1)?.title, saved.at(-1)?.owner], ['Copy of What the team uses', { group: 'oidc:team-a' }]);
});

test('It is compared with the defaults, and with an instance whose change is then reviewed', async () => {
  assert.match((await ask(`${TEAM_PAGE}/compare`)).html, /Differences from the defaults/);
  const page = await ask(`${TEAM_PAGE}/compare?with=team-a/orders`);
  const review = await ask(`${ORDERS}/edit`, press(page, { _do: 'review' }));
  assert.match(review.html, /Review the change of orders/);
  const form = await ask(`${ORDERS}/edit`, press(review, { _do: 'edit' }));
  assert.deepEqual([form.sent.get('v.spec.instances'), form.sent.get('v.spec.storage.size')], ['3', '20Gi']);
});

test('Of another app it is not found', async () => {
  for (const path of ['', '/compare']) {
    assert.equal((await ask(`/apps/caches.samples.chandlery.dev/saved-configurations/${TEAM?.id}${path}`)).status, 404);
  }
});

test('The group of everybody is called what it is, and stands last', () => {
  const me = { user: 'oidc:dev-a', groups: ['chandlery:signed-in', 'oidc:team-a'], name: 'Dana', admin: false };
  assert.deepEqual(
    ownerChoices(me, 'user', ['team-a']).map(({ label }) => label),
    ['For me alone', 'For the environment team-a', 'For the group oidc:team-a', 'For everybody who signs in'],
  );
});
