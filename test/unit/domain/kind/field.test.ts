import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  choice,
  duration,
  flag,
  foreign,
  list,
  map,
  object,
  optional,
  orEmpty,
  quantity,
  text,
} from '../../../../src/domain/kind/field.ts';
import { specOf, statusOf } from '../../../../src/domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND } from '../../../../src/domain/source/catalog-source.ts';

const SPEC = object(
  {
    name: text({}),
    mode: choice(['Warn', 'Enabled'], { default: 'Warn' }),
    wait: duration({ name: 'wait', from: '1s', default: '5m' }),
    note: optional(text({})),
    limits: orEmpty(object({ suspend: flag({ default: false }) }, {})),
    tags: orEmpty(list(text({}), {})),
    rules: orEmpty(list(object({ path: text({}) }, {}), {})),
    quota: optional(map(quantity(), {})),
    values: orEmpty(foreign({})),
  },
  {},
);

const DEFAULTS = { mode: 'Warn', wait: 300_000, limits: { suspend: false }, tags: [], rules: [], values: {} };

describe('reading a field of a kind of ours', () => {
  const cases = [
    { title: 'what is left out has its default or is empty', given: { name: 'a' }, read: { name: 'a', ...DEFAULTS } },
    {
      title: 'what is given stands, and durations are milliseconds',
      given: {
        name: 'a',
        mode: 'Enabled',
        wait: '1h30m',
        note: 'n',
        limits: { suspend: true },
        tags: ['t'],
        quota: { 'requests.cpu': '8', pods: 5 },
      },
      read: {
        name: 'a',
        mode: 'Enabled',
        wait: 5_400_000,
        note: 'n',
        limits: { suspend: true },
        tags: ['t'],
        rules: [],
        quota: { 'requests.cpu': '8', pods: 5 },
        values: {},
      },
    },
    {
      title: 'what is foreign is left out, an item that misses a member too, and unknown fields',
      given: { name: 'a', mode: 'Other', note: 3, limits: 'x', tags: ['t', 4], rules: [{}, { path: 'p' }], quota: [], extra: 1 },
      read: { name: 'a', ...DEFAULTS, tags: ['t'], rules: [{ path: 'p' }] },
    },
    {
      title: 'foreign values stay whole',
      given: { name: 'a', values: { a: [{}] } },
      read: { name: 'a', ...DEFAULTS, values: { a: [{}] } },
    },
    { title: 'without a member that it must have an object is foreign', given: { mode: 'Warn' }, read: undefined },
    {
      title: 'what every object has of itself is no field',
      given: { name: 'a', limits: Object.create({ suspend: true }) as object },
      read: { name: 'a', ...DEFAULTS },
    },
  ];
  for (const { title, given, read } of cases) it(title, () => assert.deepEqual(SPEC.read(given), read));

  it('rejects a duration that it cannot read, because a bound must not become none', () => {
    assert.throws(() => SPEC.read({ name: 'a', wait: 'soon' }), /duration: "soon": write hours, minutes and seconds/);
  });
});

describe('a resource that its CRD would not let in', () => {
  const source = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: 'catalog' } };

  it('is rejected by name, with the field that is at fault', () => {
    const expected = 'CatalogSource catalog: spec.folder.path is missing or of the wrong type: set it as its CRD describes it';
    const folder = object({ path: text({ description: 'The path of the folder.' }) }, {});
    const kind = { ...CATALOG_SOURCE_KIND, spec: object({ folder }, {}) };
    assert.throws(() => specOf(kind, { ...source, spec: { folder: {} } }), { code: 'InvalidInput', message: expected });
  });

  it('has an empty status while nobody has written one', () => {
    assert.deepEqual(statusOf(CATALOG_SOURCE_KIND, source), {
      history: [],
      inventory: [],
      faults: [],
      pendingRemovals: [],
      conditions: [],
    });
  });
});
