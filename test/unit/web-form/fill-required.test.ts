import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/domain/resource.ts';
import { buildForm } from '../../../src/schema/form-model.ts';
import { fillRequired } from '../../../src/web/form/fill-required.ts';
import { formToValues } from '../../../src/web/form/form-to-values.ts';

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

  it('is left out with an optional group that is, and does not stand for one that wants values', () => {
    assert.deepEqual(fillRequired(model, {}), { limits: {} });
  });
});
