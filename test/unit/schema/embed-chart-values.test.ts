import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { formRoot } from '../../../src/form/model/app-form.ts';
import { contentSchema } from '../../../src/form/model/content-schema.ts';
import { coverage } from '../../../src/form/model/coverage.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { listFields } from '../../../src/form/model/list-fields.ts';
import { type ChartValues, embedChartValues } from '../../../src/schema/embed-chart-values.ts';

const FOLDER = path.join(import.meta.dirname, '../../../charts/apps');
const KIND: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        version: { type: 'string' },
        values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        suspend: { type: 'boolean', default: false },
      },
    },
  },
};

describe('the form of a kind that is generated for a chart', () => {
  for (const name of globSync('*', { cwd: FOLDER }).sort()) {
    it(`${name} reaches every value, and writes none that nobody touched`, async () => {
      const folder = path.join(FOLDER, name);
      const schema = embedChartValues(KIND, await chartIn(folder));
      const model = buildForm({ schema: contentSchema(schema), ...formRoot(schema), curated: [], mode: 'create' });
      assert.deepEqual(coverage(contentSchema(schema), model).unreachable, []);
      assert.deepEqual(formToValues(model, valuesToFields(model, {}), {}).values, {});
      for (const file of globSync('ci/*-values.yaml', { cwd: folder })) {
        const values = (await yamlIn(folder, file)) as JsonObject;
        const fields = valuesToFields(model, { spec: { values } });
        assert.deepEqual(formToValues(model, fields, {}), { values: { spec: { values } }, faults: [], drafts: fields }, file);
      }
    });
  }

  it('has the defaults of the chart, below references and in maps as a whole, and the conditions', async () => {
    const schema = embedChartValues(KIND, await chartIn(path.join(FOLDER, 'postgresql')));
    const model = buildForm({ schema: contentSchema(schema), ...formRoot(schema), curated: [], mode: 'create' });
    const fields = new Map(listFields(model).map((field) => [field.path, field.fallback]));
    assert.equal(fields.get('spec.values.database'), 'app');
    assert.equal(fields.get('spec.values.resources.limits.memory'), '512Mi');
    assert.deepEqual(fields.get('spec.values.settings'), { max_connections: '100' });
    assert.ok(fields.has('spec.values.backup.schedule'));
  });
});

async function chartIn(folder: string): Promise<ChartValues> {
  const schema = await readFile(path.join(folder, 'values.schema.json'), 'utf8').catch(() => undefined);
  const valuesText = await readFile(path.join(folder, 'values.yaml'), 'utf8');
  const values = (await yamlIn(folder, 'values.yaml')) as JsonObject;
  return { values, valuesText, ...(schema === undefined ? {} : { schema: JSON.parse(schema) as JsonObject }) };
}

async function yamlIn(folder: string, file: string): Promise<unknown> {
  return parseYamlDocument(await readFile(path.join(folder, file), 'utf8'));
}
