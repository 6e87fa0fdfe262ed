import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAppError } from '../../../../../src/domain/core/errors.ts';
import { renderChart } from '../../../../../src/reconcile/operator/charts/render-chart.ts';
import type { Target } from '../../../../../src/reconcile/operator/state.ts';
import type { Work } from '../../../../../src/reconcile/operator/work.ts';
import { CHART } from '../../../../support/operator-facts.ts';

test('Values that the schema of a chart refuses end the attempt before anything is rendered', async () => {
  const rendered: string[] = [];
  const render = async (): Promise<never> => Promise.reject(new Error(String(rendered.push('rendered'))));
  const contents = async () => ({ ...CHART.contents, schema: { properties: { size: { type: 'integer' } } } });
  const ports = { helm: { render }, charts: { contents }, kubernetesVersion: async () => 'v1.34.0', discovery: { kinds: async () => [] } };
  const work = { ports, spec: {}, release: {}, label: '', signal: new AbortController().signal } as unknown as Work;
  const target = (size: unknown): Target => ({ chart: CHART, values: { values: { size }, secrets: [] } }) as unknown as Target;
  await assert.rejects(
    async () => await renderChart(work, target('hunter2'), 'install'),
    (error: unknown) => {
      assert.ok(isAppError(error, 'ValuesInvalid'));
      assert.match(error.message, /size: must be integer/);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    },
  );
  assert.deepEqual(rendered, []);
  await assert.rejects(async () => await renderChart(work, target(2), 'install'), /1/);
  assert.deepEqual(rendered, ['rendered']);
});
