import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { FormNode } from '../../../../src/form/model/form-node.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { cacheForm } from '../../../../src/form/model/cache-form.ts';
import { differencesBetween } from '../../../../src/form/model/differences.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { MAX_LEAVES, largeKind } from '../../../support/large-kind.ts';
import { sampleViews } from '../../../support/sample-web.ts';

const text = { type: 'string' };
const PAGE_BYTES = 200 * 1024;
const schema = largeKind(MAX_LEAVES);
const model = cacheForm({ schema, root: 'spec', curated: [], mode: 'create' });
const views = sampleViews();

test('Each leaf of a kind as large as the largest has a control of its own', () => {
  const { leaves, typed, unreachable } = coverage(schema, model);
  assert.deepEqual({ leaves, typed, unreachable }, { leaves: MAX_LEAVES, typed: MAX_LEAVES, unreachable: [] });
  assert.equal(model.reduced, undefined);
});

for (const [world, sent] of Object.entries({
  'The first page': '',
  'A search that finds hundreds of fields': '_q=timeout',
  'A search over all that is said': '_q=operator',
  'The last page': '_page=999',
  'A page with a group that was opened': 'x.spec.component3=1',
})) {
  test(`${world} of it stays small`, () => {
    const fields = valuesToFields(model, {});
    for (const [name, value] of new URLSearchParams(sent)) fields.set(name, value);
    const html = views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
    assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${Buffer.byteLength(html)} bytes`);
    assert.match(html, /spec\.component0/);
  });
}

test('What was filled in on one page is on no other, comes back, and the review names it alone', () => {
  const values = { component17: { template: { containers: [{ name0: 'a' }] } } };
  const fields = valuesToFields(model, values);
  fields.set('_page', '1');
  assert.deepEqual(formToValues(model, fields, {}).values, values);
  const changes = differencesBetween({ schema, root: model.root }, {}, values);
  assert.ok(changes.length > 0 && changes.every(({ path }) => path.startsWith('spec.component17')), stringifyJson(changes));
});

test('Of a kind of twice as many leaves what is deepest has no control, and what comes late keeps its own', () => {
  const late = {
    tls: { type: 'object', properties: { secretName: text, mode: { type: 'string', enum: ['require', 'verify'] } } },
    users: { type: 'array', items: { type: 'object', properties: { name: text, roles: { type: 'array', items: text } } } },
  };
  const { properties } = largeKind(2 * MAX_LEAVES);
  const twice = { type: 'object', properties: { ...(properties as JsonObject), ...late } };
  const form = cacheForm({ schema: twice, root: 'spec', curated: [], mode: 'create' });
  assert.notEqual(form.reduced, undefined);
  const { unreachable } = coverage(twice, form);
  const kinds = new Map(levelsOf(form.root).map(({ path, kind }) => [path.join('.'), kind]));
  const lateKinds = ['tls.secretName', 'tls.mode', 'users', 'users.*.roles.*'].map((path) => kinds.get(`spec.${path}`));
  assert.deepEqual({ unreachable, lateKinds }, { unreachable: [], lateKinds: ['text', 'enum', 'list', 'text'] });
});

function levelsOf(node: FormNode): readonly FormNode[] {
  if (node.kind === 'group') return [node, ...node.children.flatMap(levelsOf)];
  return node.kind === 'list' ? [node, ...levelsOf(node.item)] : [node];
}

test('A form that cannot have every field says so above its fields', () => {
  const many = { properties: Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`p${n}`, { type: 'string' }])) };
  const reduced = cacheForm({ schema: many, root: 'spec', curated: [], mode: 'create' });
  const show = (form: typeof model): string =>
    views.render('parts/form', formView(form, { fields: valuesToFields(form, {}), base: {}, faults: [] }));
  assert.match(reduced.reduced ?? '', /too large for a form of all its fields/);
  assert.match(show(reduced), /Not every field is here/);
  assert.doesNotMatch(show(model), /Not every field is here/);
});
