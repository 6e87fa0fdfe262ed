import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { sampleOf } from '../../../../bench/sample-values.ts';
import { readFormSources, sourcesInText } from '../../../../src/compose/form-sources.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormModel } from '../../../../src/form/model/form-node.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { MAX_LEAVES, largeKind } from '../../../support/large-kind.ts';
import { fewOf } from '../../../support/runs.ts';
import { CRD_FOLDERS, SCHEMA_FOLDERS } from '../../../support/schemas.ts';
import { sampleViews } from '../../../support/sample-web.ts';
import { plain } from '../generated-forms.ts';
import { submit } from '../submit.ts';

const PAGE_BYTES = 250 * 1024;
const views = sampleViews();
const schema = largeKind(MAX_LEAVES);
const model = buildForm({ schema, root: 'spec', curated: [], mode: 'edit' });

const container = (name: string): JsonObject => ({
  name0: name,
  image2: 'x',
  env: [{ name1: 'a' }, { name1: 'b' }],
  resources: { limits: { cpu: '1' } },
});
const part = (name: string): JsonObject => ({
  name0: name,
  template: { containers: [container(name), container(`${name}-side`)], volumes: [{ name5: 'data' }], security: { name6: 'r' } },
  storage: { disk: { name0: 'fast' } },
});
const filled: JsonObject = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`component${n}`, part(`c${n}`)]));

const render = (form: FormModel, fields: URLSearchParams, base: Json, fault = ''): string =>
  views.render('parts/form', formView(form, { fields, base, faults: fault === '' ? [] : [{ field: fault, message: 'Too short' }] }));
const press = (fields: URLSearchParams, op: string): string =>
  render(model, applyFormOp(model, fields, { op, base: filled }).fields, filled);

test('The edit page of a large object stays small, and sends back all that the object has', () => {
  for (const page of ['1', '2']) {
    const fields = valuesToFields(model, filled);
    fields.set('_page', page);
    const html = render(model, fields, filled);
    assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
    assert.deepEqual(plain(formToValues(model, submit(html), filled).values), filled);
  }
});

test('What was put away is shown by its button and stays open, and what is wrong in it is shown at once', () => {
  const first = render(model, valuesToFields(model, filled), filled);
  const away = /value="open:(spec\.component\d+)"/.exec(first)?.[1] ?? '';
  const shown = (html: string): boolean => html.includes(`id="f-${away.replace('.', '-')}-template`);
  assert.deepEqual([shown(first), submit(first).get(`n.${away}.template.containers`)], [false, '2']);
  const opened = press(submit(first), `open:${away}`);
  const added = press(submit(opened), 'add:spec.component0.template.volumes');
  const faulty = render(model, valuesToFields(model, filled), filled, `${away}.template.size0`);
  assert.deepEqual([opened, added, faulty].map(shown), [true, true, true]);
});

for (const path of fewOf(CRD_FOLDERS.flatMap((folder) => globSync(join(folder, '*.yaml')).toSorted()))) {
  test(`An object with a value in each field of ${basename(path)} has a page below the same bound`, () => {
    for (const source of sourcesInText(path, readFileSync(path, 'utf8'))) {
      const form = buildForm({ ...source, curated: [], mode: 'edit' });
      const base = sampleOf(form.root) ?? {};
      const html = render(form, valuesToFields(form, base), base);
      assert.deepEqual(plain(formToValues(form, submit(html), base).values), base);
      assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
    }
  });
}

for (const path of fewOf(SCHEMA_FOLDERS.flatMap((folder) => globSync(join(folder, 'charts', '*.schema.*')).toSorted()))) {
  test(`Values for each field of ${basename(path)} have a page below the same bound`, async () => {
    for (const source of await readFormSources(path, AbortSignal.timeout(20_000))) {
      const form = buildForm({ ...source, curated: [], defaultsFrom: 'chart', mode: 'edit' });
      const base = sampleOf(form.root) ?? {};
      const html = render(form, valuesToFields(form, base), base);
      assert.deepEqual(plain(formToValues(form, submit(html), base).values), base);
      assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
    }
  });
}
