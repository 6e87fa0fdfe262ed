import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import type { App } from '../../../../src/domain/app/app.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import { runs } from '../../../support/runs.ts';
import { sampleApp } from '../../../support/sample-apps.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { MAX_ROWS } from '../../../../src/form/input/form-fields.ts';
import { generatedForm, plain } from '../../form/generated-forms.ts';
import { submit } from '../../form/submit.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const EDIT = `/environments/team-a/instances/${APP}/orders/edit`;
const [orders] = sampleInstances('team-a') as readonly [InstanceView];
const postgres = sampleApp(APP) as App;

const world: { schema: JsonObject; values: JsonObject; written: InstanceChange[] } = { schema: {}, values: {}, written: [] };
let web: SampleWeb;

before(async () => {
  web = await startSampleWeb({
    showApp: async () => ({
      ...postgres,
      fields: [],
      schema: { type: 'object', properties: { spec: world.schema } },
    }),
    showInstance: async () => ({ ...orders, object: { ...orders.object, spec: world.values } }),
    updateInstance: async (_actor, change) => {
      world.written.push(change);
      return orders;
    },
  });
});
after(async () => web.stop());

const text = { type: 'string' };
const lot = (count: number): JsonObject => ({ rows: Array.from({ length: count }, (_, row) => ({ name: `row ${row}`, size: row })) });
const ROWS: JsonObject = {
  type: 'object',
  properties: { rows: { type: 'array', items: { type: 'object', properties: { name: text, size: { type: 'integer' } } } }, note: text },
};

const cases: readonly { readonly world: string; readonly schema: JsonObject; readonly values: JsonObject; readonly status?: number }[] = [
  {
    world: 'nothing, zero, no and null',
    schema: {
      type: 'object',
      properties: {
        zero: { type: 'integer', default: 3 },
        no: { type: 'boolean', default: true },
        empty: { ...text, default: 'x' },
        none: { ...text, nullable: true },
        list: { type: 'array', items: text },
        map: { type: 'object', additionalProperties: text },
        group: { type: 'object', properties: { inner: text } },
      },
    },
    values: { zero: 0, no: false, empty: '', none: null, list: [], map: {}, group: {} },
  },
  {
    world: 'keys with dots, slashes, quotes and letters of every script',
    schema: { type: 'object', properties: { labels: { type: 'object', additionalProperties: text }, 'a.b/c': text, a: ROWS } },
    values: { labels: { 'x.y/z': '1', 'it"s': '', "it's": '2', 'größe ☂': '3', '[0]': '4', ' ': '5' }, 'a.b/c': 'x', a: { rows: [] } },
  },
  {
    world: 'a key with a dot beside a group that spells the same',
    schema: { type: 'object', properties: { 'a.b': text, a: { type: 'object', properties: { b: text } } } },
    values: { 'a.b': 'one', a: { b: 'two' } },
  },
  {
    world: 'members that the schema does not know',
    schema: { type: 'object', properties: { known: text, group: { type: 'object', properties: { x: text } } } },
    values: { known: 'x', gone: { deep: [1, { a: null }] }, group: { x: '1', y: false, 'z.z': '' } },
  },
  { world: 'a list of more rows than a form has, and another field', schema: ROWS, values: { ...lot(MAX_ROWS + 1), note: 'x' } },
  {
    world: 'a required group that is not there',
    schema: { type: 'object', required: ['group'], properties: { group: { type: 'object', properties: { x: text } }, note: text } },
    values: { note: 'x' },
  },
  {
    world: 'a required field that is not there, as after an upgrade',
    schema: { type: 'object', required: ['size'], properties: { size: text, note: text } },
    values: { note: 'x' },
    status: 422,
  },
];

for (const { status = 303, ...one } of cases) {
  test(`A form over ${one.world} that is sent back as it came writes nothing`, async () => {
    const response = await sendBack(one);
    assert.deepEqual([response.status, world.written], [status, []]);
  });
}

test('Whatever the schema and the values are, a form that is sent back as it came writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(generatedForm, async (generated) => {
      const { status } = await sendBack(generated);
      assert.deepEqual(world.written, []);
      assert.ok(status === 303 || status === 422, `${status}`);
    }),
    { numRuns: runs(20) },
  );
});

test('Whatever the schema and the values are, changing one field changes that field alone', async () => {
  await fc.assert(
    fc.asyncProperty(generatedForm, async ({ schema, values }) => {
      const changed = { ...schema, required: [], properties: { ...(schema['properties'] as JsonObject), note: text } };
      const { status } = await sendBack({ schema: changed, values }, { 'v.spec.note': 'changed' });
      if (status === 422) return;
      assert.equal(status, 303);
      assert.deepEqual(plain(world.written.at(-1)?.spec), { ...values, note: 'changed' });
    }),
    { numRuns: runs(20) },
  );
});

async function sendBack(
  one: { readonly schema: JsonObject; readonly values: JsonObject },
  typed: Readonly<Record<string, string>> = {},
): Promise<Response> {
  Object.assign(world, { ...one, written: [] });
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const page = await fetch(web.url + EDIT, { headers });
  assert.equal(page.status, 200);
  const form = submit(await page.text());
  for (const [name, value] of Object.entries(typed)) form.set(name, value);
  form.set('_do', 'save');
  return await fetch(web.url + EDIT, { method: 'POST', body: form, redirect: 'manual', headers });
}
