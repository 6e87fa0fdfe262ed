import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { DescribedChart } from '../../../../src/schema/chart-values.ts';
import { decideValues, previewValuesMigration } from '../../../../src/form/migration/values-migration.ts';

describe('values under another version of a chart', () => {
  const cases: readonly { title: string; from: DescribedChart; to: DescribedChart; own: JsonObject; rows: readonly string[] }[] = [
    {
      title: 'that fit ask nothing',
      from: { values: { image: { tag: '1' }, replicas: 1 } },
      to: { values: { image: { tag: '1' }, replicas: 1, extra: true } },
      own: { replicas: 2, image: { tag: '7' } },
      rows: [],
    },
    {
      title: 'that the new chart does not name are removed, look renamed, or may be left',
      from: { values: { logLevel: 'info', controller: { workers: 1 } } },
      to: { values: { log: { level: 'info' }, controller: { workerCount: 1 } } },
      own: { logLevel: 'debug', controller: { workers: 4 } },
      rows: ['values.logLevel removed remove,leave', 'values.controller.workers renamed move:values.controller.workerCount,remove,leave'],
    },
    {
      title: 'that the schema of the new chart rejects may not be left',
      from: { values: { a: 1, b: 1 } },
      to: { values: { b: 1 }, schema: { additionalProperties: false, properties: { b: {} } } },
      own: { a: 2 },
      rows: ['values.a removed remove'],
    },
    {
      title: 'that no chart has ever named stay as they are, as templates may look at them',
      from: { values: { nodeSelector: {}, a: 1 } },
      to: { values: { nodeSelector: {}, a: 1, b: 2 } },
      own: { nodeSelector: { disk: 'ssd' }, extraLabels: { team: 'a' } },
      rows: [],
    },
    {
      title: 'that are missing must be set where the chart has none',
      from: { values: {} },
      to: { values: { region: 'eu' }, schema: { required: ['region', 'domain'], properties: { domain: { type: 'string' } } } },
      own: {},
      rows: ['values.domain required set'],
    },
    {
      title: 'that nobody set and that have another default follow it unless somebody keeps them',
      from: { values: { image: { tag: '1.0' }, debug: false, tolerations: [] } },
      to: { values: { image: { tag: '2.0' }, debug: false, tolerations: [{ key: 'a' }] } },
      own: { tolerations: [] },
      rows: ['values.image.tag default take,keep'],
    },
    {
      title: 'of another type or beyond new limits must become others',
      from: { values: { image: 'a:1', replicas: 1 } },
      to: {
        values: { image: { name: 'a', tag: '1' }, replicas: 1 },
        schema: { properties: { replicas: { type: 'integer', maximum: 3 } } },
      },
      own: { image: 'b:1', replicas: 5 },
      rows: ['values.image type set,remove', 'values.replicas narrowed set,remove'],
    },
    {
      title: 'that take a default away are no values',
      from: { values: { a: { b: 1 }, c: 'x' } },
      to: { values: { a: { b: 1 }, c: 'x' }, schema: { properties: { c: { type: 'string' } } } },
      own: { a: null, c: null },
      rows: [],
    },
    {
      title: 'under a map that was called otherwise move as a whole',
      from: { values: { controllerSettings: { workers: 1, level: 'a' } } },
      to: { values: { controller: { workers: 1, level: 'a' } } },
      own: { controllerSettings: { workers: 2 } },
      rows: ['values.controllerSettings renamed move:values.controller,remove,leave'],
    },
  ];
  for (const { title, from, to, own, rows } of cases) {
    it(title, () => {
      const preview = previewValuesMigration({ from, to, overlay: own, own });
      assert.deepEqual(
        preview.rows.map(({ path, change, options }) => `${path} ${change} ${options.join()}`),
        rows,
      );
    });
  }

  const from = { values: { logLevel: 'info', image: { tag: '1' }, controller: { workers: 1 } } };
  const to = { values: { image: { tag: '2' }, controller: { workerCount: 1 } } };

  it('become what was decided, and nothing else changes', () => {
    const own = { logLevel: 'debug', controller: { workers: 4 }, other: {} };
    const preview = previewValuesMigration({ from, to, overlay: own, own });
    const decisions = {
      'values.logLevel': 'remove',
      'values.controller.workers': 'move:values.controller.workerCount',
      'values.image.tag': 'keep',
    };
    assert.deepEqual(decideValues(own, preview, { decisions, to }), {
      values: { controller: { workerCount: 4 }, other: {}, image: { tag: '1' } },
      faults: [],
    });
  });

  it('are left as they are where somebody says so, and a default that nobody speaks of is followed', () => {
    const own = { logLevel: 'debug' };
    const preview = previewValuesMigration({ from, to, overlay: own, own });
    assert.deepEqual(decideValues(own, preview, { decisions: { 'values.logLevel': 'leave' }, to }), { values: own, faults: [] });
  });

  it('have to be decided', () => {
    const own = { logLevel: 'debug' };
    const { faults } = decideValues(own, previewValuesMigration({ from, to, overlay: own, own }), { decisions: {}, to });
    assert.deepEqual(faults, [{ field: 'values.logLevel', message: 'Choose an option' }]);
  });

  it('of another layer are reported, and cannot be decided here', () => {
    const preview = previewValuesMigration({
      from,
      to,
      overlay: { logLevel: 'debug', controller: { workers: 4 } },
      own: { controller: { workers: 4 } },
    });
    assert.deepEqual(
      preview.elsewhere.map(({ path }) => path),
      ['values.logLevel'],
    );
    assert.deepEqual(
      preview.rows.map(({ path }) => path),
      ['values.controller.workers', 'values.image.tag'],
    );
  });
});
