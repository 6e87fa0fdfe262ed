import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { bothViews } from '../../../src/schema/both-views.ts';

const SCHEMA: JsonObject = {
  properties: {
    a: {},
    mode: { default: 'slow' },
    list: { items: { properties: { old: {} } } },
    group: { properties: { old: {}, both: {} } },
  },
};

describe('an object that is read in two versions', () => {
  const cases: readonly { title: string; target: JsonObject; other: JsonObject; both: JsonObject }[] = [
    { title: 'has what only the other one shows', target: { b: 1 }, other: { a: 1 }, both: { b: 1, a: 1 } },
    { title: 'has the value of the version that it is to have where both show one', target: { a: 2 }, other: { a: 1 }, both: { a: 2 } },
    { title: 'has nothing that the other one fills in', target: { b: 1 }, other: { mode: 'slow' }, both: { b: 1 } },
    { title: 'has what somebody set beside such a default', target: { b: 1 }, other: { mode: 'fast' }, both: { b: 1, mode: 'fast' } },
    {
      title: 'is put together within groups and rows',
      target: { group: { both: 1, young: 2 }, list: [{ young: 1 }, {}] },
      other: { group: { both: 1, old: 3 }, list: [{ old: 1 }, { old: 2 }] },
      both: { group: { both: 1, young: 2, old: 3 }, list: [{ young: 1, old: 1 }, { old: 2 }] },
    },
    { title: 'keeps rows of which there are not as many in both', target: { list: [1] }, other: { list: [1, 2] }, both: { list: [1] } },
    {
      title: 'keeps 0, false, null and empty values',
      target: { a: 0, b: null },
      other: { c: false, d: {} },
      both: { a: 0, b: null, c: false, d: {} },
    },
  ];
  for (const { title, target, other, both } of cases) it(title, () => assert.deepEqual(bothViews({ target, other, schema: SCHEMA }), both));
});
