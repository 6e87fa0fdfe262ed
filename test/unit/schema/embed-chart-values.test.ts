import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { appForm, formRoot } from '../../../src/form/model/app-form.ts';
import { contentSchema } from '../../../src/form/model/content-schema.ts';
import { coverage } from '../../../src/form/model/coverage.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { listFields } from '../../../src/form/model/list-fields.ts';
import { chartStructure } from '../../../src/schema/structural/chart-structure.ts';
import { validateValue } from '../../../src/domain/upgrade/crd-safety/validate-value.ts';
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

/** As the schemas of many charts are: they name some values, and say nothing of the others. */
const PARTIAL: ChartValues = {
  schema: {
    properties: {
      auth: { type: 'object', properties: { username: { type: 'string' } } },
      closed: { type: 'object', additionalProperties: false, properties: { a: {} } },
      labels: { type: 'object', properties: { app: {} }, additionalProperties: { type: 'string' } },
    },
    ...(JSON.parse('{"if":{"properties":{"mode":{"const":"ha"}}},"then":{"properties":{"replicas":{"type":"integer"}}}}') as JsonObject),
  },
  values: {},
  valuesText: `auth:
  username: admin
  # -- Password of the first user
  password: "0123456"
closed: {a: 1, b: 2}
labels: {app: x, team: y}
replicas: 1
# Tag of the image
tag: ""
ingress: {enabled: off, port: 80}
tolerations: []
`,
};

describe('the values that a partial schema leaves open', () => {
  const schema = embedChartValues(KIND, PARTIAL);
  const app = {
    group: 'apps.chandlery.dev',
    plural: 'shops',
    kind: 'Shop',
    schema,
    fields: [],
    presets: [],
    defaults: {},
    relatedApps: [],
  };
  const model = appForm(app, 'create');
  const fields = listFields(model).filter(({ path }) => path.startsWith('spec.values.') && !path.includes('[*]'));

  it('have the fields of values.yaml, but where others are closed or described', () => {
    const own = Object.fromEntries(fields.map(({ path, control }) => [path.slice('spec.values.'.length), control]));
    assert.deepEqual(own, {
      'auth.username': 'text',
      'auth.password': 'secret',
      'closed.a': 'yaml',
      'labels.app': 'yaml',
      replicas: 'integer',
      tag: 'text',
      'ingress.enabled': 'boolean',
      'ingress.port': 'int-or-string',
      tolerations: 'list',
    });
  });

  it('are marked, and come back whatever they hold', () => {
    const nodes = stringifyJson(model.root);
    assert.equal(nodes.match(/"inferred":true/g)?.length, 4, 'auth.password, tag, ingress and tolerations');
    const values = {
      spec: { values: { auth: { password: 5 }, tag: { a: 1 }, ingress: { enabled: 'maybe', port: 'http' }, tolerations: 'none' } },
    };
    assert.deepEqual(formToValues(model, valuesToFields(model, values), {}).values, values);
  });

  it('take any value in the CRD, which names them', () => {
    const { valuesText } = PARTIAL;
    const chart = { ...PARTIAL, valuesText, metadata: { dependencies: [] }, subcharts: [], ciValues: [] };
    const { properties } = chartStructure(chart) as { properties: Record<string, JsonObject> };
    assert.deepEqual(properties['tag'], {
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
      example: '',
      description: 'Tag of the image. Inferred from values.yaml; the schema of the chart does not describe it.',
    });
    assert.deepEqual(validateValue(chartStructure(chart), { tag: { a: 1 }, ingress: { port: 'http', more: 1 } }), []);
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
