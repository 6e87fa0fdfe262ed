import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../../../../src/domain/app/app.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import { sampleApp } from '../../../support/sample-apps.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit } from '../../form/submit.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const EDIT = `/environments/team-a/instances/${APP}/orders/edit`;
const [orders] = sampleInstances('team-a') as readonly [InstanceView];
const postgres = sampleApp(APP) as App;

const text = { type: 'string' };
const SPEC: JsonObject = {
  type: 'object',
  properties: {
    note: text,
    users: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: text, role: text, password: { ...text, format: 'password' }, tags: { type: 'array', items: text } },
      },
    },
  },
};
const ANNA = { name: 'anna', role: 'read', password: 'of anna' };
const BEN = { name: 'ben', role: 'read', password: 'of ben' };
const ZOE = { name: 'zoe', role: 'read', password: 'of zoe' };

const world: { values: JsonObject; written: InstanceChange[] } = { values: {}, written: [] };
let web: SampleWeb;

before(async () => {
  web = await startSampleWeb({
    showApp: async () => ({ ...postgres, fields: [], schema: { type: 'object', properties: { spec: SPEC } } }),
    showInstance: async () => ({ ...orders, object: { ...orders.object, spec: world.values } }),
    updateInstance: async (_actor, change) => {
      world.written.push(change);
      return orders;
    },
  });
});
after(async () => web.stop());

interface Page {
  readonly status: number;
  readonly html: string;
  readonly sent: URLSearchParams;
}

const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };

async function open(values: JsonObject): Promise<Page> {
  Object.assign(world, { values, written: [] });
  const response = await fetch(web.url + EDIT, { headers });
  const html = await response.text();
  return { status: response.status, html, sent: submit(html) };
}

/** Sends a form in which something was typed, after somebody else made other values live. */
async function send({ sent }: Page, typed: Readonly<Record<string, string>>, live: JsonObject): Promise<Page> {
  const body = new URLSearchParams(sent);
  for (const [name, value] of Object.entries({ _do: 'save', ...typed })) body.set(name, value);
  world.values = live;
  const response = await fetch(web.url + EDIT, { method: 'POST', body, redirect: 'manual', headers });
  const html = await response.text();
  return { status: response.status, html, sent: submit(html) };
}

test('A row that somebody put before those of a form takes no secret from them', async () => {
  const live = { users: [ZOE, ANNA, BEN] };
  const conflict = await send(await open({ users: [ANNA, BEN] }), { 'v.spec.note': 'mine' }, live);
  assert.equal(conflict.status, 409);
  assert.doesNotMatch(conflict.html, /sending the form again overwrites it/);
  await send(conflict, {}, live);
  assert.deepEqual(world.written.at(-1)?.spec, { users: [ZOE, ANNA, BEN], note: 'mine' });
});

test('A row that was changed here and moved there keeps its own secret when it overwrites', async () => {
  const live = { users: [ZOE, ANNA, BEN] };
  const conflict = await send(await open({ users: [ANNA, BEN] }), { 'v.spec.users[1].role': 'admin' }, live);
  assert.match(conflict.html, /users was changed; you have something else here/);
  await send(conflict, {}, live);
  assert.deepEqual(world.written.at(-1)?.spec, { users: [ANNA, { ...BEN, role: 'admin' }] });
});

test('A row whose secret somebody changed meanwhile has the new one', async () => {
  const live = { users: [ANNA, { ...BEN, password: 'new' }] };
  const conflict = await send(await open({ users: [ANNA, BEN] }), { 'v.spec.note': 'mine' }, live);
  await send(conflict, {}, live);
  assert.deepEqual(world.written.at(-1)?.spec, { users: live.users, note: 'mine' });
});

test('A button that is pressed after somebody took a row away gives no row the secret of another', async () => {
  const page = await send(await open({ users: [ANNA, BEN] }), { _op: 'add:spec.users' }, { users: [BEN] });
  const kept = await send(page, { 'v.spec.users[2].name': 'cleo' }, { users: [BEN] });
  assert.equal(kept.status, 409);
  await send(kept, {}, { users: [BEN] });
  assert.deepEqual(world.written.at(-1)?.spec, { users: [{ name: 'anna', role: 'read' }, BEN, { name: 'cleo' }] });
});

test('Who changed nothing finds what somebody else changed, and writes nothing', async () => {
  const { status } = await send(await open({ users: [ANNA], note: 'old' }), {}, { users: [ANNA, BEN], note: 'new' });
  assert.deepEqual([status, world.written], [303, []]);
});

test('A text about rows that somebody made up does no harm', async () => {
  for (const rows of ['', '[]', '{"spec.users":5}', '{', '{"__proto__":["a"]}']) {
    const { status } = await send(await open({ users: [ANNA] }), { rows, 'v.spec.note': 'x' }, { users: [ANNA] });
    assert.ok(status === 303 || status === 409 || status === 422, `${rows} ${status}`);
    for (const { spec } of world.written) assert.deepEqual(spec, { users: [ANNA], note: 'x' }, rows);
  }
});
