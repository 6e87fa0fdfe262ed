import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BoardEntry } from '../../../../src/domain/environment/board-entries.ts';
import type { EnvironmentView } from '../../../../src/domain/environment/environment.ts';
import { byTier, type ColumnReading, filterRows, tierColumn, tierRows } from '../../../../src/domain/environment/tier-board.ts';
import { SAMPLE_ENVIRONMENTS } from '../../../support/sample-instances.ts';

describe('the tier board', () => {
  it('has the environments in the order in which a change goes through them', () => {
    const tiers = ['production', 'staging', 'sandbox', 'development', 'testing'].map((tier) => environment(tier, tier));
    assert.deepEqual(
      tiers.toSorted(byTier).map(({ tier }) => tier),
      ['sandbox', 'development', 'testing', 'staging', 'production'],
    );
  });

  it('compares with the nearest earlier tier that has the app, there with the environment that is most alike', () => {
    const readings = [
      column('development', 'dev', [entry({ compared: { a: 0, b: 0 } })]),
      column('staging', 'east', [entry({ compared: { a: 1, b: 1 } })]),
      column('staging', 'west', [entry({ compared: { a: 2, b: 1 } })]),
      column('production', 'live', [entry({ compared: { a: 2, b: 2, 'c/d': 3 } })]),
    ];
    const [row] = tierRows(readings, []);
    assert.deepEqual(
      row?.cells.map(({ environment: name, drift }) => [name, drift]),
      [
        ['dev', undefined],
        ['east', { from: 'dev', fields: ['a', 'b'] }],
        ['west', { from: 'dev', fields: ['a', 'b'] }],
        ['live', { from: 'west', fields: ['b', 'c/d'] }],
      ],
    );
  });

  it('names what a change should wait for, the deletion before all', () => {
    const request = { id: '1', environment: 'dev', app: 'caches.example.com', name: 'visits' };
    const readings = [
      column('development', 'dev', [entry({}), entry({ key: 'workloads/web', name: 'web', app: '', suspended: true })]),
      column('staging', 'stage', [entry({ deleting: true, suspended: true })]),
    ];
    const locks = tierRows(readings, [request]).flatMap(({ cells }) => cells.map(({ lock }) => lock));
    assert.deepEqual(locks, [{ kind: 'ChangeRequest', changeRequest: '1' }, { kind: 'Deleting' }, { kind: 'Suspended' }]);
  });

  it('is filtered by tier, app, health and difference together', () => {
    const readings = [
      column('development', 'dev', [entry({}), entry({ key: 'workloads/web', name: 'web', app: '', appName: '' })]),
      column('production', 'live', [entry({ compared: { a: 1 }, health: { status: 'Degraded', message: '' } })]),
    ];
    const rows = tierRows(readings, []);
    const columns = readings.map(tierColumn);
    const left = (filter: Parameters<typeof filterRows>[2]): string[] =>
      filterRows(rows, columns, filter).map(({ name, cells }) => `${name} ${cells.length}`);
    assert.deepEqual(left({}), ['visits 2', 'web 1']);
    assert.deepEqual(left({ tier: 'production' }), ['visits 1']);
    assert.deepEqual(left({ app: 'cache' }), ['visits 2']);
    assert.deepEqual(left({ health: 'Degraded', differs: 'yes' }), ['visits 2']);
    assert.deepEqual(left({ tier: 'development', differs: 'yes' }), []);
  });
});

function environment(tier: string, name: string): EnvironmentView {
  const [sample] = SAMPLE_ENVIRONMENTS as readonly [EnvironmentView];
  return { ...sample, name, tier };
}

function column(tier: string, name: string, entries: readonly BoardEntry[]): ColumnReading {
  return { environment: environment(tier, name), entries, missing: [], unavailable: [] };
}

function entry(rest: Partial<BoardEntry>): BoardEntry {
  const own = { key: 'caches.example.com/visits', app: 'caches.example.com', appName: 'Cache', name: 'visits' };
  return { ...own, version: '', canaryVersion: '', deleting: false, suspended: false, compared: {}, workloads: [], ...rest };
}
