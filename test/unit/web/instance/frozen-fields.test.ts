import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { App } from '../../../../src/domain/app/app.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import { sampleApp } from '../../../support/sample-apps.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit, tagsOf } from '../../form/submit.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const EDIT = `/environments/team-a/instances/${APP}/orders/edit`;
const [orders] = sampleInstances('team-a') as readonly [InstanceView];
const postgres = sampleApp(APP) as App;
const text = { type: 'string' };
const rule = (...rules: readonly string[]): JsonObject => ({ 'x-kubernetes-validations': rules.map((each) => ({ rule: each })) });
const SPEC: JsonObject = {
  type: 'object',
  properties: {
    network: {
      type: 'object',
      ...rule('oldSelf == self'),
      properties: {
        name: text,
        zone: text,
        ports: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer' }, note: text } } },
      },
    },
    store: { type: 'object', ...rule('self.size == oldSelf.size'), properties: { size: text, note: text } },
    bucket: { type: 'object', properties: { name: text, note: text } },
    first: text,
    class: text,
    secretly: text,
  },
  ...rule(
    '!has(oldSelf.first) || self.first == oldSelf.first',
    '!has(oldSelf.bucket) || !has(oldSelf.bucket.name) || self.bucket.name == oldSelf.bucket.name',
  ),
};
const VALUES: JsonObject = {
  network: { name: 'blue', ports: [{ port: 80 }] },
  store: { size: '1Gi', note: 'x' },
  bucket: { name: 'b' },
  class: 'fast',
  secretly: 'fixed',
};

const written: Json[] = [];
let web: SampleWeb;
before(async () => {
  web = await startSampleWeb({
    showApp: async () => ({
      ...postgres,
      fields: [],
      schema: { type: 'object', ...rule('self.spec.class == oldSelf.spec.class'), properties: { spec: SPEC } },
    }),
    showInstance: async () => ({ ...orders, object: { ...orders.object, spec: VALUES } }),
    preflightChange: async (actor, change) => {
      const answer = await sampleOperations().preflightChange(actor, change);
      const faults =
        change.spec['secretly'] === 'fixed' ? [] : [{ field: 'spec.secretly', message: 'Invalid value: "other": field is immutable' }];
      return { ...answer, verdict: faults.length === 0 ? 'Ready' : 'Blocked', faults };
    },
    updateInstance: async (_actor, change: InstanceChange) => {
      written.push(change.spec);
      return orders;
    },
  });
});
after(async () => web.stop());

test('Fields that rules freeze are greyed with their live value, at any depth, and so is what a frozen group lacks', async () => {
  const html = await (await ask()).text();
  assert.deepEqual(greyed(html), [
    'v.spec.network.name=blue',
    'v.spec.network.zone=',
    'v.spec.network.ports[0].port=80',
    'v.spec.network.ports[0].note=',
    'v.spec.store.size=1Gi',
    'v.spec.bucket.name=b',
    'v.spec.class=fast',
  ]);
});

test('What the cluster alone knows to be frozen is greyed after it said so, with all else that was typed', async () => {
  const form = submit(await (await ask()).text());
  form.set('v.spec.secretly', 'other');
  form.set('v.spec.store.note', 'typed');
  form.set('_do', 'save');
  const answer = await ask(form);
  const html = await answer.text();
  assert.equal(answer.status, 422);
  assert.ok(greyed(html).includes('v.spec.secretly=fixed'));
  assert.match(html, /field is immutable\. The field has the live value again/);

  const again = submit(html);
  assert.equal(again.get('v.spec.store.note'), 'typed');
  again.set('_op', 'add:spec.network.ports');
  const redrawn = await (await ask(again)).text();
  assert.ok(greyed(redrawn).includes('v.spec.secretly=fixed'));

  const last = submit(redrawn);
  last.set('_do', 'save');
  assert.equal((await ask(last)).status, 303);
  assert.deepEqual(written, [{ ...VALUES, store: { size: '1Gi', note: 'typed' } }]);
});

async function ask(form?: URLSearchParams): Promise<Response> {
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  return await fetch(web.url + EDIT, form === undefined ? { headers } : { method: 'POST', body: form, redirect: 'manual', headers });
}

function greyed(html: string): string[] {
  return tagsOf(html)
    .filter(({ attributes }) => attributes.has('disabled') && (attributes.get('name') ?? '').startsWith('v.'))
    .map(({ attributes }) => `${attributes.get('name')}=${attributes.get('value') ?? ''}`);
}
