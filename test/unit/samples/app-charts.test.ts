import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readFormSources } from '../../../src/compose/form-sources.ts';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { coverage } from '../../../src/form/model/coverage.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { checkChartValues } from '../../../src/schema/values/check-values.ts';

const FOLDER = path.join(import.meta.dirname, '../../../charts/apps');
const CHARTS = globSync('*/Chart.yaml', { cwd: FOLDER }).map((file) => path.dirname(file));

describe('the sample charts of apps', () => {
  for (const name of CHARTS.sort()) {
    it(`${name} takes its own values and those in ci/, and every value has a field`, async () => {
      const folder = path.join(FOLDER, name);
      const [source] = await readFormSources(folder, AbortSignal.timeout(30_000));
      assert.ok(source);
      const model = buildForm({ ...source, curated: [], mode: 'create' });
      assert.deepEqual(coverage(source.schema, model).unreachable, []);

      const schemaText = await readFile(path.join(folder, 'values.schema.json'), 'utf8').catch(() => undefined);
      const values = (await yamlIn(folder, 'values.yaml')) as JsonObject;
      const chart = {
        digest: name,
        contents: { metadata: { name }, values, ...(schemaText === undefined ? {} : { schema: JSON.parse(schemaText) as JsonObject }) },
      };
      for (const file of [undefined, ...globSync('ci/*-values.yaml', { cwd: folder })]) {
        const own = file === undefined ? {} : ((await yamlIn(folder, file)) as JsonObject);
        assert.deepEqual(await checkChartValues(chart, own), { faults: [], unchecked: [] }, file ?? 'values.yaml');
      }
    });
  }
});

async function yamlIn(folder: string, file: string): Promise<unknown> {
  return parseYamlDocument(await readFile(path.join(folder, file), 'utf8'));
}
