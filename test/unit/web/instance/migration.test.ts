import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type InstanceView, specVersionOf } from '../../../../src/domain/instance/instance.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { withoutAsking } from '../../../support/sample-audit-log.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit } from '../../form/submit.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const MIGRATION = `/environments/team-a/instances/${APP}/orders/migration?version=v2`;
const [orders] = sampleInstances('team-a') as readonly [InstanceView];

let written: InstanceChange[] = [];
let web: SampleWeb;
before(async () => {
  web = await startSampleWeb({
    updateInstance: async (_actor, change) => {
      written.push(withoutAsking(change));
      return orders;
    },
  });
});
beforeEach(() => (written = []));
after(async () => web.stop());

test('A migration shows every field to decide, and no secret', async () => {
  const html = await (await ask()).text();
  for (const path of ['instances', 'storage.size', 'storageClass', 'legacy', 'password', 'region', 'maintenance'])
    assert.match(html, new RegExp(`<code class="field__label">spec\\.${path}</code>`), path);
  assert.match(html, /Move the value to spec\.storageClassName/);
  assert.match(html, /the default changes from &quot;sunday&quot; to &quot;monday&quot;/);
  assert.doesNotMatch(html, /hunter2/);
});

test('A loss is never chosen for anybody: what is not decided is asked for, and what was chosen stays', async () => {
  const form = submit(await (await ask()).text());
  form.set('t.spec.region', 'north');
  form.set('_do', 'move');
  const answer = await ask(form);
  const html = await answer.text();
  assert.equal(answer.status, 422);
  assert.deepEqual(written, []);
  assert.match(html, /spec\.legacy: Choose an option/);
  assert.doesNotMatch(html, /spec\.storageClass: /);
  assert.equal(submit(html).get('t.spec.region'), 'north');
});

test('What was decided is written once, in the new version', async () => {
  const form = submit(await (await ask()).text());
  const chosen = { 'd.spec.instances': 'set', 't.spec.instances': '"3"', 'd.spec.storage.size': 'set', 't.spec.storage.size': '9Gi' };
  const removed = { 'd.spec.legacy': 'remove', 'd.spec.password': 'remove', 't.spec.region': 'north', 'd.spec.maintenance': 'keep' };
  for (const [name, value] of Object.entries({ ...chosen, ...removed })) form.set(name, value);
  form.set('_do', 'review');
  const review = await (await ask(form)).text();
  assert.deepEqual(written, []);
  const again = submit(review);
  again.set('_do', 'move');
  assert.equal((await ask(again)).status, 303);
  assert.deepEqual(written, [
    {
      environment: 'team-a',
      app: APP,
      name: 'orders',
      version: 'v2',
      specVersion: specVersionOf(orders.object),
      spec: { instances: '3', storage: { size: '9Gi' }, storageClassName: 'fast', region: 'north', maintenance: 'sunday' },
    },
  ]);
});

async function ask(form?: URLSearchParams): Promise<Response> {
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  return await fetch(web.url + MIGRATION, form === undefined ? { headers } : { method: 'POST', body: form, redirect: 'manual', headers });
}
