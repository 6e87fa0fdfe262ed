import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldFault } from '../../../../src/domain/core/errors.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { fillRequired } from '../../../../src/form/input/fill-required.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';

const limits = { type: 'object', properties: { cpu: { type: 'string', default: '1' } } };
const SCHEMA: JsonObject = {
  required: ['limits', 'storage'],
  properties: {
    limits,
    storage: { type: 'object', required: ['size'], properties: { size: { type: 'string' } } },
    backup: {
      type: 'object',
      required: ['target'],
      properties: { target: { type: 'object', required: ['limits'], properties: { limits } } },
    },
    pools: { type: 'array', items: { type: 'object', required: ['limits'], properties: { name: { type: 'string' }, limits } } },
  },
};
const model = buildForm({ schema: SCHEMA, root: 'spec', curated: [], mode: 'create' });

describe('a required group whose fields all have defaults', () => {
  it('is not asked for', () => {
    const { values, faults } = formToValues(model, new URLSearchParams([['v.spec.storage.size', '1Gi']]), {});
    assert.deepEqual({ values, faults }, { values: { storage: { size: '1Gi' } }, faults: [] });
  });

  it('is sent as an empty object, wherever what holds it is', () => {
    const values = fillRequired(model, { storage: { size: '1Gi' }, pools: [{ name: 'a' }, { limits: { cpu: '2' } }], backup: {} });
    assert.deepEqual(values, {
      storage: { size: '1Gi' },
      pools: [{ name: 'a', limits: {} }, { limits: { cpu: '2' } }],
      backup: { target: { limits: {} } },
      limits: {},
    });
  });

  it('is not added to what has lived without it, wherever that stands now', () => {
    const live = { storage: { size: '1Gi' }, pools: [{ name: 'a' }, { name: 'b' }], backup: { target: {} } };
    const moved = { ...live, pools: [{ name: 'b' }, { name: 'a' }] };
    assert.deepEqual(fillRequired(model, moved, live), moved);
  });

  it('is added to what is new, and where it was emptied', () => {
    const live = { storage: { size: '1Gi' }, limits: { cpu: '2' }, pools: [{ name: 'a' }] };
    const values = fillRequired(model, { storage: { size: '1Gi' }, pools: [{ name: 'b' }, { name: 'a' }], backup: {} }, live);
    assert.deepEqual(values, {
      storage: { size: '1Gi' },
      pools: [{ name: 'b', limits: {} }, { name: 'a' }],
      backup: { target: { limits: {} } },
      limits: {},
    });
  });

  it('can be asked for where the api-server misses it', () => {
    const fields = new URLSearchParams([['v.spec.storage.size', '1Gi']]);
    const boxOf = (faults: readonly FieldFault[]): unknown => {
      const { main, all } = formView(model, { fields, base: { storage: { size: '1Gi' } }, faults });
      const keep = [...main, ...all].find(({ path }) => path === 'spec.limits')?.keep;
      return keep === undefined || keep === false ? keep : [keep.name, keep.value];
    };
    assert.deepEqual([boxOf([]), boxOf([{ field: 'spec.limits', message: 'Required value' }])], [false, ['s.spec.limits', 'empty']]);
    const { values } = formToValues(model, new URLSearchParams([...fields, ['s.spec.limits', 'empty']]), {});
    assert.deepEqual(values, { storage: { size: '1Gi' }, limits: {} });
  });

  it('is left out with an optional group that is, and does not stand for one that wants values', () => {
    assert.deepEqual(fillRequired(model, {}), { limits: {} });
  });
});
