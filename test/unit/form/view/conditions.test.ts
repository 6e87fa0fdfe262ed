import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseYamlDocument } from '../../../../src/domain/core/bounded-yaml.ts';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { applyFormOp } from '../../../../src/form/input/apply-form-op.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormView, FieldView } from '../../../../src/form/view/form-view-model.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { holds } from '../../../../src/schema/conditionals/holds.ts';
import { submit, views } from '../submit.ts';

const SCHEMA = parseYamlDocument(`
type: object
properties:
  backup:
    type: object
    properties:
      enabled: {type: boolean}
      notify: {type: string}
      token: {type: string}
      store: {type: object, properties: {kind: {type: string}}}
    dependentRequired: {notify: [token]}
    allOf:
      - if: {properties: {enabled: {const: true}}, required: [enabled]}
        then: {required: [schedule], properties: {schedule: {type: string}}}
        else: {properties: {notify: false}}
      - if: {properties: {store: {properties: {kind: {enum: [s3]}}, required: [kind]}}, required: [store]}
        then: {properties: {store: {required: [bucket], properties: {bucket: {type: string}}}}}
        else:
          if: {required: [store]}
          then: {properties: {store: {properties: {folder: {type: string}}}}}
`) as JsonObject;
const model = buildForm({
  schema: SCHEMA,
  root: 'values',
  curated: [],
  mode: 'create',
  defaults: { backup: { enabled: false } },
  defaultsFrom: 'chart',
});

describe('a field that depends on others', () => {
  for (const { world, values, shown, required } of [
    {
      world: 'is away while its condition does not hold, by the defaults of the chart',
      values: {},
      shown: ['enabled', 'token'],
      required: [],
    },
    {
      world: 'is there once a value asks for it, and is required',
      values: { enabled: true },
      shown: ['enabled', 'notify', 'token', 'schedule'],
      required: ['schedule'],
    },
    {
      world: 'is required once another one is there',
      values: { enabled: true, notify: 'x' },
      shown: ['enabled', 'notify', 'token', 'schedule'],
      required: ['token', 'schedule'],
    },
    {
      world: 'stays while it has a value, which is not lost',
      values: { schedule: 'daily' },
      shown: ['enabled', 'token', 'schedule'],
      required: [],
    },
    {
      world: 'is there below another group, by the first condition that holds',
      values: { store: { kind: 's3' } },
      shown: ['enabled', 'token', 'kind', 'bucket'],
      required: ['bucket'],
    },
    {
      world: 'is there below another group, by a condition within else',
      values: { store: { kind: 'disk' } },
      shown: ['enabled', 'token', 'kind', 'folder'],
      required: [],
    },
  ] as const) {
    it(world, () => {
      const wanted: JsonObject = Object.keys(values).length === 0 ? {} : { backup: values };
      const fields = valuesToFields(model, wanted);
      const leaves = leavesOf(formView(model, { fields, base: {}, faults: [] })).filter(({ key }) => key !== 'kind' || 'store' in values);
      assert.deepEqual(leaves.map(({ key }) => key).sort(), [...shown].sort());
      assert.deepEqual(
        leaves
          .filter(({ mark }) => mark === 'Required')
          .map(({ key }) => key)
          .sort(),
        [...required].sort(),
      );
      assert.deepEqual(formToValues(model, fields, {}).values, wanted);
    });
  }

  it('is shown after the button of its group was pressed, and hidden again, with the answer of a browser', () => {
    const press = (fields: URLSearchParams): URLSearchParams =>
      submit(pageOf(applyFormOp(model, fields, { op: 'open:values.backup', base: {} }).fields));
    const first = submit(pageOf(new URLSearchParams()));
    assert.equal(first.has('v.values.backup.schedule'), false);
    const opened = press(withText(first, 'v.values.backup.enabled', 'true'));
    assert.equal(opened.has('v.values.backup.schedule'), true);
    const closed = press(withText(opened, 'v.values.backup.enabled', 'false'));
    assert.equal(closed.has('v.values.backup.schedule'), false);
  });

  it('has a field of its own wherever the condition describes it', () => {
    assert.deepEqual(coverage(SCHEMA, model), { leaves: 7, typed: 7, yaml: 0, freeForm: 0, unreachable: [] });
  });
});

for (const { schema, value, verdict } of [
  { schema: { const: { a: [1] } }, value: { a: [1] }, verdict: 'Holds' },
  { schema: { type: ['integer', 'null'] }, value: 1.5, verdict: 'Fails' },
  { schema: { not: { required: ['a'] } }, value: {}, verdict: 'Holds' },
  { schema: { anyOf: [{ contains: {} }, { minItems: 2 }] }, value: [1], verdict: 'Unknown' },
  { schema: { anyOf: [{ contains: {} }, { minItems: 1 }] }, value: [1], verdict: 'Holds' },
  { schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(50_000)}!`, verdict: 'Fails' },
  { schema: { $ref: '#/definitions/x' }, value: 1, verdict: 'Unknown' },
  { schema: { properties: { constructor: { const: 1 } } }, value: {}, verdict: 'Holds' },
] as const) {
  test(`${JSON.stringify(schema)} of ${JSON.stringify(value).slice(0, 30)}: ${verdict}`, () => {
    assert.equal(holds(schema as unknown as Json, value as unknown as Json), verdict);
  });
}

function pageOf(fields: URLSearchParams): string {
  return views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
}

function withText(fields: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(fields);
  changed.set(name, value);
  return changed;
}

function leavesOf({ main, all }: FormView): { key: string; mark: string }[] {
  const inside = (view: FieldView): { key: string; mark: string }[] =>
    'children' in view ? view.children.flatMap(inside) : [{ key: view.path.split('.').at(-1) ?? '', mark: view.mark }];
  return [...main, ...all].flatMap(inside);
}
